// Changes of the text of a scene file that leave everything else in it as its author wrote it.
#pragma once

#include "stiction/scene/spec.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace stiction {

/// The text of a scene with bodies moved at t = 0: `transform.translation` changes, of a body with a `start` that one
/// moves instead. Selections by place (`box`, `sphere`, `half_space`) of parts and forces move with their body, so that
/// they hold the same vertices.
/// @param text    a scene of ours
/// @param spec    what parse_scene_text made of it
/// @param shifts  one a body (m); a body with a shift of zero stays as it is
std::string shifted_scene_text(const std::string& text, const SceneSpec& spec, const std::vector<Vec3>& shifts);

/// The text of a scene for a file in the folder `to` instead of `from`: relative paths of meshes, lists and sequences
/// lead to the same files. Unchanged where both are the same folder.
std::string relocated_scene_text(const std::string& text, const std::filesystem::path& from,
                                 const std::filesystem::path& to);

}  // namespace stiction
