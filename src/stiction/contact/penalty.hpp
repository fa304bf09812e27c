// The cubic contact penalty, and the update of its stiffness over the steps.
#pragma once

#include "stiction/base/types.hpp"
#include "stiction/contact/barrier.hpp"

namespace stiction {

/// Energy of one contact, b(d) = kappa (delta - d)^3 for d < delta, 0 from delta on; Larionov et al. 2022, section 3.2.
/// C2 and convex.
/// @param d  gap of the contact (m), any sign   @param delta  thickness tolerance (m), > 0   @param kappa  stiffness
/// (J/m^3), > 0
/// @return b (J), b' = -lambda (N), b'' (N/m)
ScalarJet penalty(double d, double delta, double kappa);

/// Contact force magnitude per unit gradient of the gap, lambda = -b'(d) = 3 kappa (delta - d)^2 for d < delta (N),
/// equation 3.
/// @tparam Scalar  double or a Dual
template <class Scalar>
Scalar penalty_force(const Scalar& d, double delta, double kappa) {
    const Scalar overlap = delta - d;
    return overlap > Scalar(0.0) ? Scalar(3.0 * kappa * overlap * overlap) : Scalar(0.0);
}

/// Turns the Hessian of the gap into that of the energy: b'' g g^T + b' Hess d, indefinite as it stands.
/// @param energy    penalty() at the gap
/// @param gradient  g = grad d, stacked like the rows of `hessian`
/// @param hessian   in: Hess d (1/m); out: Hess b (N/m)
void penalty_hessian(const ScalarJet& energy, const VecX& gradient, Eigen::MatrixXd& hessian);

/// Factor for kappa after a step that ends with the deepest gap `deepest` (m): b'(deepest) / b'(delta / 2) if it is
/// negative, which lets the force that stopped the bodies there act half the tolerance outside; else 1. Section 4.4.
double penalty_bump(double deepest, double delta);

/// The stiffness over the steps: grows by penalty_bump, never falls while contacts are active.
class PenaltyStiffness {
public:
    PenaltyStiffness() = default;
    /// @param initial  kappa to start from and to return to (J/m^3), > 0
    /// @param delta    thickness tolerance (m), > 0
    /// @throws InputError when either is not positive and finite
    PenaltyStiffness(double initial, double delta);

    double kappa() const { return kappa_; }
    double delta() const { return delta_; }
    /// Sets the stiffness to that at the end of an earlier step, but at least to the initial one.
    void restore(double kappa);

    /// After a solve with the deepest gap `deepest` (m). True: kappa has grown, and the step has to be repeated.
    bool bump(double deepest);
    /// After an accepted step: without an active contact (gap < delta) kappa returns to its initial value.
    void end_step(bool any_active);

private:
    double initial_ = 0.0, kappa_ = 0.0, delta_ = 0.0;
};

}  // namespace stiction
