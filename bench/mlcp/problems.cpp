// Contact problems of steps of scenes under variants of conjugate residuals.
//
//   mlcp_problems duplicates SCENE.json... [--count N] [--every STEPS...]   with and without scaling for duplicates
//   mlcp_problems minres SCENE.json...                                   MINRES in place of conjugate residuals
//
// A problem is solved from rest, at the tolerances of the method and without help. A row of a table is a scene.
#include "fixed_system.hpp"
#include "scene_problems.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/methods/mlcp/solvers/contact_solver.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

using namespace stiction;
using namespace stiction::mlcp;
using namespace stiction::bench;

namespace {

constexpr int most_iterations = 10000;

double mean(const std::vector<double>& x) {
    double sum = 0.0;
    for (const double value : x) sum += value;
    return x.empty() ? 0.0 : sum / static_cast<double>(x.size());
}

double median(std::vector<double> x) {
    if (x.empty()) return 0.0;
    std::sort(x.begin(), x.end());
    return x[x.size() / 2];
}

/// Iterations of the solves that converged, and the number of the others.
struct Iterations {
    std::vector<double> converged;
    int others = 0;
    void add(int iterations, bool has_converged) {
        if (has_converged)
            converged.push_back(iterations);
        else
            ++others;
    }
    std::string text() const {
        if (converged.empty()) return fmt::format("-, {} not", others);
        std::string cell = fmt::format("{:.0f} ({:.0f})", mean(converged), median(converged));
        return others == 0 ? cell : cell + fmt::format(", {} not", others);
    }
};

/// Conjugate residuals from rest; the active set is left in `solution`.
SolverReport solve(const test::StepProblem& posed, const ContactProblem& problem, PreconditionerKind kind,
                   ContactSolution& solution) {
    const ConstraintMatrix constraints(problem.matrix->nodes(), problem.contacts);
    const Preconditioner preconditioner(kind, *problem.matrix, constraints);
    SolverOptions options;
    options.distance_tolerance = 0.25 * posed.distance_tolerance();
    options.max_iterations = most_iterations;
    options.fallback_iterations = 0;
    solution = {VecX::Zero(problem.rhs.size()), std::vector<ContactUnknowns>(problem.contacts.size())};
    return solve_with(SolverKind::cr, {problem, constraints, preconditioner, options}, solution);
}

void duplicates(const std::vector<std::string>& scenes, int count, const std::vector<int>& every) {
    std::printf(
        "| scene | problems | contacts, mean | Z, mean and largest | `full`: with Z | without | `diagonal`: with Z | "
        "without |\n|---|---|---|---|---|---|---|---|\n");
    for (std::size_t scene = 0; scene < scenes.size(); ++scene) {
        std::vector<double> contacts, counted;
        Iterations found[2][2];
        const int problems = for_each_problem(scenes[scene], count, every[scene], [&](test::StepProblem& posed, int) {
            ContactProblem plain = posed.problem();
            for (ContactConstraint& contact : plain.contacts) {
                counted.push_back(contact.duplicates);
                contact.duplicates = 1.0;
            }
            contacts.push_back(static_cast<double>(plain.contacts.size()));
            for (int kind = 0; kind < 2; ++kind) {
                for (int without = 0; without < 2; ++without) {
                    ContactSolution solution;
                    const SolverReport report =
                        solve(posed, without == 0 ? posed.problem() : plain,
                              kind == 0 ? PreconditionerKind::full : PreconditionerKind::diagonal, solution);
                    found[kind][without].add(report.iterations, report.end == SolverEnd::converged);
                }
            }
        });
        const double most = counted.empty() ? 0.0 : *std::max_element(counted.begin(), counted.end());
        std::printf("| %s | %d | %.0f | %.1f, %.1f | %s | %s | %s | %s |\n", scene_name(scenes[scene]).c_str(),
                    problems, mean(contacts), mean(counted), most, found[0][0].text().c_str(),
                    found[0][1].text().c_str(), found[1][0].text().c_str(), found[1][1].text().c_str());
        std::fflush(stdout);
    }
}

void minres(const std::vector<std::string>& scenes, int count, const std::vector<int>& every) {
    const double shares[] = {1.0, 1e-3};  // of the tolerances
    std::printf(
        "| scene | problems | rows, mean | CR, `diagonal` | MINRES, `diagonal` | CR, `full` | tolerances / 1000: CR, "
        "`diagonal` | MINRES, `diagonal` | CR, `full` |\n|---|---|---|---|---|---|---|---|---|\n");
    for (std::size_t scene = 0; scene < scenes.size(); ++scene) {
        std::vector<double> rows;
        Iterations found[2][3];
        const int problems = for_each_problem(scenes[scene], count, every[scene], [&](test::StepProblem& posed, int) {
            const ContactProblem& problem = posed.problem();
            const ConstraintMatrix constraints(problem.matrix->nodes(), problem.contacts);
            const Preconditioner diagonal(PreconditionerKind::diagonal, *problem.matrix, constraints);
            const Preconditioner full(PreconditionerKind::full, *problem.matrix, constraints);
            const FixedSystem by_diagonal(problem, constraints, diagonal, posed.solution());
            const FixedSystem by_full(problem, constraints, full, posed.solution());
            rows.push_back(3.0 * posed.closed());
            for (int level = 0; level < 2; ++level) {
                const auto solved = [&](const VecX& r) {
                    return by_full.solved(r, shares[level] * 5e-5, shares[level] * 0.25 * posed.distance_tolerance());
                };
                const int products[] = {conjugate_residuals(by_diagonal, most_iterations, solved),
                                        minimal_residuals(by_diagonal, most_iterations, solved),
                                        conjugate_residuals(by_full, most_iterations, solved)};
                for (int k = 0; k < 3; ++k) found[level][k].add(products[k], products[k] >= 0);
            }
        });
        std::printf("| %s | %d | %.0f |", scene_name(scenes[scene]).c_str(), problems, mean(rows));
        for (const auto& level : found)
            for (const Iterations& cell : level) std::printf(" %s |", cell.text().c_str());
        std::printf("\n");
        std::fflush(stdout);
    }
}

}  // namespace

int main(int argc, char** argv) try {
    std::string what;
    std::vector<std::string> scenes;
    std::vector<int> every{5};
    int count = 15;
    CLI::App app{"Contact problems of scenes under variants of conjugate residuals; prints a Markdown table"};
    app.add_option("WHAT", what, "duplicates or minres")->required()->check(CLI::IsMember({"duplicates", "minres"}));
    app.add_option("SCENE", scenes, "scene files")->required()->check(CLI::ExistingFile);
    app.add_option("--count", count, "problems of a scene")->check(CLI::PositiveNumber);
    app.add_option("--every", every, "steps from one problem to the next: one number, or one a scene")
        ->check(CLI::PositiveNumber);
    CLI11_PARSE(app, argc, argv);
    set_thread_count(1);
    (what == "duplicates" ? duplicates : minres)(scenes, count, intervals(every, scenes.size()));
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "mlcp_problems: %s\n", error.what());
    return 1;
}
