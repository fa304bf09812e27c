// The subcommands of `stiction`: one function each. Bad input throws InputError.
#pragma once

#include "exit_code.hpp"

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

ExitCode run(const RunArguments& arguments);
ExitCode resume(const ResumeArguments& arguments);
ExitCode check(const CheckArguments& arguments);
ExitCode convert(const ConvertArguments& arguments);
ExitCode repair(const RepairArguments& arguments);
ExitCode verify(const VerifyArguments& arguments);
ExitCode info(const std::string& file);

}  // namespace stiction::cli
