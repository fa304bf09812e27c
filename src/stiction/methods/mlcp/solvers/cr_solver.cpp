#include "stiction/methods/mlcp/solvers/cr_solver.hpp"

#include "stiction/methods/mlcp/solvers/constraint_anticipation.hpp"
#include "stiction/methods/mlcp/solvers/cr_iteration.hpp"
#include "stiction/methods/mlcp/solvers/pyramid_friction.hpp"

namespace stiction::mlcp {
namespace {

SolverReport run_conjugate_residuals(const SolverTask& task, const SolverOptions& options, ContactSolution& solution,
                                     const VecX* elastic_residual = nullptr) {
    const SolverTask run{task.problem, task.constraints, task.preconditioner, options, {}, nullptr, elastic_residual};
    return CrIteration(run, solution).run();
}

/// Continues a solve whose friction does not reach a fixed point. Constraint anticipation solves Coulomb's law exactly,
/// contact by contact; conjugate residuals go on from what it leaves.
SolverReport fall_back(const SolverTask& task, SolverReport report, ContactSolution& solution) {
    const SolverOptions& options = task.options;
    SolverOptions anticipation = options;
    anticipation.max_iterations = options.fallback_iterations;
    anticipation.iterations_before += report.iterations;
    ContactSolution other = solution;
    const SolverReport fallback =
        solve_with_constraint_anticipation({task.problem, task.constraints, task.preconditioner, anticipation}, other);
    ++report.fallbacks;
    report.fallback_iterations += fallback.iterations;
    report.products += fallback.products;
    report.elastic_residual.resize(0);
    if (fallback.end == SolverEnd::converged) {
        solution = other;
        report.end = SolverEnd::converged;
        report.residual = fallback.residual;
        return report;
    }
    if (other.v.allFinite()) solution = other;
    SolverOptions rest = options;
    rest.max_iterations = options.max_iterations - report.iterations;
    rest.iterations_before += report.iterations;
    if (rest.friction_update == FrictionUpdate::exact) rest.friction_update = FrictionUpdate::newton;
    SolverReport again = run_conjugate_residuals(task, rest, solution);
    report.end = again.end;
    report.residual = again.residual;
    report.iterations += again.iterations;
    report.products += again.products;
    report.mode_switches += again.mode_switches;
    report.evaluations += again.evaluations;
    report.restarts += again.restarts;
    report.settled_changes += again.settled_changes;
    report.elastic_residual = std::move(again.elastic_residual);
    report.residuals.insert(report.residuals.end(), again.residuals.begin(), again.residuals.end());
    return report;
}

}  // namespace

SolverReport solve_with_conjugate_residuals(const SolverTask& task, ContactSolution& solution) {
    const bool pyramid = task.options.friction_update == FrictionUpdate::pyramid;
    if (pyramid) take_pyramid_form(task.problem, solution);
    // Constraint anticipation has the cone: its solutions are none of the pyramid.
    if (task.options.fallback_iterations == 0 || pyramid)
        return run_conjugate_residuals(task, task.options, solution, task.elastic_residual);
    SolverOptions first = task.options;
    first.max_iterations /= 4;
    first.max_settled_changes /= 4;
    SolverReport report = run_conjugate_residuals(task, first, solution, task.elastic_residual);
    if (report.end != SolverEnd::iteration_limit && report.end != SolverEnd::cycling) return report;
    return fall_back(task, std::move(report), solution);
}

}  // namespace stiction::mlcp
