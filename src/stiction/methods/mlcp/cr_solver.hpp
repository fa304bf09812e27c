// Conjugate residuals with contacts that change what they do while iterating (Verschoor and Jalba 2019, Algorithm 1).
#pragma once

#include "stiction/methods/mlcp/contact_switching.hpp"
#include "stiction/methods/mlcp/preconditioner.hpp"

#include <string>

namespace stiction {

struct CrOptions {
    double tolerance = 5e-5;     ///< eps_1: of the momentum's residual, over the problem's scale
    SwitchingOptions switching;  ///< its distance_tolerance, eps_2, is that of active rows too
    int max_iterations = 20000;
    /// Times that the equations may be solved with contacts that still have to change: beyond, the modes go in circles.
    int max_settled_changes = 400;
    /// Where conjugate residuals have not converged in a quarter of max_iterations or of max_settled_changes: at most
    /// that many iterations of constraint anticipation (Otaduy et al. 2009) with Coulomb's law solved exactly contact
    /// by contact, and conjugate residuals once more where that has not converged either. 0: never.
    int fallback_iterations = 1000;
};

/// How a solve ended.
enum class CrEnd {
    converged,
    over_constrained,  ///< the active rows contradict each other: a least-squares solution was reached
    iteration_limit,
    cycling,    ///< see CrOptions::max_settled_changes
    breakdown,  ///< no direction was left, or a number that is not finite
};

/// The end in words, for a cause.
std::string describe(CrEnd end);

struct CrReport {
    CrEnd end = CrEnd::iteration_limit;
    int iterations = 0;       ///< of conjugate residuals: products with A
    int evaluations = 0;      ///< times that all contacts were looked at
    int mode_switches = 0;    ///< contacts that opened, closed, stuck or began to slide, all evaluations together
    int settled_changes = 0;  ///< evaluations at convergence that changed something
    int stagnations =
        0;  ///< times that the residual stopped shrinking: the first time the diagonal preconditioner takes over
    int fallbacks = 0;  ///< times that constraint anticipation took over
    int fallback_iterations =
        0;  ///< of it, with those of the conjugate gradients that it begins with; not among `iterations`
    double residual = 0.0;  ///< of the momentum, over the problem's scale
};

/// Solves a contact problem from what `solution` holds, and leaves the last iterate there.
/// @param preconditioner  of these constraints
CrReport solve_contact_problem(const ContactProblem& problem, const ConstraintMatrix& constraints,
                               const ContactPreconditioner& preconditioner, const CrOptions& options,
                               ContactSolution& solution);

}  // namespace stiction
