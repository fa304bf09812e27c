// Projected block Gauss-Seidel on the explicit Delassus operator (Daviet et al. 2011).
#pragma once

#include "stiction/methods/mlcp/solvers/solver_task.hpp"

namespace stiction::mlcp {

/// Solves a contact problem, starting from `solution`, and leaves the last iterate there. Needs SolverTask::solve.
SolverReport solve_with_gauss_seidel(const SolverTask& task, ContactSolution& solution);

}  // namespace stiction::mlcp
