// What a time step minimises where nothing touches: inertia, damping, bending and elasticity.
#pragma once

#include "stiction/methods/local_global/block_sum.hpp"
#include "stiction/methods/local_global/hinges.hpp"
#include "stiction/methods/local_global/local_step.hpp"
#include "stiction/world/step.hpp"

#include <Eigen/SparseCore>

namespace stiction::local_global {

/// Scalar matrix over all vertices that acts on each coordinate.
using ScalarRows = Eigen::SparseMatrix<double, Eigen::RowMajor, std::int64_t>;

/// E(x) = 1/2 |x - x_t - h v_t|_M^2 - h^2 f . x + h/2 |x - x_t|_C^2 + h^2 (Psi(x) + 1/2 x^T B x), bending by angles in
/// Psi, at some positions, over the unknowns.
struct Evaluation {
    VecX x;                      ///< positions of all vertices, stacked (m)
    std::vector<double> energy;  ///< of each element, then of each hinge (J)
    VecX gradient;               ///< of E, stacked over the unknowns (kg m)
    VecX quadratic;              ///< what the quadratic terms have in it
};

/// Evaluates E without allocating, once its arrays have their sizes.
class Objective {
public:
    Objective(const World& world, const ElementArrays& elements);

    /// A step starts: predictions, damping matrices. `unknowns`: the vertices that are solved for; has to outlive the
    /// step.
    void begin(const State& state, const StepInput& input, const std::vector<Index>& unknowns);
    /// Everything at evaluation.x, which has to be set.
    void evaluate(Evaluation& evaluation);
    /// E(b) - E(a), without cancellation; +inf or NaN where b has no energy.
    double difference(const Evaluation& a, const Evaluation& b);
    /// Sum of the energies of elements and hinges times h^2.
    double elastic(const Evaluation& evaluation);

    /// What the difference of elastic energies from those here may be wrong by: strains are differences of numbers of
    /// the size of one.
    double rounding(const Evaluation& evaluation);

    /// B, quadratic bending (N/m), and the consistent mass (kg), empty where the mass is lumped.
    const ScalarRows& bending() const { return bending_; }
    /// What bending by angles has in the constant matrix (N/m).
    const ScalarRows& hinge_weights() const { return hinge_weights_; }
    const ScalarRows& consistent_mass() const { return consistent_mass_; }

private:
    void add_quadratic(const VecX& x, VecX& out);

    const World& world_;
    const ElementArrays& elements_;
    Hinges hinges_;
    ScalarRows bending_, hinge_weights_, consistent_mass_;
    const std::vector<Index>* unknowns_ = nullptr;
    double h_ = 0.0;
    double stiffness_ = 0.0;                  ///< sum of weights (J)
    VecX start_, predicted_, force_;          ///< x_t, x_t + h v_t, external forces
    std::vector<QuadraticElements> damping_;  ///< one an elastic group
    std::vector<Vec12> damping_local_;
    VecX damping_force_, displacement_;  ///< stacked, all vertices; empty where nothing is damped
    VecX hinge_gradient_;                ///< stacked, all vertices
    std::vector<double> corner_force_;
    BlockSum sum_;
};

}  // namespace stiction::local_global
