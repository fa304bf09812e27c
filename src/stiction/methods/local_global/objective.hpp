// The objective of a time step without contact: inertia, damping, bending, elasticity and fillings.
#pragma once

#include "stiction/methods/local_global/block_sum.hpp"
#include "stiction/methods/local_global/filling_energies.hpp"
#include "stiction/methods/local_global/hinges.hpp"
#include "stiction/methods/local_global/local_step.hpp"
#include "stiction/world/step.hpp"

#include <Eigen/SparseCore>

namespace stiction::local_global {

/// Scalar matrix over all vertices; it acts on each coordinate.
using ScalarRows = Eigen::SparseMatrix<double, Eigen::RowMajor, std::int64_t>;

/// The objective at one configuration,
/// E(x) = 1/2 |x - x_t - h v_t|_M^2 - h^2 f . x + h/2 |x - x_t|_C^2 + h^2 (Psi(x) + 1/2 x^T B x).
/// Psi: energies of elements, hinges and fillings; B: quadratic bending; C: damping.
struct Evaluation {
    VecX x;                      ///< positions of all vertices, stacked (m)
    std::vector<double> energy;  ///< of each element, then of each hinge (J)
    CompensatedSum elastic{};    ///< their sum (J): the difference of two has no cancellation
    FillingValues filling;       ///< energies of the fillings
    VecX gradient;               ///< of E, stacked over the unknowns (kg m)
    VecX quadratic;              ///< the part of the gradient that is linear in x
};

/// Evaluates E. Allocates only in the first evaluation, but for fillings.
class Objective {
public:
    Objective(const World& world, const ElementArrays& elements);

    /// Starts a step: predictions, damping matrices.
    /// @param unknowns  the vertices that are solved for; kept by pointer for the step
    void begin(const State& state, const StepInput& input, const std::vector<Index>& unknowns);
    /// Computes everything at evaluation.x.
    void evaluate(Evaluation& evaluation);
    /// E(b) - E(a), without cancellation; +inf or NaN where the energy of b is not finite.
    double difference(const Evaluation& a, const Evaluation& b);
    /// Sum of the energies of elements and hinges times h^2.
    double elastic(const Evaluation& evaluation) const;

    /// Bound of the rounding error of difference() from here: strains are differences of numbers near 1.
    double rounding(const Evaluation& evaluation) const;
    /// The same from what elastic() returned.
    double rounding_of(double elastic) const;

    /// B, quadratic bending (N/m).
    const ScalarRows& bending() const { return bending_; }
    /// The hinges' part of the constant matrix (N/m).
    const ScalarRows& hinge_weights() const { return hinge_weights_; }
    /// Consistent mass (kg); empty where all mass is lumped. Of rigid bodies it is that of their frames.
    const ScalarRows& consistent_mass() const { return consistent_mass_; }

    /// x_t (m), x_t + h v_t (m) and the external forces (N) of the step, stacked over all vertices.
    const VecX& start() const { return start_; }
    const VecX& predicted() const { return predicted_; }
    const VecX& force() const { return force_; }
    /// alpha m of the vertices of sheets (kg/s), one entry a vertex up to the last of a sheet.
    const VecX& sheet_damping() const { return world_.sheet_damping; }
    /// The hinges of all sheets.
    HingeBending hinges() const { return hinges_.all(); }
    /// The fillings, with their over-pressures of the step.
    const FillingEnergies& fillings() const { return fillings_; }

private:
    void add_quadratic(const VecX& x, VecX& out);
    void add_hinges(Evaluation& evaluation);

    const World& world_;
    const ElementArrays& elements_;
    Hinges hinges_;
    ScalarRows bending_, hinge_weights_, consistent_mass_;
    FillingEnergies fillings_;
    const std::vector<Index>* unknowns_ = nullptr;
    double h_ = 0.0;
    double stiffness_ = 0.0;                  ///< sum of weights (J)
    VecX start_, predicted_, force_;          ///< x_t, x_t + h v_t, external forces
    std::vector<char> lumped_;                ///< of each vertex: whether its mass is
    std::vector<Index> frames_;               ///< vertices of the frames of rigid bodies
    std::vector<QuadraticElements> damping_;  ///< one an elastic group
    std::vector<Vec12> damping_local_;
    VecX damping_force_, displacement_;  ///< stacked, all vertices; empty where nothing is damped
    VecX hinge_gradient_;                ///< stacked, all vertices
    std::vector<double> corner_force_;
    BlockSum sum_;
};

}  // namespace stiction::local_global
