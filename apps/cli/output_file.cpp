#include "output_file.hpp"

#include "stiction/base/error.hpp"

namespace stiction::cli {

void check_output_file(const std::filesystem::path& output, const std::string& scene, bool force) {
    namespace fs = std::filesystem;
    std::error_code error;
    const std::string name = output.string();
    if (fs::equivalent(scene, output, error)) throw InputError("", "--output", name, "another file than the scene");
    if (fs::exists(output) && !fs::is_regular_file(output))
        throw InputError("", "--output", name, "a file (this is something else)");
    if (!output.has_filename()) throw InputError("", "--output", name, "the name of a file");
    if (fs::exists(output) && !force)
        throw InputError("", "--output", name, "a file that does not exist yet (--force replaces it)");
}

}  // namespace stiction::cli
