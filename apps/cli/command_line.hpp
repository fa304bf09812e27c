// The command `stiction`: reads the command line, hands over to a command, turns exceptions into exit codes.
#pragma once

namespace stiction::cli {

/// What `stiction ARGUMENTS` does. Does not throw. @return the exit code of the process (exit_code.hpp)
int command_line(int argc, const char* const* argv);

}  // namespace stiction::cli
