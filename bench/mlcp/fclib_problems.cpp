// Contact problems of steps of scenes as files of the Friction Contact Library (FCLIB): written, read back, solved, and
// judged by the library's own error function.
//
//   fclib_problems SCENE.json... -o OUT [--count N] [--every STEPS...] [--solver cr|velocities|forces]
//
// `cr`: conjugate residuals; `velocities`, `forces`: the augmented Lagrangian over these unknowns.
// The problems are in velocities and impulses, as in the library's collection. A row of a table is a scene.
#include "scene_problems.hpp"

#include "stiction/base/parallel.hpp"

#include "methods/mlcp/fclib/fclib_format.hpp"
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

using namespace stiction;
using namespace stiction::mlcp;
using namespace stiction::test;
using namespace stiction::bench;

namespace {

/// Matrices are dense here.
constexpr Eigen::Index most_unknowns = 4000;

/// Tolerances of a solve: eps_1, of the momentum relative to |b|, and the part of the method's tolerance of rows.
struct Level {
    std::string name;
    double momentum, rows;
};
const Level levels[] = {{"The method's tolerances: momentum 5e-5 of |b|, rows eps_2 / 4 as a distance", 5e-5, 1.0},
                        {"Momentum 1e-8 of |b|, rows 1e-4 of eps_2 / 4", 1e-8, 1e-4},
                        {"Momentum 1e-10 of |b|, rows 1e-6 of eps_2 / 4", 1e-10, 1e-6}};

/// What came of the problems of one scene at one level.
struct Outcome {
    int factored = 0, helped = 0;
    std::vector<double> iterations;
    std::vector<double> errors, shares;  // of the problems that converged
    double other_error = 0.0;            // largest of the others
};

struct Row {
    std::string scene;
    int problems = 0;
    Eigen::Index unknowns = 0, fewest = 0, most = 0;
    std::vector<Outcome> outcomes{std::size(levels)};
};

/// Conjugate residuals as the method uses them: from rest, after a thousand iterations with a factor of A.
SolverReport solve(const RandomProblem& made, SolverOptions options, Outcome& outcome, ContactSolution& solution) {
    const ConstraintMatrix constraints(made.problem.matrix->nodes(), made.problem.contacts);
    const Preconditioner full(PreconditionerKind::full, made.matrix, constraints);
    solution = cold_start(made.problem);
    SolverOptions first = options;
    first.max_iterations = 1000;
    first.fallback_iterations = 0;
    SolverReport report = solve_with(SolverKind::cr, {made.problem, constraints, full, first}, solution);
    int iterations = report.iterations;
    if (report.end != SolverEnd::converged) {
        ++outcome.factored;
        const Eigen::LLT<Eigen::MatrixXd> factor(made.dense);
        const auto by_factor = [&](const VecX& r, VecX& x) { x = factor.solve(r); };
        const Preconditioner factorised(PreconditionerKind::factorised, made.matrix, constraints, by_factor);
        report = solve_with(SolverKind::cr, {made.problem, constraints, factorised, options}, solution);
        iterations += report.iterations;
        if (report.fallbacks > 0) ++outcome.helped;
    }
    outcome.iterations.push_back(iterations);
    return report;
}

/// The augmented Lagrangian from rest; an iteration is a factorisation, so that it gets fewer.
SolverReport solve_directly(const RandomProblem& made, SolverOptions options, bool over_forces, Outcome& outcome,
                            ContactSolution& solution) {
    const ConstraintMatrix constraints(made.problem.matrix->nodes(), made.problem.contacts);
    const Preconditioner full(PreconditionerKind::full, made.matrix, constraints);
    const Eigen::LLT<Eigen::MatrixXd> factor(made.dense);
    const auto by_factor = [&](const VecX& r, VecX& x) { x = factor.solve(r); };
    options.max_iterations = 300;
    ContactResponses responses;
    if (over_forces) responses.update(made.matrix.nodes(), made.problem.contacts, by_factor);
    solution = cold_start(made.problem);
    const SolverReport report =
        solve_with(SolverKind::augmented_lagrangian,
                   {made.problem, constraints, full, options, by_factor, over_forces ? &responses : nullptr}, solution);
    outcome.iterations.push_back(report.iterations);
    return report;
}

bool same(const DenseProblem& a, const DenseProblem& b) {
    return a.A == b.A && a.L == b.L && a.b == b.b && a.c == b.c && a.friction == b.friction;
}

/// Writes a problem, reads it back, solves it at every level and has the library judge the forces.
void judge(const StepProblem& posed, const std::string& path, const std::string& solver, Row& row) {
    for (const ContactConstraint& contact : posed.problem().contacts)
        if (contact.kinetic_ratio != 1.0) throw std::runtime_error("FCLIB has one coefficient of friction a contact");
    const DenseProblem dense =
        in_velocities(make_dense(posed.problem(), dense_matrix(*posed.problem().matrix)), posed.h());
    std::filesystem::remove(path);
    write_fclib(dense, path);
    const DenseProblem read = read_fclib(path);
    if (!same(read, dense)) throw std::runtime_error(path + " holds another problem than was written");
    const auto made = to_contact_problem(read);
    const LocalProblem local = local_form(read);
    const double without_forces = fclib_error(local, Eigen::VectorXd::Zero(local.q.size()));
    for (std::size_t level = 0; level < std::size(levels); ++level) {
        SolverOptions options;
        options.tolerance = levels[level].momentum;
        options.distance_tolerance = levels[level].rows * 0.25 * posed.distance_tolerance() / posed.h();
        options.max_iterations = 10000;
        ContactSolution solution;
        Outcome& outcome = row.outcomes[level];
        const SolverReport report = solver == "cr"
                                        ? solve(*made, options, outcome, solution)
                                        : solve_directly(*made, options, solver == "forces", outcome, solution);
        const Eigen::VectorXd f = forces_of(solution);
        const double error = fclib_error(local, f);
        if (report.end == SolverEnd::converged) {
            outcome.errors.push_back(error);
            outcome.shares.push_back(error / without_forces);
        } else {
            outcome.other_error = std::max(outcome.other_error, error);
        }
        if (level + 1 == std::size(levels)) write_fclib_solution(read, solution.v, f, path);
    }
    ++row.problems;
    row.unknowns = std::max(row.unknowns, read.A.rows());
    row.fewest = row.problems == 1 ? read.contacts() : std::min(row.fewest, read.contacts());
    row.most = std::max(row.most, read.contacts());
}

Row problems_of(const std::string& path, const std::string& folder, int count, int every, const std::string& solver) {
    Row row;
    row.scene = scene_name(path);
    for_each_problem(path, count, every, [&](StepProblem& posed, int step) {
        if (posed.problem().rhs.size() > most_unknowns)
            throw std::runtime_error(fmt::format("{}: more than {} unknowns", path, most_unknowns));
        judge(posed, fmt::format("{}/{}_{}.hdf5", folder, row.scene, step), solver, row);
    });
    return row;
}

double median(std::vector<double> x) {
    if (x.empty()) return 0.0;
    std::sort(x.begin(), x.end());
    return x[x.size() / 2];
}

double largest(const std::vector<double>& x) {
    return x.empty() ? 0.0 : *std::max_element(x.begin(), x.end());
}

constexpr const char* head =
    "| scene | problems | unknowns, at most | contacts | converged | went on with a factor of A "
    "| helped by constraint anticipation | iterations, median | FCLIB error of the converged, largest | median "
    "| over that without forces, largest | FCLIB error of the others, largest |\n";

void print(const std::vector<Row>& rows, std::size_t level) {
    std::printf("## %s\n\n%s|---|---|---|---|---|---|---|---|---|---|---|---|\n", levels[level].name.c_str(), head);
    int problems = 0;
    std::vector<double> errors, shares;
    for (const Row& row : rows) {
        if (row.problems == 0) continue;
        const Outcome& outcome = row.outcomes[level];
        std::printf("| %s | %d | %d | %d to %d | %zu | %d | %d | %.0f | %.1e | %.1e | %.1e | %s |\n", row.scene.c_str(),
                    row.problems, static_cast<int>(row.unknowns), static_cast<int>(row.fewest),
                    static_cast<int>(row.most), outcome.errors.size(), outcome.factored, outcome.helped,
                    median(outcome.iterations), largest(outcome.errors), median(outcome.errors),
                    largest(outcome.shares),
                    outcome.other_error > 0.0 ? fmt::format("{:.1e}", outcome.other_error).c_str() : "");
        problems += row.problems;
        errors.insert(errors.end(), outcome.errors.begin(), outcome.errors.end());
        shares.insert(shares.end(), outcome.shares.begin(), outcome.shares.end());
    }
    std::printf(
        "\n%d problems, %zu converged; of these the largest error %.1e, the median %.1e, at most %.1e of that without "
        "forces\n\n",
        problems, errors.size(), largest(errors), median(errors), largest(shares));
}

}  // namespace

int main(int argc, char** argv) try {
    std::vector<std::string> scenes;
    std::string folder;
    std::vector<int> every{5};
    int count = 15;
    CLI::App app{"Contact problems of scenes in the format of FCLIB, solved and judged"};
    app.add_option("SCENE", scenes, "scene files")->required()->check(CLI::ExistingFile);
    app.add_option("-o,--output", folder, "folder of the problems")->required();
    app.add_option("--count", count, "problems of a scene")->check(CLI::PositiveNumber);
    app.add_option("--every", every, "steps from one problem to the next: one number, or one a scene")
        ->check(CLI::PositiveNumber);
    std::string solver = "cr";
    app.add_option("--solver", solver, "conjugate residuals, or the augmented Lagrangian over velocities or forces")
        ->check(CLI::IsMember({"cr", "velocities", "forces"}));
    CLI11_PARSE(app, argc, argv);
    set_thread_count(1);
    std::filesystem::create_directories(folder);
    std::vector<Row> rows;
    const std::vector<int> steps = intervals(every, scenes.size());
    for (std::size_t k = 0; k < scenes.size(); ++k)
        rows.push_back(problems_of(scenes[k], folder, count, steps[k], solver));
    for (std::size_t level = 0; level < std::size(levels); ++level) print(rows, level);
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "fclib_problems: %s\n", error.what());
    return 1;
}
