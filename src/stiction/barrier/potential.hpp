// The barrier-augmented incremental potential of a stage: what `ipc` minimises.
#pragma once

#include "stiction/barrier/friction_term.hpp"
#include "stiction/dynamics/incremental_potential.hpp"

namespace stiction {

/// Values of the terms that are compared between two configurations.
struct BarrierPotentialValues {
    PotentialValues incremental;
    std::vector<double> barrier;   ///< per contact, already times the stiffness
    std::vector<double> friction;  ///< per friction contact
};

/// B(x) = E(x) + kappa sum b + D (Li et al. 2020, equations 5 and 16): incremental potential, barrier and lagged
/// friction.
class BarrierPotential {
public:
    /// @param dhat          activation distance (m)
    /// @param friction_law  for slips that are speeds (m/s)
    /// @param overpressure  of the world's fillings (Pa); empty: those at t = 0
    BarrierPotential(const World& world, const Stage& stage, const VecX& external_force, const VecX& x_start,
                     double dhat, const FrictionLaw& friction_law, const std::vector<double>& overpressure = {});

    const IncrementalPotential& incremental() const { return incremental_; }
    IncrementalPotential& incremental() { return incremental_; }
    const BarrierTerm& barrier() const { return barrier_; }
    /// The friction law for slips in metres, displacements from slip_origin().
    const FrictionLaw& friction_law() const { return friction_.law; }
    const VecX& q_bar() const { return incremental_.q_bar(); }
    /// Where slips are measured from (m): q_bar, unless another place was set.
    const VecX& slip_origin() const { return slip_origin_.size() > 0 ? slip_origin_ : q_bar(); }
    void set_slip_origin(const VecX& x) { slip_origin_ = x; }
    double stiffness() const { return barrier_.stiffness; }
    /// Barrier stiffness kappa (J/m^4 times s^2).
    void set_stiffness(double kappa) { barrier_.stiffness = kappa; }
    void set_friction(std::vector<LaggedFriction> contacts) {
        friction_.contacts = std::move(contacts);
        friction_.directions.clear();
    }
    /// Of the present friction, see FrictionTerm.
    void forget_slip_directions() { friction_.forget_directions(); }
    void update_slip_directions(const VecX& x, const VecX& p, const std::vector<char>& marked = {}) {
        friction_.update_directions(x, slip_origin(), p, marked);
    }
    /// Forces that contacts are expected to bear: what the curvature of the barrier in assemble() depends on.
    PredictedForces& predicted_forces() { return predicted_; }
    const std::vector<LaggedFriction>& friction() const { return friction_.contacts; }
    /// Friction contacts of `contacts` at x, for a stiffness that need not be the present one.
    std::vector<LaggedFriction> lag_friction(const VecX& x, const ContactSet& contacts, double stiffness) const {
        return stiction::lag_friction(world_, x, contacts, {barrier_.dhat, stiffness});
    }
    TargetPull& pull() { return incremental_.pull(); }

    /// @param marked  as in IncrementalPotential::values()
    BarrierPotentialValues values(const VecX& x, const ContactSet& contacts,
                                  const std::vector<char>& marked = {}) const;
    /// B(x1) - B(x0), summed term by term with compensation, and the rounding it may carry.
    /// @param force_sum  sum of absolute entries of the stencils' gradients at x0, from gradient()
    EnergyDifference difference(const VecX& x0, const BarrierPotentialValues& at0, const VecX& x1,
                                const BarrierPotentialValues& at1, double force_sum) const;

    /// Gradient of the barrier per unit stiffness.
    VecX barrier_gradient_sum(const VecX& x, const ContactSet& contacts) const {
        return barrier_.unit_gradient(x, contacts);
    }
    VecX friction_gradient_sum(const VecX& x) const { return friction_.gradient(x, slip_origin()); }
    /// @param force_sum, marked  as in IncrementalPotential::gradient()
    VecX gradient(const VecX& x, const ContactSet& contacts, double* force_sum = nullptr,
                  const std::vector<char>& marked = {}) const;
    /// Sum of the local Hessians.
    /// @param project  make elastic and barrier Hessians positive semi-definite first, with chords across contacts
    /// whose
    ///                 forces are predicted; without, the sum is the Hessian, which may be indefinite
    void assemble(const VecX& x, const ContactSet& contacts, bool project, HessianAssembly& assembly);

private:
    const World& world_;
    IncrementalPotential incremental_;
    BarrierTerm barrier_;
    FrictionTerm friction_;
    VecX slip_origin_;
    PredictedForces predicted_;
};

}  // namespace stiction
