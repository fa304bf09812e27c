#include "commands.hpp"
#include "output_file.hpp"

#include "stiction/base/counted_lines.hpp"
#include "stiction/output/durable_file.hpp"
#include "stiction/scene/parse.hpp"
#include "stiction/scene/resolve.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace stiction::cli {

ExitCode convert(const ConvertArguments& arguments) {
    const std::filesystem::path output(arguments.output);
    check_output_file(output, arguments.scene, arguments.force);
    const SceneSpec spec = move_scene(parse_scene(arguments.scene), output.parent_path());
    write_durably(output, resolved_json(spec));
    if (spec.imported) {
        for (const std::string& key : spec.imported->without_effect) fmt::print("no effect here: {}\n", key);
        for (const std::string& note : counted_lines(spec.imported->notes))
            fmt::print("done otherwise here: {}\n", note);
    }
    fmt::print("{}\n", output.string());
    return exit_done;
}

}  // namespace stiction::cli
