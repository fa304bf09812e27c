#include "commands.hpp"

#include "stiction/base/error.hpp"
#include "stiction/output/durable_file.hpp"
#include "stiction/scene/parse.hpp"
#include "stiction/scene/resolve.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace stiction::cli {

ExitCode convert(const ConvertArguments& arguments) {
    namespace fs = std::filesystem;
    const fs::path output(arguments.output);
    std::error_code error;
    if (fs::equivalent(arguments.scene, output, error))
        throw InputError("", "--output", arguments.output, "another file than the scene");
    if (fs::exists(output) && !fs::is_regular_file(output))
        throw InputError("", "--output", arguments.output, "a file (this is something else)");
    if (!output.has_filename()) throw InputError("", "--output", arguments.output, "the name of a file");
    if (fs::exists(output) && !arguments.force)
        throw InputError("", "--output", arguments.output, "a file that does not exist yet (--force replaces it)");
    const SceneSpec spec = move_scene(parse_scene(arguments.scene), output.parent_path());
    write_durably(output, resolved_json(spec));
    if (spec.imported) {
        for (const std::string& key : spec.imported->without_effect) fmt::print("no effect here: {}\n", key);
        for (const std::string& note : spec.imported->notes) fmt::print("done otherwise here: {}\n", note);
    }
    fmt::print("{}\n", output.string());
    return exit_done;
}

}  // namespace stiction::cli
