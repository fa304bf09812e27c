#include "commands.hpp"
#include "prepare.hpp"
#include "progress.hpp"
#include "recorder.hpp"
#include "signals.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/output/checkpoint.hpp"
#include "stiction/output/durable_file.hpp"
#include "stiction/scene/parse.hpp"
#include "stiction/scene/resolve.hpp"
#include "stiction/sim/simulator.hpp"
#include "stiction/world/start_check.hpp"

#include <fmt/format.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

#include <cmath>
#include <filesystem>

namespace stiction::cli {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<spdlog::logger> open_log(const fs::path& path, bool resumed) {
    try {
        auto log = std::make_shared<spdlog::logger>(
            "stiction", std::make_shared<spdlog::sinks::basic_file_sink_mt>(path.string(), !resumed));
        log->set_pattern("%Y-%m-%dT%H:%M:%S%z %l %v");
        log->flush_on(spdlog::level::info);
        return log;
    } catch (const spdlog::spdlog_ex& error) {
        throw InputError(path.string() + ": " + error.what());
    }
}

/// Everything run and resume have in common once scene and start are known.
struct Session {
    RunDirectory directory;
    CompiledScene scene;
    std::string scene_name;      ///< as the user gave it
    std::string resolved_scene;  ///< JSON text
    double energy_start = 0.0;
    bool resumed = false;
};

double total_energy(const World& world, const State& state) {
    StepReport report;
    measure(world, state, report);
    return report.kinetic + report.elastic + report.gravity;
}

RunReport report_header(const Session& session) {
    RunReport report;
    report.scene = session.scene_name;
    report.method = session.scene.spec.method;
    report.version = STICTION_VERSION;
    report.threads = thread_count();
    report.resolved_scene = session.resolved_scene;
    report.energy_start = session.energy_start;
    return report;
}

ExitCode exit_code(RunEnd end) {
    switch (end) {
        case RunEnd::done: return exit_done;
        case RunEnd::stopped: return exit_stopped;
        case RunEnd::interrupted: return exit_interrupted;
    }
    return exit_internal;
}

/// Largest number of halvings that keeps the pieces of a step within the limit.
int max_halvings(int max_substeps) {
    return std::min(30, static_cast<int>(std::floor(std::log2(max_substeps))));
}

ExitCode simulate(Session session) {
    const TimeSpec& time = session.scene.spec.time;
    const OutputSpec output = session.scene.spec.output;
    const Index last_step = time.steps;
    const auto log = open_log(session.directory.log(), session.resumed);
    log->info("stiction {}: {} {} with method {}, {} threads, {} vertices, step {} of {}", STICTION_VERSION,
              session.resumed ? "resume" : "run", session.scene_name, session.scene.spec.method, thread_count(),
              session.scene.world.vertex_count(), session.scene.state.step, last_step);
    const std::string warning = warn_about_blas();
    if (!warning.empty()) log->warn("{}", warning);

    const RunReport header = report_header(session);
    Simulator simulator(std::move(session.scene.world), std::move(session.scene.state), std::move(session.scene.method),
                        SimulatorOptions{time.step, max_halvings(time.max_substeps)});
    Recorder recorder(simulator.world(), session.directory, output, time.step, session.resumed, header, log);
    Progress progress(last_step, stdout);
    simulator.add_observer(recorder);
    simulator.add_observer(progress);
    RunEnd end;
    try {
        const SignalGuard signals;
        end = simulator.run(last_step, signals.flag());
    } catch (const std::exception& error) {
        progress.end_line();
        recorder.abandoned(simulator.state(), error.what());
        throw;
    }
    fmt::print("{}", summary(recorder.report(), last_step, session.directory.root().string()));
    if (end == RunEnd::stopped) {
        fmt::print(stderr, "stiction: stopped at step {} of {}: {}: {}\n", simulator.state().step, last_step,
                   recorder.report().status, recorder.report().cause);
    }
    return exit_code(end);
}

fs::path default_directory(const std::string& scene) {
    return fs::path("results") / fs::path(scene).stem();
}

/// A scene file that the new run would overwrite.
void check_scene_outside(const std::string& scene, const RunDirectory& directory) {
    std::error_code error;
    if (fs::equivalent(scene, directory.scene(), error)) {
        throw InputError("", "SCENE", scene,
                         "a scene outside the output directory (`stiction resume` goes on with the run in it)");
    }
}

}  // namespace

ExitCode run(const RunArguments& arguments) {
    const RunDirectory directory(arguments.directory.empty() ? default_directory(arguments.scene)
                                                             : fs::path(arguments.directory));
    directory.check_new(arguments.force);
    check_scene_outside(arguments.scene, directory);
    set_thread_count(arguments.threads);
    const SceneSpec spec = parse_scene(arguments.scene, all_overrides(arguments.overrides, arguments.method,
                                                                      arguments.steps ? &*arguments.steps : nullptr));
    Session session{directory, compile_scene(spec), arguments.scene, "", 0.0, false};
    const auto problems = start_problems(session.scene.world, session.scene.state);
    if (!problems.empty()) {
        print_problems(arguments.scene, problems);
        return exit_bad_input;
    }
    session.energy_start = total_energy(session.scene.world, session.scene.state);

    const auto former_meshes = directory.mesh_copies();
    directory.prepare_new(arguments.force);
    session.resolved_scene = resolved_json(make_self_contained(spec, directory.root()));
    write_durably(directory.scene(), session.resolved_scene);
    directory.remove_unused_meshes(former_meshes);
    return simulate(std::move(session));
}

ExitCode resume(const ResumeArguments& arguments) {
    const RunDirectory directory{fs::path(arguments.directory)};
    directory.check_resumable();
    set_thread_count(arguments.threads);
    const SceneSpec spec =
        parse_scene(directory.scene(), all_overrides({}, "", arguments.steps ? &*arguments.steps : nullptr));
    Session session{directory, compile_scene(spec), directory.scene().string(), resolved_json(spec), 0.0, true};
    session.energy_start = total_energy(session.scene.world, session.scene.state);
    session.scene.state = read_checkpoint(directory.checkpoint(), session.scene.world);
    const State& state = session.scene.state;
    if (state.t != state.step * spec.time.step) {
        throw InputError(directory.scene().string(), "time.step", fmt::format("{}", spec.time.step),
                         fmt::format("the step of the checkpoint: it is at t = {} after {} steps", state.t, state.step));
    }
    if (session.scene.state.step >= spec.time.steps) {
        fmt::print("nothing to do: {} is at step {} of {} (--steps N goes further)\n", directory.root().string(),
                   session.scene.state.step, spec.time.steps);
        return exit_done;
    }
    directory.remove_partial_files();
    return simulate(std::move(session));
}

}  // namespace stiction::cli
