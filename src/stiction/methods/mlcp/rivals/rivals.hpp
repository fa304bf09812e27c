// The rivals of conjugate residuals, one function each, and what they share.
#pragma once

#include "stiction/methods/mlcp/rivals/contact_solver.hpp"

namespace stiction::rivals {

/// What every rival is given.
struct Task {
    const ContactProblem& problem;
    const ConstraintMatrix& constraints;
    const ContactPreconditioner& preconditioner;
    const ContactPreconditioner::Solve& solve;
    const CrOptions& options;
};

/// Iterative constraint anticipation (Otaduy et al. 2009), from what `solution` holds; the last iterate is left there,
/// as by the others.
ContactSolverReport anticipate_constraints(const Task& task, ContactSolution& solution);
/// Staggered projections (Kaufman et al. 2008): normal forces, then friction, in turn.
/// @param while_iterating  contacts switch before either problem has converged
ContactSolverReport stagger_projections(const Task& task, bool while_iterating, ContactSolution& solution);
/// Projected block Gauss-Seidel on the explicit Delassus operator (Daviet et al. 2011); needs Task::solve.
ContactSolverReport sweep_delassus(const Task& task, ContactSolution& solution);

/// |b| or what the problem has instead (kg m/s).
double momentum_scale(const ContactProblem& problem);

/// Whether the solution's errors are within the tolerances (see solve_with); sets report.residual.
bool is_solution(const Task& task, const ContactSolution& solution, ContactSolverReport& report);

/// Forces (lambda, -gamma) of all contacts, N, cut to Coulomb's cone: three entries a contact, A v = b + L^T f.
VecX cone_forces(const ContactProblem& problem, const ContactSolution& solution);

/// Modes and multipliers that say the same as velocities and forces.
void take_forces(const ContactProblem& problem, const VecX& f, ContactSolution& solution);

}  // namespace stiction::rivals
