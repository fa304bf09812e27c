// Text scripts of the IPC reference code -> SceneSpec.
#pragma once

#include "stiction/scene/spec.hpp"

#include <string>

namespace stiction::scene {

/// Imports a script (docs/import_ipc_script.md). Mesh files are opened: positions, bounding boxes and vertex lists that
/// a script leaves to the program are worked out here, so that the result is an ordinary scene. Paths are tried from
/// the script's folder, then from the nearest folder above it that holds a folder `input`; the scene names them
/// relative to `origin.directory`.
/// @param text    the script
/// @param origin  file: for messages; directory: the script's folder
/// @throws InputError naming file, line, keyword and what was expected: an unknown keyword (with the nearest known
/// one), a wrong value, a feature that cannot be reproduced, a mesh that cannot be read
SceneSpec import_ipc_script(const std::string& text, const SceneOrigin& origin);

}  // namespace stiction::scene
