// Table 1 of Verschoor and Jalba (2019): contact solvers on the same steps, from a checkpoint with the contact formed.
//
//   mlcp_table RUN [--steps N] [--solver NAME[:PRECONDITIONER]]... [--limit SECONDS] [--step H] [--threads N]
//   [--help-out] [--trace] [--set KEY=VALUE]... [--variant NAME=VALUE]... [--residuals FILE]
//
// RUN is the folder of a run of `stiction run --method mlcp`. Every solver starts from its checkpoint and goes its own
// way; one line of a Markdown table each. Products and sweeps are those of SolverReport. Set-up, a part of the
// resolution: what pgs takes to make its Delassus operator.
#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/methods/mlcp/method.hpp"
#include "stiction/output/checkpoint.hpp"
#include "stiction/output/run_directory.hpp"
#include "stiction/scene/compile.hpp"
#include "stiction/scene/parse.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <functional>
#include <stdexcept>

using namespace stiction;
using namespace stiction::mlcp;

namespace {

struct Series {
    std::vector<double> iterations, products, sweeps, constraints, solve, setup, collision, solves, switches,
        evaluations, restarts, settled_changes;
    double normal = 0.0, sticking = 0.0, sliding = 0.0;
    int fallbacks = 0;
    std::string end = "done";
};

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

/// A member of Variants with the range of its values.
struct VariantField {
    std::string name;
    double least, most;
    bool whole;
    std::function<void(Variants&, double)> set;
};

const std::vector<VariantField>& variant_fields() {
    constexpr double many = 1e6;
    static const std::vector<VariantField> fields{
        {"back_off", 0, 1, true, [](Variants& v, double x) { v.back_off = x != 0.0; }},
        {"early_tolerance", 1, many, false, [](Variants& v, double x) { v.early_tolerance = x; }},
        {"restart_growth", 0, many, false, [](Variants& v, double x) { v.restart_growth = x; }},
        {"evaluations", 0, many, true, [](Variants& v, double x) { v.evaluations = static_cast<int>(x); }},
        {"minres", 0, 1, true, [](Variants& v, double x) { v.minres = x != 0.0; }},
        {"carry_momentum", 0, 1, true, [](Variants& v, double x) { v.carry_momentum = x != 0.0; }},
        {"hand_over", 0, 1, true, [](Variants& v, double x) { v.hand_over = x != 0.0; }},
        {"sweeps", 1, many, true, [](Variants& v, double x) { v.sweeps = static_cast<int>(x); }}};
    return fields;
}

[[noreturn]] void refuse(const std::string& option, const std::string& name, const std::vector<std::string>& names) {
    const std::string nearest = nearest_name(name, names);
    throw std::runtime_error(fmt::format("{}: {}: expected one of {}{}", option, name, fmt::join(names, ", "),
                                         nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest)));
}

/// Sets a member of Variants from NAME=VALUE; 1 without a value.
void set_variant(const std::string& text, Variants& variants) {
    const auto equals = text.find('=');
    const std::string name = text.substr(0, equals), word = equals == std::string::npos ? "1" : text.substr(equals + 1);
    std::vector<std::string> names;
    for (const VariantField& field : variant_fields()) {
        names.push_back(field.name);
        if (field.name != name) continue;
        double value = 0.0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        const bool fits = error == std::errc() && end == word.data() + word.size() && value >= field.least &&
                          value <= field.most && (!field.whole || value == std::floor(value));
        if (!fits)
            throw std::runtime_error(fmt::format("--variant {}: expected {} from {} to {}", text,
                                                 field.whole ? "a whole number" : "a number", field.least, field.most));
        field.set(variants, value);
        return;
    }
    refuse("--variant", name, names);
}

/// Solver and preconditioner from SOLVER[:PRECONDITIONER].
void set_solver(const std::string& text, Options& options) {
    const auto colon = text.find(':');
    const std::string solver = text.substr(0, colon);
    const auto has = [](const std::vector<std::string>& names, const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (!has(solver_choices(), solver)) refuse("--solver", solver, solver_choices());
    options.solver = solver_from_choice(solver);
    if (colon == std::string::npos) return;
    const std::string kind = text.substr(colon + 1);
    if (!has(preconditioner_names(), kind)) refuse("--solver", kind, preconditioner_names());
    options.preconditioner = preconditioner_from_name(kind);
}

/// For numbers of the command line: CLI11's own checks let NaN through.
std::string check_number(const std::string& word, double most, bool whole) {
    double value = 0.0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool fits = error == std::errc() && end == word.data() + word.size() && value >= 0.0 && value <= most &&
                      (!whole || word.find_first_not_of("0123456789") == std::string::npos);
    return fits ? "" : fmt::format("{}: expected a {}number from 0 to {}", word, whole ? "whole " : "", most);
}

std::string check_count(const std::string& word) {
    return check_number(word, 1e9, true);
}

std::string check_threads(const std::string& word) {
    return check_number(word, 4096, true);
}

std::string check_seconds(const std::string& word) {
    return check_number(word, 1e9, false);
}

/// Adds the reports of the contact problems of a step, and writes their residuals.
void add_solves(const std::vector<SolverReport>& solves, int step, std::FILE* residuals, Series& series) {
    double evaluations = 0.0, restarts = 0.0, settled_changes = 0.0, products = 0.0, sweeps = 0.0;
    int number = 0;
    for (const SolverReport& solve : solves) {
        evaluations += solve.evaluations;
        products += solve.products;
        sweeps += solve.sweeps;
        restarts += solve.restarts;
        settled_changes += solve.settled_changes;
        ++number;
        int iteration = 0;
        for (const ResidualSample& sample : solve.residuals)
            if (residuals != nullptr)
                std::fprintf(residuals, "%d,%d,%d,%.4g,%.4g,%d\n", step, number, ++iteration, sample.momentum,
                             sample.rows, sample.restarted ? 1 : 0);
    }
    series.evaluations.push_back(evaluations);
    series.products.push_back(products);
    series.sweeps.push_back(sweeps);
    series.restarts.push_back(restarts);
    series.settled_changes.push_back(settled_changes / std::max<double>(1.0, static_cast<double>(solves.size())));
}

Series run(const World& world, State state, const Options& options, double h, int steps, double limit, bool trace,
           std::FILE* residuals) {
    Series series;
    Mlcp mlcp(options);
    mlcp.record_residuals(residuals != nullptr);
    double seconds = 0.0;
    for (int step = 0; step < steps; ++step) {
        StepResult result;
        mlcp.step(world, state, schedule(world, state, h), result);
        if (trace) {
            std::printf("step %d:", step + 1);
            for (const IterationTrace& solve : result.report.trace)
                std::printf(" %d/%d", solve.line_search, solve.contacts);
            std::printf("\n");
        }
        if (!is_accepted(result.report.status)) {
            series.end = fmt::format("step {}: {}", step + 1, result.report.cause);
            if (result.report.complementarity) {
                const ComplementarityReport& left = *result.report.complementarity;
                series.end +=
                    fmt::format("; left: momentum {:.1e}, normal {:.1e}, sticking {:.1e}, sliding {:.1e}",
                                left.momentum_error, left.normal_error, left.sticking_error, left.sliding_error);
            }
            break;
        }
        const ComplementarityReport& contact = *result.report.complementarity;
        add_solves(mlcp.solves(), step + 1, residuals, series);
        series.iterations.push_back(result.report.iterations);
        series.constraints.push_back(contact.constraints);
        series.solves.push_back(contact.solves);
        series.switches.push_back(contact.mode_switches);
        series.solve.push_back(1e-3 * result.report.phases_ms.at("solve"));
        series.setup.push_back(contact.setup_seconds);
        series.collision.push_back(1e-3 * result.report.phases_ms.at("collision"));
        series.normal = std::max(series.normal, contact.normal_error);
        series.sticking = std::max(series.sticking, contact.sticking_error);
        series.sliding = std::max(series.sliding, contact.sliding_error);
        series.fallbacks += contact.fallbacks;
        seconds += 1e-3 * result.report.milliseconds;
        state = result.state;
        if (seconds > limit) {
            series.end = fmt::format("{} steps in {:.0f} s", step + 1, seconds);
            break;
        }
    }
    return series;
}

}  // namespace

int main(int argc, char** argv) try {
    std::string folder;
    std::vector<std::string> solvers{"cr:full", "cr:diagonal", "cr:block", "ica", "sp_active_set", "sp"};
    int steps = 50;
    double limit = 120.0;
    CLI::App app{"Contact solvers on the same steps"};
    app.add_option("RUN", folder, "folder of a run with a checkpoint")->required();
    app.add_option("--steps", steps, "steps of each solver")->check(check_count);
    app.add_option("--solver", solvers, "auto, a solver, or cr:preconditioner");
    app.add_option("--limit", limit, "seconds after which a solver is stopped")->check(check_seconds);
    bool trace = false;
    double step = 0.0;
    bool helped = false;
    app.add_flag(
        "--help-out", helped,
        "constraint anticipation and a factor of A help where conjugate residuals come to no end, as in scenes");
    int threads = 1;
    app.add_option("--step", step, "step size in s; 0: the scene's")->check(check_seconds);
    app.add_option("--threads", threads, "number of threads; 0: all cores")->check(check_threads);
    app.add_flag("--trace", trace, "print iterations/rows of every solve");
    std::vector<std::string> overrides, variants;
    std::string residual_file;
    app.add_option("--set", overrides, "replace one value of the scene: KEY=VALUE")->allow_extra_args(false);
    app.add_option("--variant", variants, "of cr, see Variants in solver_task.hpp: NAME=VALUE")
        ->allow_extra_args(false);
    app.add_option("--residuals", residual_file,
                   "write step, solve, iteration, residuals of momentum and rows over their tolerances, restart");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 1;  // 0: --help
    }
    set_thread_count(threads);
    const RunDirectory directory{folder};
    const CompiledScene scene = compile_scene(parse_scene(directory.scene(), overrides));
    std::vector<Options> choices;
    for (const std::string& name : solvers) {
        Options& options = choices.emplace_back(scene.spec.mlcp);
        for (const std::string& variant : variants) set_variant(variant, options.variants);
        set_solver(name, options);
        if (!helped && options.solver) options.fallback_iterations = options.factorise_after = 0;
    }
    std::FILE* residuals = residual_file.empty() ? nullptr : std::fopen(residual_file.c_str(), "w");
    if (!residual_file.empty() && residuals == nullptr)
        throw std::runtime_error(fmt::format("--residuals {}: expected a file that can be written", residual_file));
    if (residuals != nullptr) std::fprintf(residuals, "step,solve,iteration,momentum,rows,restarted\n");
    const State state = read_checkpoint(directory.checkpoint(), scene.world);
    std::printf("%d vertices, checkpoint at %.6g s\n\n", static_cast<int>(scene.world.vertex_count()), state.t);
    std::printf(
        "| solver | steps | iterations mean (median) | products | sweeps | constraints | resolution s | "
        "of it set-up s | collision s | solves | switches | evaluations | restarts | settled changes a solve | helped "
        "| normal | sticking | sliding | "
        "end |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (std::size_t k = 0; k < solvers.size(); ++k) {
        const std::string& name = solvers[k];
        const Options& options = choices[k];
        const Series s =
            run(scene.world, state, options, step > 0.0 ? step : scene.spec.time.step, steps, limit, trace, residuals);
        std::printf(
            "| %s | %zu | %.0f (%.0f) | %.0f | %.1f | %.0f | %.3f | %.3f | %.3f | %.1f | %.0f | %.0f | %.0f | %.1f | "
            "%d | "
            "%.1e | "
            "%.1e | %.1e | %s |\n",
            name.c_str(), s.iterations.size(), mean(s.iterations), median(s.iterations), mean(s.products),
            mean(s.sweeps), mean(s.constraints), mean(s.solve), mean(s.setup), mean(s.collision), mean(s.solves),
            mean(s.switches), mean(s.evaluations), mean(s.restarts), mean(s.settled_changes), s.fallbacks, s.normal,
            s.sticking, s.sliding, s.end.c_str());
        std::fflush(stdout);
    }
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "mlcp_table: %s\n", error.what());
    return 1;
}
