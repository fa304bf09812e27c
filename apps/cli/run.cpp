#include "commands.hpp"
#include "prepare.hpp"
#include "progress.hpp"
#include "recorder.hpp"
#include "signals.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/output/checkpoint.hpp"
#include "stiction/output/durable_file.hpp"
#include "stiction/output/start_picture.hpp"
#include "stiction/output/verdict.hpp"
#include "stiction/scene/method_factory.hpp"
#include "stiction/scene/parse.hpp"
#include "stiction/scene/resolve.hpp"
#include "stiction/sim/simulator.hpp"
#include "stiction/world/start_check.hpp"

#include <fmt/format.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <set>

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
    bool certify = false;
    bool strict = false;
    std::vector<std::string> warnings;             ///< for the log
    std::optional<audit::RunAudit> earlier_audit;  ///< of the run that is resumed
    std::optional<audit::RunCertificate> earlier_certificate;
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
    report.limits = session.scene.spec.verdict;
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

/// Says what audit and certificate came to, unless `quiet`; exit_found if that is not good.
ExitCode findings(const audit::RunAudit& audit, const std::optional<audit::RunCertificate>& certificate, bool quiet) {
    const bool good = audit.ok() && (!certificate || certificate->ok());
    if (quiet) return good ? exit_done : exit_found;
    for (const std::string& line : audit.examples) fmt::print(stderr, "stiction: audit: {}\n", line);
    if (certificate) {
        fmt::print("  certificate   {}\n", in_words(*certificate));
        for (const std::string& line : certificate->examples) fmt::print(stderr, "stiction: not proved: {}\n", line);
    }
    return good ? exit_done : exit_found;
}

ExitCode simulate(Session session, const RunHooks& hooks) {
    const TimeSpec& time = session.scene.spec.time;
    const OutputSpec output = session.scene.spec.output;
    const Index last_step = time.steps;
    const auto log = open_log(session.directory.log(), session.resumed);
    // A log that cannot be written is no reason to say so over and over: the files that matter report it.
    log->set_error_handler([](const std::string&) {});
    log->info("stiction {}: {} {} with method {}, {} threads, {} vertices, step {} of {}", STICTION_VERSION,
              session.resumed ? "resume" : "run", session.scene_name, session.scene.spec.method, thread_count(),
              session.scene.world.vertex_count(), session.scene.state.step, last_step);
    const std::string warning = hooks.quiet ? "" : warn_about_blas();
    if (!warning.empty()) log->warn("{}", warning);
    for (const std::string& line : session.warnings) log->warn("{}", line);
    if (const std::string turns = turn_line(session.scene); !turns.empty()) log->info("{}", turns);

    Simulator simulator(std::move(session.scene.world), std::move(session.scene.state), std::move(session.scene.method),
                        SimulatorOptions{time.step, halvings_within(time.max_substeps)});
    std::optional<audit::RunCertificate> proved = session.earlier_certificate;
    Auditor auditor(audit_rate_from_name(session.scene.spec.audit), output.every,
                    simulator.method().contact_distance(simulator.world()), integrator_from_name(time.integrator),
                    session.earlier_audit.value_or(audit::RunAudit{}), simulator.method().promises_separation(),
                    simulator.method().exactly_rigid(),
                    simulator.method().balances_forces() && !simulator.method().has_joints());
    Certifier certifier(simulator.world(), proved);
    simulator.add_observer(auditor);
    if (session.certify) {
        simulator.add_observer(certifier);
        simulator.set_move_sink(&certifier);
    }
    RunReport header = report_header(session);
    header.certificate = proved;
    header.separation_promised = simulator.method().promises_separation();
    Recorder recorder(simulator.world(), session.directory, output, time.step, session.resumed, header, log);
    recorder.report_on(&auditor, session.certify ? &certifier : nullptr);
    Progress progress(last_step, stdout);
    if (!hooks.quiet) {
        recorder.tell_doubts([&progress](const std::string& doubt) {
            progress.end_line();
            fmt::print(stderr, "stiction: warning: {}\n", doubt);
        });
    }
    if (session.strict) recorder.end_explosions();
    simulator.add_observer(recorder);
    if (!hooks.quiet) simulator.add_observer(progress);
    if (hooks.observer != nullptr) simulator.add_observer(*hooks.observer);
    RunEnd end;
    try {
        if (hooks.prepare) hooks.prepare(simulator);
        end = simulator.run(last_step, hooks.interrupt != nullptr ? hooks.interrupt : catch_interrupts());
    } catch (const std::exception& error) {
        progress.end_line();
        recorder.abandoned(simulator.state(), error.what());
        throw;
    }
    if (!hooks.quiet) fmt::print("{}", summary(recorder.report(), last_step, session.directory.root().string()));
    if (!hooks.quiet && end == RunEnd::stopped) {
        fmt::print(stderr, "stiction: stopped at step {} of {}: {}: {}\n", simulator.state().step, last_step,
                   recorder.report().status, recorder.report().cause);
    }
    if (!hooks.quiet && end == RunEnd::interrupted) {
        fmt::print(stderr, "stiction: {} at step {} of {}; `stiction resume {}` goes on from there\n",
                   recorder.goes_on() ? "interrupted" : "energy exploded, and --strict ended the run",
                   simulator.state().step, last_step, session.directory.root().string());
    }
    if (session.certify) proved = certifier.certificate();
    ExitCode found = findings(auditor.audit(), proved, hooks.quiet);
    if (const std::vector<Doubt> doubts = verdict(recorder.report()); session.strict && !doubts.empty()) {
        if (!hooks.quiet) fmt::print(stderr, "stiction: {}\n", in_words(doubts));
        found = exit_found;
    }
    const bool judged = end == RunEnd::done || !recorder.goes_on();
    return judged && found != exit_done ? found : exit_code(end);
}

void check_certify(bool certify, const CompiledScene& scene) {
    if (!certify || scene.method->promises_separation()) return;
    const char* setting = scene_method(scene.spec).separating_setting;
    throw InputError("", "--certify", "",
                     fmt::format("a scene whose method keeps bodies apart, or there is nothing to prove: {} does{}",
                                 scene.spec.method, setting ? fmt::format(" with {}", setting) : " not"));
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

/// Meshes that the new run would remove with the frames of a former one.
void check_meshes_outside(const SceneSpec& spec, const RunDirectory& directory) {
    std::error_code error;
    for (const InputFile& file : input_files(spec)) {
        for (const fs::path& folder : {directory.frames(), directory.frames_obj(), directory.frames_ply()}) {
            if (fs::equivalent(file.path.parent_path(), folder, error))
                throw InputError(spec.origin.file, file.field, file.path.string(),
                                 "a file outside the frames of the output directory, which the run replaces");
        }
    }
}

/// What a run creates before it has begun goes away again when it fails there: its folders, and copies of meshes.
class Undo {
public:
    explicit Undo(const RunDirectory& directory) : meshes_(directory.meshes()) {
        std::error_code error;
        for (fs::path folder = fs::absolute(directory.root(), error);
             folder.has_relative_path() && !fs::exists(folder, error); folder = folder.parent_path())
            folders_.push_back(folder);
        if (!fs::exists(meshes_, error)) folders_.insert(folders_.begin(), meshes_);
        for (const auto& entry : fs::directory_iterator(meshes_, error)) former_copies_.insert(entry.path());
    }
    ~Undo() {
        if (done_) return;
        std::error_code error;
        std::vector<fs::path> copies;
        for (const auto& entry : fs::directory_iterator(meshes_, error)) copies.push_back(entry.path());
        for (const fs::path& copy : copies) {
            if (!former_copies_.contains(copy)) fs::remove(copy, error);
        }
        for (const fs::path& folder : folders_) fs::remove(folder, error);
    }
    Undo(const Undo&) = delete;
    Undo& operator=(const Undo&) = delete;
    void keep() { done_ = true; }

private:
    fs::path meshes_;
    std::set<fs::path> former_copies_;
    std::vector<fs::path> folders_;  ///< that do not exist yet, the deepest first
    bool done_ = false;
};

/// Says what keeps the scene from starting, and draws it where there is nothing to lose.
ExitCode refuse_start(const RunArguments& arguments, const Session& session,
                      const std::vector<StartProblem>& problems) {
    const fs::path picture = session.directory.start_picture();
    std::string hint = fmt::format("(`stiction check {} --problems FILE.vtu` draws all of them)", arguments.scene);
    if (session.directory.is_unused()) {
        Undo undo(session.directory);
        session.directory.create();
        write_start_picture(picture, session.scene.world, session.scene.state, problems);
        undo.keep();
        hint = fmt::format("(all of them are drawn in {})", picture.string());
    }
    print_problems(arguments.scene, !arguments.overrides.empty(), session.scene, problems, hint);
    return exit_bad_input;
}

/// Gives the scene of a directory other values from the checkpoint of the session on. Throws InputError for values that
/// say something about the start alone, and for those that the checkpoint contradicts; then nothing is written.
void change_scene(const RunDirectory& directory, const std::vector<std::string>& overrides, Session& session) {
    if (overrides.empty()) return;
    const auto refuse = [&](const std::string& found, const std::string& expected) {
        throw InputError(directory.scene().string(), "--set", found, expected);
    };
    const auto [before, start_before] = compile_world(parse_scene(directory.scene()));
    const auto [after, start_after] = compile_world(parse_scene(directory.scene(), overrides));
    if (before.initial_positions != after.initial_positions || start_before.v != start_after.v)
        refuse("another start", "values that matter from the checkpoint on, not placements and first velocities");
    if (session.scene.method->promises_separation()) {
        const auto problems = find_start_problems(session.scene.world, session.scene.state);
        if (!problems.empty()) refuse(problems.front().text, "values that the checkpoint can go on with");
    }
    write_aside(directory.scene(), resolved_json(parse_scene(directory.scene(), overrides)));
    put_in_place(directory.scene());
    for (const std::string& change : overrides)
        session.warnings.push_back(fmt::format("{} from step {} on", change, session.scene.state.step));
}

}  // namespace

ExitCode run(const RunArguments& arguments) {
    return run(arguments,
               parse_scene(arguments.scene, all_overrides(arguments.overrides, arguments.method,
                                                          arguments.steps ? &*arguments.steps : nullptr)),
               {});
}

ExitCode run(const RunArguments& arguments, const SceneSpec& spec, const RunHooks& hooks) {
    const RunDirectory directory(arguments.directory.empty() ? default_directory(arguments.scene)
                                                             : fs::path(arguments.directory));
    directory.check_new(arguments.force);
    check_scene_outside(arguments.scene, directory);
    set_thread_count(arguments.threads);
    check_meshes_outside(spec, directory);
    Session session{directory, compile_scene(spec), arguments.scene,  "", 0.0,
                    false,     arguments.certify,   arguments.strict, {}, {},
                    {}};
    check_certify(arguments.certify, session.scene);
    const auto problems = find_start_problems(session.scene.world, session.scene.state);
    if (!problems.empty()) return refuse_start(arguments, session, problems);
    if (!hooks.quiet) session.warnings = present_start(session.scene, arguments.scene);
    session.energy_start = total_energy(session.scene.world, session.scene.state);

    // What the new run needs first: if there is no room for it, the former run stays as it was.
    const auto former_meshes = directory.mesh_copies();
    Undo undo(directory);
    directory.create();
    session.resolved_scene = resolved_json(make_self_contained(spec, directory.root()));
    write_aside(directory.scene(), session.resolved_scene);
    directory.remove_former_run();
    put_in_place(directory.scene());
    directory.remove_unused_meshes(former_meshes);
    undo.keep();
    return simulate(std::move(session), hooks);
}

ExitCode resume(const ResumeArguments& arguments, const RunHooks& hooks) {
    const RunDirectory directory{fs::path(arguments.directory)};
    directory.check_resumable();
    set_thread_count(arguments.threads);
    const SceneSpec spec = parse_scene(
        directory.scene(), all_overrides(arguments.overrides, "", arguments.steps ? &*arguments.steps : nullptr));
    Session session{directory,
                    compile_scene(spec),
                    directory.scene().string(),
                    resolved_json(spec),
                    0.0,
                    true,
                    arguments.certify,
                    arguments.strict,
                    {},
                    {},
                    {}};
    session.energy_start = total_energy(session.scene.world, session.scene.state);
    check_certify(arguments.certify, session.scene);
    session.earlier_audit = read_audit(directory.report(), 0);
    session.earlier_certificate = read_certificate(directory.report(), 0);
    session.scene.state = read_checkpoint(directory.checkpoint(), session.scene.world);
    const State& state = session.scene.state;
    if (state.t != state.step * spec.time.step) {
        throw InputError(
            directory.scene().string(), "time.step", fmt::format("{}", spec.time.step),
            fmt::format("the step of the checkpoint: it is at t = {} after {} steps", state.t, state.step));
    }
    if (fs::exists(directory.steps())) read_step_table(directory.steps());  // damage shows before anything is written
    if (!session.scene.world.fillings.empty() && fs::exists(directory.zones())) read_zone_table(directory.zones());
    if (fs::exists(directory.complementarity())) read_complementarity_table(directory.complementarity());
    change_scene(directory, arguments.overrides, session);
    if (session.scene.state.step >= spec.time.steps) {
        if (!hooks.quiet)
            fmt::print(
                "nothing to do: {} has made {} steps, and is to make {} (--steps N with a larger N goes further)\n",
                directory.root().string(), session.scene.state.step, spec.time.steps);
        return findings(session.earlier_audit.value_or(audit::RunAudit{}), session.earlier_certificate, hooks.quiet);
    }
    if (arguments.steps) {  // so that the next `resume` goes as far, should this one be interrupted
        write_aside(directory.scene(), session.resolved_scene);
        put_in_place(directory.scene());
    }
    directory.remove_partial_files();
    return simulate(std::move(session), hooks);
}

}  // namespace stiction::cli
