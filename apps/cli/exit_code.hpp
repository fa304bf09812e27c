// Exit codes of the command, an interface (docs/cli.md).
#pragma once

namespace stiction::cli {

enum ExitCode : int {
    exit_done = 0,
    exit_bad_input = 1,      ///< a scene, mesh or option that cannot be used; a start in intersection
    exit_stopped = 2,        ///< the solver stopped short of the last step
    exit_found = 3,          ///< verify, --certify or an audit found something
    exit_internal = 4,       ///< a failure of the program itself
    exit_interrupted = 130,  ///< SIGINT or SIGTERM
};

}  // namespace stiction::cli
