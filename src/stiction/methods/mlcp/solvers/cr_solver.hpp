// Conjugate residuals with an active set that changes while they iterate (Verschoor and Jalba 2019, Algorithm 1).
#pragma once

#include "stiction/methods/mlcp/solvers/solver_task.hpp"

namespace stiction::mlcp {

/// Solves a contact problem, starting from `solution`, and leaves the last iterate there.
SolverReport solve_with_conjugate_residuals(const SolverTask& task, ContactSolution& solution);

}  // namespace stiction::mlcp
