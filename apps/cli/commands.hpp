// The subcommands of `stiction`: one function each. Bad input throws InputError.
#pragma once

#include "exit_code.hpp"

#include "stiction/scene/spec.hpp"
#include "stiction/sim/simulator.hpp"

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace stiction::cli {

struct RunArguments {
    std::string scene;
    std::string directory;  ///< empty: results/<stem of the scene>
    bool force = false;
    std::string method;                  ///< empty: the scene's
    std::optional<int> steps;            ///< total number of steps; absent: the scene's
    bool certify = false;                ///< prove every accepted move
    bool strict = false;                 ///< a doubtful verdict gives exit_found
    int threads = 0;                     ///< 0: all cores
    std::vector<std::string> overrides;  ///< "key=value"
};

struct ResumeArguments {
    std::string directory;
    bool certify = false;
    bool strict = false;
    std::optional<int> steps;
    int threads = 0;
    std::vector<std::string> overrides;  ///< "key=value"; the scene of the directory has them from now on
};

struct CheckArguments {
    std::string scene;
    std::string method;    ///< empty: the scene's
    std::string problems;  ///< file for all problems of the start (.vtu or .txt); empty: none
    std::vector<std::string> overrides;
};

struct ConvertArguments {
    std::string scene;
    std::string output;
    bool force = false;
};

struct RepairArguments {
    std::string scene;
    std::string output;
    bool force = false;
    std::optional<double> gap;  ///< m; absent: the distance at which contact begins to act
};

struct VerifyArguments {
    std::string directory;
    int threads = 0;
};

/// How a program takes part in a run that it starts; the command does not.
struct RunHooks {
    bool quiet = false;                       ///< nothing on standard output, no warnings
    std::function<void(Simulator&)> prepare;  ///< called once, before the first step
    Observer* observer = nullptr;             ///< told of a step after all files are written
    const std::atomic<bool>* interrupt =
        nullptr;  ///< ends the run, as Simulator::run says; null: SIGINT and SIGTERM do
};

ExitCode run(const RunArguments& arguments);
/// The same for a scene that is no file: `arguments.scene` is its name in messages and reports; its overrides, method
/// and steps are in `spec` already.
ExitCode run(const RunArguments& arguments, const SceneSpec& spec, const RunHooks& hooks);
ExitCode resume(const ResumeArguments& arguments, const RunHooks& hooks = {});
ExitCode check(const CheckArguments& arguments);
ExitCode convert(const ConvertArguments& arguments);
ExitCode repair(const RepairArguments& arguments);
ExitCode verify(const VerifyArguments& arguments);
ExitCode info(const std::string& file);

}  // namespace stiction::cli
