// Scene file -> SceneSpec.
#pragma once

#include "stiction/scene/spec.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace stiction {

/// Reads and validates a scene. Defaults are filled in; mesh files are not opened yet (compile_scene does that).
/// @param overrides  "a.b[0].c=value" entries, applied in order before anything is checked
/// @throws InputError naming file, path of the key, value and what was expected
SceneSpec parse_scene(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});

/// The same from text. `file` is used in messages, `directory` is where relative mesh paths start.
SceneSpec parse_scene_text(const std::string& text, const std::string& file = "",
                           const std::filesystem::path& directory = {}, const std::vector<std::string>& overrides = {});
/// The same with meshes that are in memory.
SceneSpec parse_scene_text(const std::string& text, const SceneOrigin& origin,
                           const std::vector<std::string>& overrides = {});

/// The text of a scene file; of one of another program, the text of the scene that it is imported as, with the same
/// paths.
/// @throws InputError as parse_scene does
std::string read_scene_text(const std::filesystem::path& file);

/// Checks the text of one object out of a scene file alone: "body", "obstacle", "pair", "boundary", "motion", "force",
/// "select" or "scene" (without its bodies). Messages begin with `name`.
/// @throws InputError as parse_scene_text does; InternalError for another kind
void check_scene_part(const std::string& kind, const std::string& text, const std::string& name);

/// Checks what one key alone cannot tell: names, pairs, intervals, formulas, combinations. parse_scene and
/// compile_scene call it.
/// @throws InputError
void validate_scene(const SceneSpec& spec);

}  // namespace stiction
