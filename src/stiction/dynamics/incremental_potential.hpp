// The incremental potential of a stage: inertia, elasticity, damping, fillings and the pull of driven vertices.
#pragma once

#include "stiction/dynamics/energy_difference_sum.hpp"
#include "stiction/dynamics/inertia_term.hpp"
#include "stiction/dynamics/target_pull.hpp"

namespace stiction {

/// Values of the terms that are compared between two configurations.
struct PotentialValues {
    std::vector<std::vector<double>> elastic;  ///< per group (tets, then sheets) and element, already times s^2
    std::vector<double> fillings;              ///< per filling, already times s^2
};

/// What stands for W' d2V/dx2 of fillings, which is indefinite, in a matrix.
enum class FillingMatrix {
    by_edges,      ///< itself, or projected edge by edge: a search direction, which resists translations
    exact,         ///< itself
    by_triangles,  ///< projected with translations in its null space
};

/// E(x) = 1/2 |x - x_hat|_M^2 + s^2 Psi(x) + s/2 |x - q_bar|_C^2 + pull, s = a h (Li et al. 2020, equation 1; Kane et
/// al. 2000). A stage without contact is its minimum; what contact adds is the method's.
class IncrementalPotential {
public:
    /// @param external_force  stacked (N)
    /// @param x_start         positions at the start of the stage (m): where its damping is frozen
    /// @param overpressure    of the world's fillings (Pa); empty: those at t = 0
    IncrementalPotential(const World& world, const Stage& stage, const VecX& external_force, const VecX& x_start,
                         const std::vector<double>& overpressure = {});

    /// Of the stage: x - q_bar is s times the velocity.
    const VecX& q_bar() const { return q_bar_; }
    TargetPull& pull() { return pull_; }
    /// See InertiaTerm.
    void hold(double factor, const VecX& place) { inertia_.hold(factor, place); }

    /// @param marked  optional, of every vertex: tets without a marked vertex count 0
    PotentialValues values(const VecX& x, const std::vector<char>& marked = {}) const;
    /// E(x1) - E(x0), summed term by term with compensation, and the rounding it may carry.
    /// @param force_sum  sum of absolute entries of the stencils' gradients at x0, from gradient()
    EnergyDifference difference(const VecX& x0, const PotentialValues& at0, const VecX& x1, const PotentialValues& at1,
                                double force_sum) const;
    /// Adds the terms of E(x1) - E(x0) to the sum.
    void add_difference(const VecX& x0, const PotentialValues& at0, const VecX& x1, const PotentialValues& at1,
                        EnergyDifferenceSum& sum) const;

    /// Stacked over all vertices.
    /// @param force_sum  where given, grows by the sum of absolute entries of all stencils' gradients
    /// @param marked     optional, of every vertex: what the others take from elements without a marked vertex may be
    ///                   left out, of force_sum too
    VecX gradient(const VecX& x, double* force_sum = nullptr, const std::vector<char>& marked = {}) const;

    /// Fills the assembly with the Hessian.
    /// @param project  make elastic Hessians positive semi-definite first; without, the sum may be indefinite
    void assemble(const VecX& x, bool project, HessianAssembly& assembly) const;
    /// Fills the assembly with inertia_scale times the inertia more than the Hessian with projected elasticity, all
    /// of whose elastic terms leave a translation without a force: what methods take as physics.
    /// @param fillings  `exact` or `by_triangles`
    void assemble_invariant(const VecX& x, FillingMatrix fillings, double inertia_scale,
                            HessianAssembly& assembly) const;
    /// Adds the product of a displacement u with the part of fillings in that matrix.
    void add_filling_product(const VecX& x, FillingMatrix fillings, const VecX& u, VecX& result) const;
    bool has_fillings() const { return !fillings_.empty(); }
    /// Adds the Hessian without the pull's, which goes in last: add_pull_hessian().
    void add_hessian(const VecX& x, bool project, HessianAssembly& assembly,
                     FillingMatrix fillings = FillingMatrix::by_edges) const;
    void add_pull_hessian(HessianAssembly& assembly) const { pull_.add_hessian(assembly); }

private:
    const World& world_;
    InertiaTerm inertia_;
    VecX q_bar_;
    double scale_;
    std::vector<VolumeEnergy> fillings_;
    TargetPull pull_;
};

}  // namespace stiction
