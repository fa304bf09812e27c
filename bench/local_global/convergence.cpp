// Figure 9 of Zeng et al. (2025): how complete and incomplete global steps converge to Newton's solution of one step of
// a bar that is being twisted.
//
//   local_global_convergence [--cells ACROSS ALONG]... [--young E]... [--law NAME] [--poisson NU] [--frames N]
//   [--predicted] [--csv FILE]
//
// Prints a Markdown table; the relative energy error (E_k - E*) / (E_0 - E*) of every iteration goes to FILE.
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/ipc/method.hpp"
#include "stiction/methods/local_global/method.hpp"
#include "stiction/methods/local_global/step.hpp"
#include "stiction/world/world_builder.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <numbers>

using namespace stiction;
using namespace stiction::local_global;

namespace {

/// Cells across the bar and along it.
using Cells = std::pair<int, int>;

struct Settings {
    std::string law = "arap";
    double poisson = 0.45, density = 1000.0, h = 0.01, turns_per_second = 0.25;
    int frames = 60, complete = 100, incomplete = 1000;
    double relaxation = 1.0;
    bool predicted = false;  ///< the step is begun at x_t + h v_t, as the method does, in place of x_t
};

/// A bar of 0.4 x 0.2 x 0.2 m along x, its ends turned against each other.
std::pair<World, State> twisting_bar(const Cells& cells, double young, const Settings& settings) {
    const double width = 0.2, length = 0.4;
    const Mesh mesh = generate_box({length, width, width}, {cells.second, cells.first, cells.first});
    WorldBuilder builder;
    builder.add_deformable("bar", mesh, {*law_from_name(settings.law), young, settings.poisson, settings.density});
    builder.set_contact(0, 0, false);
    for (const double side : {-1.0, 1.0}) {
        Motion motion;
        motion.name = "end";
        for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
            if (side * mesh.vertices[v].x() > 0.4999 * length) motion.vertices.push_back(static_cast<Index>(v));
        }
        auto turn = std::make_shared<RigidTrajectory>();
        turn->axis = Vec3::UnitX();
        turn->angular_velocity = side * 2.0 * std::numbers::pi * settings.turns_per_second;
        motion.trajectory = turn;
        builder.add_motion(std::move(motion));
    }
    return builder.build();
}

struct Curve {
    std::vector<double> error, seconds;
    /// First iteration with an error below 1e-3; -1 if there is none.
    int reached() const {
        for (std::size_t k = 0; k < error.size(); ++k) {
            if (error[k] < 1e-3) return static_cast<int>(k);
        }
        return -1;
    }
};

/// One kind of global step on one step of the world, against the solution `exact`.
Curve converge(const World& world, const State& state, const StepInput& input, const VecX& exact, GlobalStep kind,
               const Settings& settings) {
    local_global::Options options;
    options.global_step = kind;
    options.jacobi_relaxation = settings.relaxation;
    const bool incomplete = kind == GlobalStep::jacobi || kind == GlobalStep::chebyshev;
    const int iterations = incomplete ? settings.incomplete : settings.complete;
    Workspace workspace(world, options);
    const GlobalSystem& system = workspace.system(world, options, input);
    workspace.objective.begin(state, input, system.unknowns());
    Evaluation first, last;
    first.x = input.target;
    for (const Index v : system.unknowns())
        first.x.segment<3>(3 * v) =
            state.x.segment<3>(3 * v) + (settings.predicted ? input.h : 0.0) * state.v.segment<3>(3 * v);
    last.x = exact;
    workspace.objective.evaluate(first);
    workspace.objective.evaluate(last);
    const double whole = workspace.objective.difference(last, first);
    Curve curve{{1.0}, {0.0}};
    double seconds = 0.0, start = now_seconds();
    workspace.solver->start(system, first.x);
    for (int k = 0; k < iterations; ++k) {
        const bool decreased = workspace.solver->iterate();
        seconds += now_seconds() - start;
        start = now_seconds();
        if (!decreased) break;
        curve.error.push_back((workspace.solver->decrease() + whole) / whole);
        curve.seconds.push_back(seconds);
        if (!(std::abs(curve.error.back()) < 1e3) || curve.error.back() < 1e-9) break;
    }
    return curve;
}

void run(const Cells& cells, double young, const Settings& settings, std::FILE* csv) {
    auto [world, state] = twisting_bar(cells, young, settings);
    local_global::Options five;
    LocalGlobal method(five);
    StepResult result;
    double milliseconds = 0.0;
    for (int frame = 0; frame < settings.frames; ++frame) {
        method.step(world, state, schedule(world, state, settings.h), result);
        if (!is_accepted(result.report.status))
            throw std::runtime_error(fmt::format("frame {}: {}", frame, result.report.cause));
        if (frame > 0) milliseconds = std::max(milliseconds, result.report.milliseconds);
        state = result.state;
    }
    const StepInput input = schedule(world, state, settings.h);
    ipc::Options newton;
    newton.velocity_tolerance = 1e-8;
    ipc::Ipc ipc(newton);
    ipc.step(world, state, input, result);
    if (!is_accepted(result.report.status)) throw std::runtime_error("Newton: " + result.report.cause);
    const VecX exact = result.state.x;
    const std::string bar = fmt::format("{0} x {0} x {1}", cells.first, cells.second);
    const int newton_iterations = result.report.iterations;
    for (const GlobalStep kind : {GlobalStep::complete, GlobalStep::lbfgs, GlobalStep::jacobi, GlobalStep::chebyshev}) {
        const Curve curve = converge(world, state, input, exact, kind, settings);
        const std::string& name = global_step_names()[static_cast<std::size_t>(kind)];
        const auto error_at = [&](std::size_t k) {
            return k < curve.error.size() ? fmt::format("{:.1e}", curve.error[k]) : std::string("-");
        };
        const int reached = curve.reached();
        const std::string after = reached < 0 ? "-"
                                              : fmt::format("{} ({:.0f} ms)", reached,
                                                            1e3 * curve.seconds[static_cast<std::size_t>(reached)]);
        std::printf("| %s | %d | %.0e | %s | %s | %s | %s | %s | %s | %.1f | %d | %.0f |\n", bar.c_str(),
                    world.vertex_count(), young, name.c_str(), error_at(5).c_str(), error_at(10).c_str(),
                    error_at(100).c_str(), error_at(1000).c_str(), after.c_str(),
                    1e3 * curve.seconds.back() / static_cast<double>(curve.error.size() - 1), newton_iterations,
                    milliseconds);
        std::fflush(stdout);
        for (std::size_t k = 0; csv != nullptr && k < curve.error.size(); ++k) {
            std::fprintf(csv, "%s,%d,%g,%s,%zu,%.6g,%.6g\n", bar.c_str(), world.vertex_count(), young, name.c_str(), k,
                         curve.error[k], curve.seconds[k]);
        }
    }
}

}  // namespace

int main(int argc, char** argv) try {
    Settings settings;
    std::vector<Cells> cells{{13, 26}, {17, 34}, {21, 42}, {8, 64}, {11, 77}, {13, 105}};
    std::vector<double> young{1e5, 1e6, 1e7, 1e8, 1e9};
    std::string file;
    CLI::App app{"Complete and incomplete global steps against Newton's solution"};
    app.option_defaults()->always_capture_default();
    app.add_option("--cells", cells,
                   "cells across the bar and along it: 13 26, 17 34 and 21 42, the bars of the paper, are 5.3K, 11.3K "
                   "and 20.8K vertices, and so are 8 64, 11 77 and 13 105");
    app.add_option("--young", young, "Young's moduli (Pa)")->check(CLI::PositiveNumber);
    app.add_option("--law", settings.law, "constitutive law")
        ->check(CLI::Validator(
            [](std::string& name) { return law_from_name(name) ? std::string() : "no law: " + name; }, "LAW"));
    app.add_option("--poisson", settings.poisson, "Poisson's ratio");
    app.add_option("--turns", settings.turns_per_second, "turns of each end in a second");
    app.add_option("--frames", settings.frames, "frames of twisting before the one that is looked at");
    app.add_flag("--predicted", settings.predicted,
                 "begin the step at x_t + h v_t, as the method does, in place of x_t");
    app.add_option("--relaxation", settings.relaxation,
                   "of the incomplete kinds, times the one that they take of their own");
    app.add_option("--incomplete", settings.incomplete, "iterations of the incomplete kinds");
    app.add_option("--csv", file, "errors of all iterations");
    CLI11_PARSE(app, argc, argv);
    std::FILE* csv = file.empty() ? nullptr : std::fopen(file.c_str(), "w");
    if (csv == nullptr && !file.empty())
        throw std::runtime_error("--csv: " + file + ": expected a file that can be written");
    if (csv != nullptr) std::fprintf(csv, "cells,vertices,young,global_step,iteration,error,seconds\n");
    std::printf(
        "| cells | vertices | E (Pa) | global step | error after 5 | 10 | 100 | 1000 | below 1e-3 after | ms an "
        "iteration | Newton iterations | frame max (ms) |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (const Cells& c : cells) {
        for (const double E : young) run(c, E, settings, csv);
    }
    if (csv != nullptr) std::fclose(csv);
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "local_global_convergence: %s\n", error.what());
    return 1;
}
