// The file from which a run goes on.
#pragma once

#include "stiction/world/state.hpp"
#include "stiction/world/world.hpp"

#include <filesystem>

namespace stiction {

/// Writes the exact bytes of `state` atomically and flushed to the disk.
void write_checkpoint(const std::filesystem::path& path, const State& state);

/// Reads a checkpoint of a run of `world`. Throws InputError naming the file when it cannot be read, is damaged, or
/// belongs to a world with another number of vertices.
State read_checkpoint(const std::filesystem::path& path, const World& world);

}  // namespace stiction
