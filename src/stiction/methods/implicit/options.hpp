// Options of the method `implicit`.
#pragma once

#include "stiction/dynamics/barrier_options.hpp"

#include <string>
#include <vector>

namespace stiction {

/// How the linear systems of Newton's method are solved.
enum class LinearSolver {
    automatic,  ///< iterative from implicit_iterative_nodes unknown vertices on
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

/// Unknown vertices from which the automatic choice iterates: an LU costs two to three times the Cholesky factor that preconditions.
inline constexpr int implicit_iterative_nodes = 3000;

/// Those of the lagged solve that every stage starts with, and what comes after it.
struct ImplicitOptions : BarrierOptions {
    /// Newton on the whole balance stops when |p|_inf / s falls below this (m/s); 0 means 1e-3 of the friction velocity, so that even creep of
    /// a sticking contact is resolved.
    double implicit_tolerance = 0.0;
    /// Iterations of one such solve before it counts as stalled.
    int max_implicit_iterations = 60;
    /// How often a stalled solve starts again from friction lagged once more, before the step falls back on the lagged solution.
    int lagged_restarts = 4;
    LinearSolver solver = LinearSolver::automatic;
    FrictionJacobian friction_jacobian = FrictionJacobian::automatic;
};

}  // namespace stiction
