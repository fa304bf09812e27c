// The file from which a run goes on.
#pragma once

#include "stiction/world/state.hpp"
#include "stiction/world/world.hpp"

#include <filesystem>
#include <string>

namespace stiction {

/// Writes the exact bytes of `state` atomically and flushed to the disk.
void write_checkpoint(const std::filesystem::path& path, const State& state);

/// Throws InputError naming `source` when a state is none of `world`. `where` says in errors which world that is, such
/// as "of this scene".
void check_state(const State& state, const World& world, const std::string& source, const std::string& where);

/// Reads a checkpoint of a run of `world`. Throws InputError naming the file when it cannot be read, is damaged, or
/// belongs to a world with another number of vertices.
State read_checkpoint(const std::filesystem::path& path, const World& world);

}  // namespace stiction
