// Files that a command writes on request.
#pragma once

#include <filesystem>
#include <string>

namespace stiction::cli {

/// Refuses an `--output` that is the scene itself, that is no plain file, or that is there already without `force`.
/// @throws InputError
void check_output_file(const std::filesystem::path& output, const std::string& scene, bool force);

}  // namespace stiction::cli
