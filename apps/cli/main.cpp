// The command `stiction`: reads the command line, hands over to a command, turns exceptions into exit codes.
#include "commands.hpp"

#include "stiction/base/error.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <new>

namespace {

using namespace stiction;
using namespace stiction::cli;

struct Arguments {
    RunArguments run;
    ResumeArguments resume;
    CheckArguments check;
    std::string info_file;
};

void add_set(CLI::App& command, std::vector<std::string>& overrides) {
    command
        .add_option("--set", overrides,
                    "Replace one value of the scene, e.g. --set bodies[0].material.density=900; may be repeated")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
}

void add_threads(CLI::App& command, int& threads) {
    command.add_option("--threads", threads, "Number of threads; 0 uses all cores. Results do not depend on it")
        ->check(CLI::Range(0, 4096))
        ->type_name("N");
}

void add_steps(CLI::App& command, std::optional<int>& steps) {
    command.add_option("--steps", steps, "Step at which the run ends, in place of the scene's")
        ->check(CLI::Range(0, 1000000000))
        ->type_name("N");
}

void build(CLI::App& app, Arguments& a) {
    app.set_version_flag("--version", std::string("stiction ") + STICTION_VERSION);
    app.require_subcommand(1);
    CLI::App& run = *app.add_subcommand("run", "Simulate a scene");
    run.add_option("SCENE", a.run.scene, "Scene file (JSON)")->required();
    run.add_option("-o,--output", a.run.directory, "Output directory; default results/<name of the scene>")
        ->type_name("DIR");
    run.add_flag("--force", a.run.force, "Replace the files of a former run in the output directory; other files stay");
    run.add_option("--method", a.run.method, "Method in place of the scene's")->type_name("M");
    add_steps(run, a.run.steps);
    add_threads(run, a.run.threads);
    add_set(run, a.run.overrides);
    CLI::App& resume = *app.add_subcommand("resume", "Go on with a run from its checkpoint");
    resume.add_option("DIR", a.resume.directory, "Output directory of the run")->required();
    add_steps(resume, a.resume.steps);
    add_threads(resume, a.resume.threads);
    CLI::App& check = *app.add_subcommand("check", "Validate a scene and its start; nothing is simulated or written");
    check.add_option("SCENE", a.check.scene, "Scene file (JSON)")->required();
    add_set(check, a.check.overrides);
    CLI::App& info = *app.add_subcommand("info", "Describe a mesh file");
    info.add_option("FILE", a.info_file, "Mesh file")->required();
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
        const std::string nearest = nearest_name(word, known_words(app, option));
        if (!nearest.empty() && (option || app.get_subcommands().empty()))
            message += fmt::format("; did you mean {}?", nearest);
    }
    fmt::print(stderr, "stiction: error: {}\nTry `stiction --help`.\n", message);
    return exit_bad_input;
}

int dispatch(const CLI::App& app, const Arguments& a) {
    if (app.got_subcommand("run")) return run(a.run);
    if (app.got_subcommand("resume")) return resume(a.resume);
    if (app.got_subcommand("check")) return check(a.check);
    return info(a.info_file);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Hyperelastic solids in frictional contact", "stiction");
    Arguments arguments;
    build(app, arguments);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
        return report_usage(app, error);
    }
    try {
        return dispatch(app, arguments);
    } catch (const InputError& error) {
        fmt::print(stderr, "stiction: error: {}\n", error.what());
        return exit_bad_input;
    } catch (const std::filesystem::filesystem_error& error) {
        fmt::print(stderr, "stiction: error: {}\n", error.what());
        return exit_bad_input;
    } catch (const std::bad_alloc&) {
        fmt::print(stderr, "stiction: internal error: out of memory\n");
    } catch (const std::exception& error) {
        fmt::print(stderr, "stiction: internal error: {}\n", error.what());
    }
    return exit_internal;
}
