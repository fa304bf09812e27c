// Semismooth Newton method on the augmented Lagrangian of the contact problem, with a factor an iteration.
#pragma once

#include "stiction/methods/mlcp/solvers/solver_task.hpp"

namespace stiction::mlcp {

/// Coulomb's law as a complementarity of cones (de Saxce and Feng 1998): with the cone of forces K = {|f_t| <= mu f_n}
/// and its dual K*, K contains f, K* contains u + mu |u_t| e_n, and the two are orthogonal. With mu |u_t| given, the
/// law is that of a convex problem, whose augmented Lagrangian (Rockafellar 1976) is minimised over v by Newton's
/// method. The outer loop updates f = P_K(f - rho (u + mu |u_t| e_n)) and mu |u_t|. P_K is the projection onto K.
///
/// A contact with a kinetic coefficient of its own has the cone of that one: a force beyond it never sticks.
/// Redundant rows need no special case: f is one of the forces that hold them.
/// SolverReport::iterations counts Newton's iterations: a factorisation of A + sum rho L^T P_K' L each, or, where
/// SolverTask::responses are given and forces are the unknowns, one of a dense matrix of three rows a contact.
SolverReport solve_with_augmented_lagrangian(const SolverTask& task, ContactSolution& solution);

}  // namespace stiction::mlcp
