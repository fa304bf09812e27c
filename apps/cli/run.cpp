// `run` and `resume`: a session, in words and exit codes.
#include "commands.hpp"
#include "prepare.hpp"
#include "progress.hpp"
#include "signals.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/scene/parse.hpp"
#include "stiction/session/session.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace stiction::cli {
namespace {

namespace fs = std::filesystem;

fs::path default_directory(const std::string& scene) {
    return fs::path("results") / fs::path(scene).stem();
}

ExitCode exit_code(RunEnd end) {
    switch (end) {
        case RunEnd::done: return exit_done;
        case RunEnd::stopped: return exit_stopped;
        case RunEnd::interrupted: return exit_interrupted;
    }
    return exit_internal;
}

/// Says what audit and certificate came to; exit_found if that is not good.
ExitCode findings(const SessionEnd& end) {
    for (const std::string& line : end.audit.examples) fmt::print(stderr, "stiction: audit: {}\n", line);
    if (end.certificate) {
        fmt::print("  certificate   {}\n", in_words(*end.certificate));
        for (const std::string& line : end.certificate->examples)
            fmt::print(stderr, "stiction: not proved: {}\n", line);
    }
    return end.is_clean() ? exit_done : exit_found;
}

/// Says how a run ended.
ExitCode tell(const SessionEnd& end, bool strict, const std::string& folder) {
    fmt::print("{}", summary(end.report, end.last_step, folder));
    if (end.end == RunEnd::stopped) {
        fmt::print(stderr, "stiction: stopped at step {} of {}: {}: {}\n", end.step, end.last_step, end.report.status,
                   end.report.cause);
    }
    if (end.end == RunEnd::interrupted) {
        fmt::print(stderr, "stiction: {} at step {} of {}; `stiction resume {}` goes on from there\n",
                   end.exploded ? "energy exploded, and --strict ended the run" : "interrupted", end.step,
                   end.last_step, folder);
    }
    ExitCode found = findings(end);
    if (strict && !end.doubts.empty()) {
        fmt::print(stderr, "stiction: {}\n", in_words(end.doubts));
        found = exit_found;
    }
    const bool judged = end.end == RunEnd::done || end.exploded;
    return judged && found != exit_done ? found : exit_code(end.end);
}

ExitCode simulate(Session& session, bool strict) {
    if (const std::string warning = warn_about_blas(); !warning.empty()) session.warn(warning);
    Progress progress(session.scene().spec.time.steps, stdout);
    session.tell_doubts([&progress](const std::string& doubt) {
        progress.end_line();
        fmt::print(stderr, "stiction: warning: {}\n", doubt);
    });
    session.begin().add_observer(progress);
    try {
        return tell(session.run(catch_interrupts()), strict, session.directory().root().string());
    } catch (...) {
        progress.end_line();
        throw;
    }
}

/// Says what keeps the scene from starting, and draws it where there is nothing to lose.
ExitCode refuse_start(const RunArguments& arguments, const Session& session,
                      const std::vector<StartProblem>& problems) {
    const auto picture = session.draw(problems);
    print_problems(arguments.scene, !arguments.overrides.empty(), session.scene(), problems,
                   picture
                       ? fmt::format("(all of them are drawn in {})", picture->string())
                       : fmt::format("(`stiction check {} --problems FILE.vtu` draws all of them)", arguments.scene));
    return exit_bad_input;
}

}  // namespace

ExitCode run(const RunArguments& arguments) {
    const SceneSpec spec = parse_scene(arguments.scene, all_overrides(arguments.overrides, arguments.method,
                                                                      arguments.steps ? &*arguments.steps : nullptr));
    set_thread_count(arguments.threads);
    const fs::path folder =
        arguments.directory.empty() ? default_directory(arguments.scene) : fs::path(arguments.directory);
    Session session =
        Session::create(spec, arguments.scene, folder,
                        {.force = arguments.force, .certify = arguments.certify, .strict = arguments.strict});
    const auto problems = session.problems();
    if (!problems.empty()) return refuse_start(arguments, session, problems);
    for (std::string& line : present_start(session.scene(), arguments.scene)) session.warn(std::move(line));
    return simulate(session, arguments.strict);
}

ExitCode resume(const ResumeArguments& arguments) {
    set_thread_count(arguments.threads);
    Session session = Session::resume(arguments.directory, {.certify = arguments.certify, .strict = arguments.strict},
                                      arguments.steps, arguments.overrides);
    if (!session.is_finished()) return simulate(session, arguments.strict);
    const SessionEnd end = session.finished_end();
    fmt::print("nothing to do: {} has made {} steps, and is to make {} (--steps N with a larger N goes further)\n",
               session.directory().root().string(), end.step, end.last_step);
    return findings(end);
}

}  // namespace stiction::cli
