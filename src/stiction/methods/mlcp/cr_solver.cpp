#include "stiction/methods/mlcp/cr_solver.hpp"

#include "stiction/methods/mlcp/cr_iteration.hpp"
#include "stiction/methods/mlcp/rivals/rivals.hpp"

namespace stiction {
namespace {

/// Friction that depends on itself through the normal forces need not come to rest by being put in again and again;
/// contact by contact it can be solved for.
CrReport fall_back(const ContactProblem& problem, const ConstraintMatrix& constraints,
                   const ContactPreconditioner& preconditioner, const CrOptions& options, CrReport report,
                   ContactSolution& solution) {
    CrOptions anticipation = options;
    anticipation.max_iterations = options.fallback_iterations;
    ContactSolution other = solution;
    const ContactSolverReport fallback =
        rivals::anticipate_constraints({problem, constraints, preconditioner, {}, anticipation}, other);
    ++report.fallbacks;
    report.fallback_iterations += fallback.iterations;
    if (fallback.end == CrEnd::converged) {
        solution = other;
        report.end = CrEnd::converged;
        report.residual = fallback.residual;
        return report;
    }
    if (other.v.allFinite()) solution = other;
    CrOptions rest = options;
    rest.max_iterations = options.max_iterations - report.iterations;
    const CrReport again = CrIteration(problem, constraints, preconditioner, rest, solution).run();
    report.end = again.end;
    report.residual = again.residual;
    report.iterations += again.iterations;
    report.evaluations += again.evaluations;
    report.mode_switches += again.mode_switches;
    report.settled_changes += again.settled_changes;
    report.stagnations += again.stagnations;
    return report;
}

}  // namespace

std::string describe(CrEnd end) {
    switch (end) {
        case CrEnd::converged: return "converged";
        case CrEnd::over_constrained: return "active contacts contradict each other";
        case CrEnd::iteration_limit: return "limit of iterations";
        case CrEnd::cycling: return "contacts keep changing between open, sticking and sliding";
        case CrEnd::breakdown: return "conjugate residuals broke down";
    }
    return "unknown";
}

CrReport solve_contact_problem(const ContactProblem& problem, const ConstraintMatrix& constraints,
                               const ContactPreconditioner& preconditioner, const CrOptions& options,
                               ContactSolution& solution) {
    if (options.fallback_iterations == 0)
        return CrIteration(problem, constraints, preconditioner, options, solution).run();
    CrOptions first = options;
    first.max_iterations = options.max_iterations / 4;
    first.max_settled_changes = options.max_settled_changes / 4;
    const CrReport report = CrIteration(problem, constraints, preconditioner, first, solution).run();
    if (report.end != CrEnd::iteration_limit && report.end != CrEnd::cycling) return report;
    return fall_back(problem, constraints, preconditioner, options, report, solution);
}

}  // namespace stiction
