// What may follow a shape on its line in an IPC script.
#pragma once

#include "stiction/scene/import/ipc_script_lines.hpp"
#include "stiction/scene/import/ipc_script_words.hpp"

#include <string>

namespace stiction::scene {

/// Reads one extra of a shape: its material, velocities, driven and loaded boxes, or sequence of meshes.
/// @param extra  the keyword, already taken from `words`
/// @param file   of the script, for messages
/// Throws InputError for an unknown keyword and for values out of range.
void read_ipc_shape_extra(const std::string& extra, IpcShape& shape, const std::string& file, IpcWords& words);

}  // namespace stiction::scene
