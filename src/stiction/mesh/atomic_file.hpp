// Files that appear whole or not at all.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace stiction {

/// Writes `bytes` to a temporary file beside `file` and renames it over `file`: a reader, or a run killed at any
/// moment, sees the old file or the new one, never a part.
/// @throws InputError naming the path when the folder does not exist or cannot be written, the disk is full, or `file`
/// is something
///         other than a regular file; the temporary file is removed and an old `file` stays as it was
void write_file_atomically(const std::filesystem::path& file, std::string_view bytes);

/// All bytes of a file; nothing when it is not there, is no regular file or cannot be read.
std::optional<std::string> read_whole_file(const std::filesystem::path& file);

}  // namespace stiction
