// Ten thousand random contact problems, plain and degenerate, through conjugate residuals and their rivals: how many
// are solved, and whether any is called solved that is not.
//
//   random_problems [--count N] > bench/results/mlcp_random.md
#include "stiction/methods/mlcp/solvers/contact_solver.hpp"

#include "methods/mlcp/random_survey.hpp"
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>

using namespace stiction;
using namespace stiction::mlcp;
using namespace stiction::test;

namespace {

constexpr int max_iterations = 5000;
constexpr Degeneracy degeneracies[] = {Degeneracy::none, Degeneracy::duplicates, Degeneracy::rank_deficient,
                                       Degeneracy::extreme_masses, Degeneracy::contradictory};

Solver with_fallback(int iterations) {
    return [iterations](RandomProblem& made, const ConstraintMatrix& constraints, const SolverOptions& options,
                        ContactSolution& solution) {
        SolverOptions other = options;
        other.fallback_iterations = iterations;
        return conjugate_residuals(PreconditionerKind::full)(made, constraints, other, solution);
    };
}

/// `over_forces`: the augmented Lagrangian with forces as unknowns.
Solver rival(SolverKind kind, bool over_forces = false) {
    return [kind, over_forces](RandomProblem& made, const ConstraintMatrix& constraints, const SolverOptions& options,
                               ContactSolution& solution) -> SolverReport {
        const Eigen::LLT<Eigen::MatrixXd> factor(made.dense);
        SolverOptions short_options = options;
        short_options.max_iterations = kind == SolverKind::ica ? 1000 : options.max_iterations;
        const Preconditioner preconditioner(PreconditionerKind::diagonal, made.matrix, constraints);
        const auto solve = [&](const VecX& r, VecX& x) { x = factor.solve(r); };
        ContactResponses responses;
        if (over_forces) responses.update(made.matrix.nodes(), made.problem.contacts, solve);
        return solve_with(
            kind, {made.problem, constraints, preconditioner, short_options, solve, over_forces ? &responses : nullptr},
            solution);
    };
}

std::string row(const ProblemClass& problems, const Survey& found) {
    const auto ends = [&](SolverEnd end) { return found.ends[static_cast<std::size_t>(end)]; };
    const std::string fraction = found.solvable == 0 ? "-" : fmt::format("{:.1f} %", 100.0 * found.fraction());
    return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {:.0f} | {:.2f} |\n", problems.name(), found.problems,
                       fraction, found.converged, found.false_converged + found.impossible + found.different,
                       ends(SolverEnd::over_constrained), ends(SolverEnd::iteration_limit),
                       ends(SolverEnd::cycling) + ends(SolverEnd::stagnation),
                       static_cast<double>(found.iterations) / found.problems, 1e3 * found.seconds / found.problems);
}

/// All classes through one solver.
std::string table(const std::string& title, int count, Existence existence, const Solver& solve, bool all_starts,
                  Survey& total) {
    std::string text = fmt::format(
        "\n## {}\n\n| problems | number | solved of the solvable | converged | not a solution | over-constrained | "
        "limit | cycling or stagnation | mean iterations | mean ms |\n"
        "|---|---|---|---|---|---|---|---|---|---|\n",
        title);
    for (const bool frictionless : {true, false}) {
        for (const auto degeneracy : degeneracies) {
            for (const auto targets : {Targets::at_rest, Targets::planted, Targets::feasible}) {
                if (degeneracy == Degeneracy::contradictory && targets != Targets::feasible) continue;
                for (const bool wrong : {false, true}) {
                    if (wrong && (!all_starts || targets != Targets::at_rest)) continue;
                    const ProblemClass problems{degeneracy, targets, frictionless, wrong};
                    const Survey found = survey(problems, 0, count, max_iterations, existence, solve);
                    text += row(problems, found);
                    total.problems += found.problems;
                    total.converged += found.converged;
                    total.false_converged += found.false_converged + found.impossible + found.different;
                    if (!found.first_fault.empty())
                        std::fprintf(stderr, "%s: %s\n", title.c_str(), found.first_fault.c_str());
                    std::fprintf(stderr, ".");
                }
            }
        }
    }
    return text;
}

}  // namespace

int main(int argc, char** argv) {
    int count = 300;
    CLI::App app{"Random contact problems through conjugate residuals and their rivals; prints Markdown tables"};
    app.add_option("--count", count, "problems of a class, of which the rivals get a tenth")
        ->check(CLI::PositiveNumber);
    CLI11_PARSE(app, argc, argv);
    set_thread_count(1);
    Survey total;
    std::string text = table("Conjugate residuals, Full", count, Existence::by_reference,
                             with_fallback(SolverOptions{}.fallback_iterations), true, total);
    const auto direct = SolverKind::augmented_lagrangian;
    Survey newton;
    text += table("Augmented Lagrangian over velocities", count, Existence::by_class, rival(direct), true, newton);
    text += table("Augmented Lagrangian over forces", count, Existence::by_class, rival(direct, true), true, newton);
    Survey others;
    const int few = std::max(1, count / 10);
    text += table("The same without the fallback on constraint anticipation", few, Existence::by_class,
                  with_fallback(0), false, others);
    for (const auto& name : solver_names()) {
        if (name != "cr" && solver_from_name(name) != direct)
            text += table(name, few, Existence::by_class, rival(solver_from_name(name)), false, others);
    }
    std::printf(
        "# Random contact problems\n\n"
        "Problems of `random_problems`: 1 to 12 elastic nodes and up to two rigid bodies, 1 to 64 contacts of one to "
        "four "
        "nodes, a quarter of them without friction, the others with "
        "mu from 0.05 to 1; residual 1e-7 of the momentum, distances 1e-8 m, at most 5000 iterations (1000 of ica). "
        "*At rest*: v = 0 satisfies every row; *planted*: made from a solution; *feasible*: "
        "some velocity satisfies the normal rows. Solvable: by construction or, without friction, because the dual "
        "active-set method says so; *feasible* ones with friction, those that the dense "
        "Gauss-Seidel solves in 1000 sweeps (first table; not counted in the others). *Not a solution*: called "
        "converged, but off by dense residuals, or no solution exists, or another velocity than the active-set "
        "method's.\n\n"
        "First table: %d problems, %d converged, %d of these not a solution. Augmented Lagrangian: %d problems, %d "
        "converged, %d not a solution. Others: %d problems, %d converged, %d not a solution.\n%s",
        total.problems, total.converged, total.false_converged, newton.problems, newton.converged,
        newton.false_converged, others.problems, others.converged, others.false_converged, text.c_str());
    return total.false_converged + newton.false_converged + others.false_converged == 0 ? 0 : 1;
}
