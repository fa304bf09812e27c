// Conjugate residuals and the methods that they are measured against, on the same problem, with the same tolerances and
// the same report.
#pragma once

#include "stiction/methods/mlcp/cr_solver.hpp"

#include <string>
#include <vector>

namespace stiction {

/// What solves a contact problem (Verschoor and Jalba 2019, section 6.2).
enum class ContactSolverKind {
    cr,             ///< conjugate residuals, contacts switching while iterating
    ica,            ///< iterative constraint anticipation (Otaduy et al. 2009)
    sp_active_set,  ///< staggered projections (Kaufman et al. 2008), contacts switching at convergence of either
                    ///< problem
    sp,             ///< the same, contacts switching while iterating
    pgs,            ///< projected block Gauss-Seidel on the explicit Delassus operator (Daviet et al. 2011)
};

/// Names of scenes, in the order of the enumerators.
const std::vector<std::string>& contact_solver_names();
/// Throws InternalError for any other name.
ContactSolverKind contact_solver_from_name(const std::string& name);

/// A CrReport; iterations are counted as the paper does:
///     cr, sp_active_set, sp   products with the saddle-point matrix, those of both problems together
///     ica                     conjugate gradients for the velocity without new forces, and outer iterations
///     pgs                     sweeps over all contacts
/// mode_switches and settled_changes are those of cr, sp_active_set and sp. A rival that stops before
/// CrOptions::max_iterations without a solution says `cycling`.
struct ContactSolverReport : CrReport {
    double setup_seconds = 0.0;  ///< pgs: making the Delassus operator. Reported, never decided on
    int inner_iterations = 0;    ///< ica: sweeps over the contacts; sp: pairs of problems; pgs: solves with A
};

/// Solves a contact problem from what `solution` holds, and leaves the last iterate there. `converged` of a rival means
/// that contact_errors() of what it returns are within the tolerances: momentum within `tolerance`, sticking and
/// sliding errors and |min(gap, scaled force)| within the distance tolerance.
/// @param preconditioner  of these constraints: cr works with it, sp_active_set and sp with its diagonal part, the
/// others measure forces with its compliance
/// @param solve           x = A^-1 r over all nodes: pgs alone needs it
ContactSolverReport solve_with(ContactSolverKind kind, const ContactProblem& problem,
                               const ConstraintMatrix& constraints, const ContactPreconditioner& preconditioner,
                               const ContactPreconditioner::Solve& solve, const CrOptions& options,
                               ContactSolution& solution);

}  // namespace stiction
