// Options of the method `implicit`.
#pragma once

#include "stiction/barrier/options.hpp"
#include "stiction/base/types.hpp"

#include <string>
#include <vector>

namespace stiction::implicit {

/// How the linear systems of Newton's method are solved.
enum class LinearSolver {
    automatic,  ///< iterative from iterative_nodes unknown vertices on
    direct,     ///< sparse LU
    iterative,  ///< inexact Newton with preconditioned BiCGSTAB
};

/// Names of scenes, in the order of the enumerators; `auto` is the first.
const std::vector<std::string>& linear_solver_names();
/// Throws InternalError for any other name.
LinearSolver linear_solver_from_name(const std::string& name);

/// How the friction of a contact is differentiated.
enum class FrictionJacobian {
    automatic,  ///< forward automatic differentiation with dual numbers
    analytic,   ///< formulas
};

/// Names of scenes, in the order of the enumerators.
const std::vector<std::string>& friction_jacobian_names();
/// Throws InternalError for any other name.
FrictionJacobian friction_jacobian_from_name(const std::string& name);

/// What keeps bodies apart.
enum class ContactModel {
    barrier,  ///< the log barrier with CCD: free of intersections, certified
    penalty,  ///< a cubic penalty on vertices against smooth implicit surfaces: certified in nothing
};

/// Names of scenes, in the order of the enumerators.
const std::vector<std::string>& contact_model_names();
/// Throws InternalError for any other name.
ContactModel contact_model_from_name(const std::string& name);

/// Unknown vertices from which the automatic choice iterates: an LU takes twice the operations and the memory of the
/// Cholesky factor that preconditions.
inline constexpr int iterative_nodes = 3000;

/// `wanted`, or what `automatic` stands for with so many unknown vertices.
LinearSolver choose_solver(LinearSolver wanted, Index nodes);

/// Those of the lagged solve that every stage starts with, and what comes after it.
struct Options : BarrierOptions {
    Options() { take(BarrierOptions{}); }

    /// Takes what `ipc` was given. The lagged solve keeps two values of its own: BiCGSTAB follows with the same factor,
    /// for which a multigrid cycle is untried, and the whole balance is solved after it.
    void take(const BarrierOptions& options);

    /// Newton on the whole balance stops when |p|_inf / s falls below this (m/s); 0 means 1e-3 of the friction
    /// velocity, so that even creep of a sticking contact is resolved.
    double implicit_tolerance = 0.0;
    /// Iterations of one such solve before it counts as stalled.
    int max_implicit_iterations = 60;
    /// How often a stalled solve starts again from friction lagged once more, before the step falls back on the lagged
    /// solution.
    int lagged_restarts = 4;
    LinearSolver solver = LinearSolver::automatic;
    FrictionJacobian friction_jacobian = FrictionJacobian::automatic;
    ContactModel contact = ContactModel::barrier;
    // Of the penalty alone, docs/physics/penalty_contact.md:
    /// Gap below which it acts, delta (m); 0 means penalty_thickness_relative * l, with the l of a pair of bodies.
    double penalty_thickness = 0.0;
    double penalty_thickness_relative = 1e-3;
    /// kappa to start from (J/m^3); 0: ten times the weight of a mean vertex of the lighter body is held at half the
    /// thickness.
    double penalty_stiffness = 0.0;
    /// Radius R of the implicit surfaces over the coverage of their samples, > 1.
    double implicit_surface_radius_factor = 1.5;
    /// t of their weight function, > 0.
    double implicit_surface_smoothing = 0.1;
    /// Triangles with longer edges get several samples (m); 0 means the longest edge on the surface of a deformable
    /// body.
    double implicit_surface_spacing = 0.0;
};

/// implicit_tolerance, or what 0 stands for (m/s).
double implicit_tolerance(const Options& options, double friction_velocity);

}  // namespace stiction::implicit
