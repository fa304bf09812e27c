// The contact solvers by name: conjugate residuals, and the methods that they are measured against.
#pragma once

#include "stiction/methods/mlcp/solvers/solver_task.hpp"

#include <string>
#include <vector>

namespace stiction::mlcp {

/// Solver of a contact problem (Verschoor and Jalba 2019, section 6.2).
enum class SolverKind {
    cr,                    ///< conjugate residuals; contacts switch while iterating
    ica,                   ///< iterative constraint anticipation (Otaduy et al. 2009)
    sp_active_set,         ///< staggered projections (Kaufman et al. 2008); contacts switch at convergence
    sp,                    ///< staggered projections; contacts switch while iterating
    pgs,                   ///< projected block Gauss-Seidel on the explicit Delassus operator (Daviet et al. 2011)
    augmented_lagrangian,  ///< Newton's method on the augmented Lagrangian; not in the paper
};

/// Names of the solvers, in the order of the enumerators.
const std::vector<std::string>& solver_names();
/// Throws InternalError for any other name.
SolverKind solver_from_name(const std::string& name);

/// Solves a contact problem, starting from `solution`, and leaves the last iterate there. A rival of conjugate
/// residuals has `converged` where is_solution() holds.
SolverReport solve_with(SolverKind kind, const SolverTask& task, ContactSolution& solution);

}  // namespace stiction::mlcp
