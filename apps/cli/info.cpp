#include "commands.hpp"

#include "stiction/base/error.hpp"
#include "stiction/mesh/info.hpp"
#include "stiction/mesh/read.hpp"

#include <fmt/format.h>

namespace stiction::cli {

ExitCode info(const std::string& file) {
    if (file.ends_with(".json"))
        throw InputError(file, "", "a scene", "a mesh file (`stiction check` looks at scenes)");
    fmt::print("{}\n{}", file, to_text(inspect(read_mesh(file))));
    return exit_done;
}

}  // namespace stiction::cli
