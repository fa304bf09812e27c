// Iterative constraint anticipation (Otaduy et al. 2009).
#pragma once

#include "stiction/methods/mlcp/solvers/solver_task.hpp"

namespace stiction::mlcp {

/// Solves a contact problem, starting from `solution`, and leaves the last iterate there. Alternates between contact
/// forces with the block diagonal of A in place of A, and a Gauss-Seidel sweep for the velocities.
SolverReport solve_with_constraint_anticipation(const SolverTask& task, ContactSolution& solution);

}  // namespace stiction::mlcp
