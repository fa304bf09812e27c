#include "command_line.hpp"
#include "commands.hpp"

#include "stiction/base/error.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <new>
#include <string_view>
#include <system_error>

namespace stiction::cli {
namespace {

struct Arguments {
    RunArguments run;
    ResumeArguments resume;
    CheckArguments check;
    ConvertArguments convert;
    RepairArguments repair;
    VerifyArguments verify;
    std::string info_file;
};

/// Refuses what is no integer between two bounds, in the words that bad values of scenes get, too.
CLI::Validator integer_in(int low, int high) {
    const auto test = [low, high](const std::string& text) {
        int value = 0;
        const char* end = text.data() + text.size();
        const auto result = std::from_chars(text.data(), end, value);
        const bool good = result.ec == std::errc() && result.ptr == end && value >= low && value <= high;
        return good ? std::string() : fmt::format("{}: expected an integer in [{}, {}]", text, low, high);
    };
    return {test, ""};
}

/// Refuses what is no finite number above 0.
CLI::Validator positive_number() {
    const auto test = [](const std::string& text) {
        double value = 0.0;
        const char* end = text.data() + text.size();
        const auto result = std::from_chars(text.data(), end, value);
        const bool good = result.ec == std::errc() && result.ptr == end && std::isfinite(value) && value > 0.0;
        return good ? std::string() : fmt::format("{}: expected a number above 0", text);
    };
    return {test, ""};
}

void add_set(CLI::App& command, std::vector<std::string>& overrides) {
    command
        .add_option("--set", overrides,
                    "Replace one value of the scene, e.g. --set bodies[0].material.density=900; may be repeated")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
}

void add_threads(CLI::App& command, int& threads) {
    command.add_option("--threads", threads, "Number of threads; 0 uses all cores. Results do not depend on it")
        ->check(integer_in(0, 4096))
        ->type_name("N");
}

void add_method(CLI::App& command, std::string& method) {
    command.add_option("--method", method, "Method in place of the scene's")->type_name("M");
}

void add_certify(CLI::App& command, bool& certify) {
    command.add_flag(
        "--certify", certify,
        "Prove with interval arithmetic that no accepted move passes through anything; exit code 3 if a proof fails");
}

void add_strict(CLI::App& command, bool& strict) {
    command.add_flag("--strict", strict, "Exit code 3 where the verdict on the run is not ok");
}

void add_steps(CLI::App& command, std::optional<int>& steps) {
    command.add_option("--steps", steps, "Step at which the run ends, in place of the scene's")
        ->check(integer_in(0, 1000000000))
        ->type_name("N");
}

void build(CLI::App& app, Arguments& a) {
    app.set_version_flag("--version", std::string("stiction ") + STICTION_VERSION);
    app.require_subcommand(1);
    CLI::App& run = *app.add_subcommand("run", "Simulate a scene");
    run.add_option("SCENE", a.run.scene, "Scene file (.json; .txt of the IPC reference code)")->required();
    run.add_option("-o,--output", a.run.directory, "Output directory; default results/<name of the scene>")
        ->type_name("DIR");
    run.add_flag("--force", a.run.force, "Replace the files of a former run in the output directory; other files stay");
    add_method(run, a.run.method);
    add_steps(run, a.run.steps);
    add_threads(run, a.run.threads);
    add_certify(run, a.run.certify);
    add_strict(run, a.run.strict);
    add_set(run, a.run.overrides);
    CLI::App& resume = *app.add_subcommand("resume", "Go on with a run from its checkpoint");
    resume.add_option("DIR", a.resume.directory, "Output directory of the run")->required();
    add_steps(resume, a.resume.steps);
    add_threads(resume, a.resume.threads);
    add_certify(resume, a.resume.certify);
    add_strict(resume, a.resume.strict);
    add_set(resume, a.resume.overrides);
    CLI::App& check = *app.add_subcommand("check", "Validate a scene and its start; nothing is simulated");
    check.add_option("SCENE", a.check.scene, "Scene file (.json, .txt)")->required();
    add_method(check, a.check.method);
    check
        .add_option("--problems", a.check.problems,
                    "File for everything that keeps the scene from starting: a picture (.vtu) or a list (.txt)")
        ->type_name("FILE");
    add_set(check, a.check.overrides);
    CLI::App& verify =
        *app.add_subcommand("verify", "Certify every stored frame of a run: no intersection, no inverted element");
    verify.add_option("DIR", a.verify.directory, "Output directory of the run")->required();
    add_threads(verify, a.verify.threads);
    CLI::App& convert =
        *app.add_subcommand("convert", "Write a scene of PolyFEM or of the IPC reference code as a scene of ours");
    convert.add_option("SCENE", a.convert.scene, "Scene file (.json, .txt)")->required();
    convert.add_option("-o,--output", a.convert.output, "File to write")->required()->type_name("FILE");
    convert.add_flag("--force", a.convert.force, "Replace the file if it is there");
    CLI::App& repair = *app.add_subcommand("repair", "Separate the bodies of a scene whose start intersects");
    repair.add_option("SCENE", a.repair.scene, "Scene file (.json; .txt of the IPC reference code)")->required();
    repair.add_option("-o,--output", a.repair.output, "File to write")->required()->type_name("FILE");
    repair
        .add_option("--gap", a.repair.gap,
                    "Gap (m) between bodies that overlapped; default the distance at which contact begins to act")
        ->check(positive_number())
        ->type_name("METRES");
    repair.add_flag("--force", a.repair.force, "Replace the file if it is there");
    CLI::App& info = *app.add_subcommand("info", "Describe a mesh file");
    info.add_option("FILE", a.info_file, "Mesh file")->required();
}

/// Does not throw when standard error is closed or full: the exit code still tells.
void complain(const char* kind, const std::string& message) {
    std::fputs(fmt::format("stiction: {}: {}\n", kind, message).c_str(), stderr);
}

/// Names that an unknown word may have been meant for: options if it starts with a dash, else subcommands.
std::vector<std::string> known_words(const CLI::App& app, bool options) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({})) {
        if (!options) names.push_back(command->get_name());
        if (!options || !command->parsed()) continue;
        for (const CLI::Option* option : command->get_options()) {
            for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
        }
    }
    if (options) names.insert(names.end(), {"--help", "--version"});
    return names;
}

/// Commands that python/stiction adds.
constexpr std::array<std::string_view, 4> python_commands = {"sweep", "compare", "viz", "view"};

int report_usage(const CLI::App& app, const CLI::ParseError& error) {
    std::string message = error.what();
    const std::vector<std::string> unknown = app.remaining(true);
    if (!unknown.empty()) {
        const bool option = unknown.front().starts_with("-");
        const std::string word = unknown.front().substr(0, unknown.front().find('='));
        message = fmt::format("{}: unknown {}", word,
                              option                          ? "option"
                              : app.get_subcommands().empty() ? "command"
                                                              : "argument");
        if (app.get_subcommands().empty() && std::ranges::count(python_commands, word) > 0) {
            complain("error", fmt::format("{0}: a command of the Python package: `python -m stiction {0}`, or the "
                                          "`stiction` that its wheel installs",
                                          word));
            return exit_bad_input;
        }
        const std::string nearest = nearest_name(word, known_words(app, option));
        if (!nearest.empty() && (option || app.get_subcommands().empty()))
            message += fmt::format("; did you mean {}?", nearest);
    }
    complain("error", message + " (`stiction --help` explains)");
    return exit_bad_input;
}

int dispatch(const CLI::App& app, const Arguments& a) {
    if (app.got_subcommand("run")) return run(a.run);
    if (app.got_subcommand("resume")) return resume(a.resume);
    if (app.got_subcommand("check")) return check(a.check);
    if (app.got_subcommand("verify")) return verify(a.verify);
    if (app.got_subcommand("convert")) return convert(a.convert);
    if (app.got_subcommand("repair")) return repair(a.repair);
    return info(a.info_file);
}

}  // namespace

int command_line(int argc, const char* const* argv) {
    // A file that grows beyond the limit of the shell is a full disk: an error of the write, not the end of the
    // process.
    std::signal(SIGXFSZ, SIG_IGN);
    CLI::App app("Hyperelastic solids in frictional contact", "stiction");
    Arguments arguments;
    build(app, arguments);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() != 0) return report_usage(app, error);
        const int code = app.exit(error);  // --help, --version
        if (std::cout.flush()) return code;
        complain("error", "standard output: cannot be written");
        return exit_bad_input;
    }
    try {
        const int code = dispatch(app, arguments);
        if (std::fflush(stdout) != 0) throw std::system_error(errno, std::generic_category(), "standard output");
        return code;
    } catch (const InputError& error) {
        complain("error", error.what());
        return exit_bad_input;
    } catch (const std::system_error& error) {  // of files, folders and streams
        complain("error", error.what());
        return exit_bad_input;
    } catch (const std::bad_alloc&) {
        complain("internal error", "out of memory");
    } catch (const std::exception& error) {
        complain("internal error", error.what());
    }
    return exit_internal;
}

}  // namespace stiction::cli
