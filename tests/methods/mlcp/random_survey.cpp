#include "methods/mlcp/random_survey.hpp"

#include "stiction/base/timer.hpp"

#include <fmt/format.h>

namespace stiction::test {
namespace {

/// (v - v*) . A (v - v*) = (v - v*) . r + (u - u*) . (f - f*): the residual r, and what u . f, -u . f* and -u* . f may
/// be within the tolerances, bound the error.
bool agrees(const DenseProblem& problem, const Eigen::VectorXd& v, const Eigen::VectorXd& f,
            const FrictionlessReference& reference) {
    const Eigen::VectorXd error = v - reference.v;
    const Eigen::VectorXd residual = problem.b + problem.L.transpose() * f - problem.A * v;
    const double of_residual = std::sqrt(residual.dot(problem.A.llt().solve(residual)));
    double of_rows = judged_distance * reference.multipliers.lpNorm<1>();
    for (Eigen::Index k = 0; k < problem.contacts(); ++k) {
        const auto row = problem.L.row(3 * k);
        const double gap = std::abs(row.dot(v) - problem.c[3 * k]),
                     other_gap = std::abs(row.dot(reference.v) - problem.c[3 * k]);
        of_rows += judged_distance * (std::abs(f[3 * k]) + (gap + other_gap) / problem.compliance[3 * k]);
    }
    return std::sqrt(error.dot(problem.A * error)) <= 1.01 * (of_residual + std::sqrt(of_rows));
}

Faults larger(const Faults& a, const Faults& b) {
    return {std::max(a.momentum, b.momentum), std::max(a.penetration, b.penetration),
            std::max(a.pull, b.pull),         std::max(a.complementarity, b.complementarity),
            std::max(a.cone, b.cone),         std::max(a.dissipation, b.dissipation),
            std::max(a.turn, b.turn)};
}

std::string describe(const Faults& faults) {
    return fmt::format(
        "momentum {:.1e}, penetration {:.1e}, pull {:.1e}, complementarity {:.1e}, cone {:.1e}, dissipation {:.1e}, "
        "turn {:.1e}",
        faults.momentum, faults.penetration, faults.pull, faults.complementarity, faults.cone, faults.dissipation,
        faults.turn);
}

}  // namespace

std::string ProblemClass::name() const {
    static const char* const degeneracies[] = {"plain", "duplicates", "rank deficient", "contradictory",
                                               "extreme masses"};
    static const char* const kinds[] = {"at rest", "planted", "feasible"};
    return fmt::format("{}, {}{}{}", degeneracies[static_cast<int>(degeneracy)], kinds[static_cast<int>(targets)],
                       frictionless ? ", frictionless" : "", wrong_start ? ", wrong start" : "");
}

Solver conjugate_residuals(PreconditionerKind kind) {
    return [kind](RandomProblem& made, const ConstraintMatrix& constraints, const SolverOptions& options,
                  ContactSolution& solution) {
        const Preconditioner preconditioner(kind, made.matrix, constraints);
        return solve_with_conjugate_residuals({made.problem, constraints, preconditioner, options}, solution);
    };
}

Survey survey(const ProblemClass& problems, int first, int count, int max_iterations, Existence existence,
              const Solver& solve) {
    Survey found;
    found.problems = count;
    SolverOptions options;
    options.tolerance = survey_tolerance;
    options.distance_tolerance = survey_distance;
    options.max_iterations = max_iterations;
    for (int seed = first; seed < first + count; ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        const auto made = random_problem(random, problems.degeneracy, problems.targets, problems.frictionless);
        ContactSolution solution =
            problems.wrong_start ? wrong_start(random, made->problem) : cold_start(made->problem);
        const ConstraintMatrix constraints(made->matrix.nodes(), made->problem.contacts);
        const double start = now_seconds();
        const SolverReport report = solve(*made, constraints, options, solution);
        found.seconds += now_seconds() - start;
        found.iterations += report.iterations;
        ++found.ends[static_cast<std::size_t>(report.end)];
        const DenseProblem dense = make_dense(made->problem, made->dense);
        const bool converged = report.end == SolverEnd::converged;
        bool exists = problems.degeneracy != Degeneracy::contradictory &&
                      (problems.frictionless || problems.targets != Targets::feasible);
        std::string fault;
        if (converged) {
            const Faults faults = find_faults(dense, solution.v, forces_of(solution), judged_slip);
            found.worst = larger(found.worst, faults);
            if (!faults.within(1.01 * survey_tolerance, judged_distance, judged_turn)) {
                ++found.false_converged;
                fault = describe(faults);
            }
            if (problems.degeneracy == Degeneracy::contradictory) {
                ++found.impossible;
                fault = "no velocity satisfies all rows";
            }
        }
        if (existence == Existence::by_reference) {
            if (problems.frictionless) {
                const FrictionlessReference reference = solve_frictionless(dense);
                exists = reference.feasible;
                if (converged && exists && !agrees(dense, solution.v, forces_of(solution), reference)) {
                    ++found.different;
                    fault = "another velocity than the reference's";
                }
            } else if (!exists && problems.degeneracy != Degeneracy::contradictory) {
                exists = solve_frictional(dense, survey_distance, 1000).solved;
            }
        }
        found.converged += converged ? 1 : 0;
        if (existence != Existence::unknown && exists) {
            ++found.solvable;
            found.solved_solvable += converged ? 1 : 0;
        }
        if (!fault.empty() && found.first_fault.empty())
            found.first_fault = fmt::format("{}, seed {}: {}", problems.name(), seed, fault);
    }
    return found;
}

}  // namespace stiction::test
