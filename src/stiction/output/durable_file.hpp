// Files that are either complete or not there at all, even after a power cut.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace stiction {

/// Replaces `path` by `bytes`: written to "<path>.partial" beside it, flushed to the disk, renamed. A reader, or a
/// restart after a kill or a power cut, sees the old content or the new one, never a mixture. (mesh/atomic_file.hpp
/// does the same without the flush, which makes it faster and safe against a killed process only.) Throws InputError
/// naming the path when the disk refuses.
void write_durably(const std::filesystem::path& path, std::string_view bytes);

/// The first half of write_durably: writes and flushes "<path>.partial". A failure leaves nothing behind.
void write_aside(const std::filesystem::path& path, std::string_view bytes);
/// The second half: "<path>.partial" becomes `path`.
void put_in_place(const std::filesystem::path& path);

/// All bytes of a file. Throws InputError naming the path when it cannot be read.
std::string read_bytes(const std::filesystem::path& path);

}  // namespace stiction
