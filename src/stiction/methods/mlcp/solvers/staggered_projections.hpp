// Staggered projections (Kaufman et al. 2008).
#pragma once

#include "stiction/methods/mlcp/solvers/solver_task.hpp"

namespace stiction::mlcp {

/// When contacts of a projection may switch between open, sticking and sliding.
enum class SwitchContacts { at_convergence, while_iterating };

/// Solves a contact problem, starting from `solution`, and leaves the last iterate there. Solves for the normal forces
/// with friction given, then for friction with the normal forces given, in turn.
SolverReport solve_with_staggered_projections(const SolverTask& task, SwitchContacts when, ContactSolution& solution);

}  // namespace stiction::mlcp
