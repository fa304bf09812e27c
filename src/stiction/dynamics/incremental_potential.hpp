// The objective of an implicit step: inertia, elasticity, barrier, lagged friction and the pull of driven motion.
#pragma once

#include "stiction/contact/barrier.hpp"
#include "stiction/contact/barrier_stencil.hpp"
#include "stiction/contact/friction.hpp"
#include "stiction/dynamics/inertia_term.hpp"
#include "stiction/nonlinear/line_search.hpp"

#include <optional>

namespace stiction {

/// Pull of driven vertices to their targets: sum of rho/2 m |x - target|^2 - multiplier . (x - target). Inactive while
/// empty.
struct TargetPull {
    /// u with the coordinates that are not pulled set to 0; `i` counts `vertices`.
    Vec3 masked(std::size_t i, Vec3 u) const {
        for (int axis = 0; axis < 3; ++axis) {
            if (!(axes[i] >> axis & 1)) u[axis] = 0.0;
        }
        return u;
    }

    std::vector<Index> vertices;
    std::vector<std::uint8_t> axes;  ///< bits of the coordinates that are pulled, one entry a vertex
    std::vector<double> mass;        ///< kg, one a vertex
    VecX target;                     ///< stacked over all vertices of the world
    VecX multipliers;                ///< stacked over all vertices of the world
    double stiffness = 0.0;          ///< rho (-)
};

/// Values of all terms that are compared between two configurations.
struct PotentialValues {
    std::vector<std::vector<double>> elastic;  ///< per group (tets, then sheets) and element, already times s^2
    std::vector<double> fillings;              ///< per filling, already times s^2
    std::vector<double> barrier;               ///< per contact, already times the stiffness
    std::vector<double> friction;              ///< per friction contact
};

/// B(x) = 1/2 |x - x_hat|_M^2 + s^2 Psi(x) + s/2 |x - q_bar|_C^2 + kappa sum b + D + pull (Li et al. 2020, equations 5
/// and 16; s = a h).
class IncrementalPotential {
public:
    /// @param friction_law  for slips that are speeds (m/s)
    /// @param overpressure  of the world's fillings (Pa); empty: those at t = 0
    IncrementalPotential(const World& world, const Stage& stage, const VecX& external_force, const VecX& x_start,
                         double dhat, const FrictionLaw& friction_law, const std::vector<double>& overpressure = {});

    double dhat() const { return dhat_; }
    /// The friction law for slips in metres, displacements from q_bar.
    const FrictionLaw& friction_law() const { return friction_law_; }
    const VecX& q_bar() const { return q_bar_; }
    double scale() const { return scale_; }
    double stiffness() const { return stiffness_; }
    /// Barrier stiffness kappa (J/m^4 times s^2).
    void set_stiffness(double kappa) { stiffness_ = kappa; }
    void set_friction(std::vector<LaggedFriction> contacts) { friction_ = std::move(contacts); }
    const std::vector<LaggedFriction>& friction() const { return friction_; }
    TargetPull& pull() { return pull_; }

    PotentialValues values(const VecX& x, const ContactSet& contacts) const;
    /// B(x1) - B(x0), summed term by term with compensation, and the rounding it may carry: that of the values
    /// themselves, and that of positions, each stencil's force times the spacing of numbers of the size of x.
    /// @param force_sum  sum of absolute entries of the stencils' gradients at x0, from gradient()
    EnergyDifference difference(const VecX& x0, const PotentialValues& at0, const VecX& x1, const PotentialValues& at1,
                                double force_sum) const;

    /// Gradient of everything but barrier and friction, stacked over all vertices.
    /// @param force_sum  where given, grows by the sum of absolute entries of all stencils' gradients
    VecX smooth_gradient(const VecX& x, double* force_sum = nullptr) const;
    /// Gradient of the barrier per unit stiffness.
    VecX barrier_gradient_sum(const VecX& x, const ContactSet& contacts, double* force_sum = nullptr) const;
    VecX friction_gradient_sum(const VecX& x, double* force_sum = nullptr) const;
    VecX gradient(const VecX& x, const ContactSet& contacts, double* force_sum = nullptr) const;
    /// Sum of the local Hessians. A friction contact whose slip has changed by more than a fraction of itself since
    /// `x_last` (the last iterate; empty = none) has not found its side of the kink yet and enters with the secant
    /// curvature.
    /// @param project  make elastic and barrier Hessians positive semi-definite first; without, the sum may be
    /// indefinite
    void assemble(const VecX& x, const VecX& x_last, const ContactSet& contacts, bool project,
                  HessianAssembly& assembly) const;

    /// Friction contacts with frame, weights and normal force of `contacts` at x, for the present stiffness.
    std::vector<LaggedFriction> lag_friction(const VecX& x, const ContactSet& contacts, double stiffness) const;

private:
    const World& world_;
    InertiaTerm inertia_;
    VecX q_bar_;
    double scale_;
    double dhat_;
    FrictionLaw friction_law_;
    std::vector<VolumeEnergy> fillings_;
    double stiffness_ = 0.0;
    std::vector<LaggedFriction> friction_;
    TargetPull pull_;
};

}  // namespace stiction
