// SceneSpec -> the text that says the same with nothing left to defaults.
#pragma once

#include "stiction/scene/spec.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace stiction {

/// The scene as JSON with every key that has a value, defaults and applied overrides included. parse_scene_text of it,
/// with the same origin, gives an equal spec. Keys that are absent mean what docs/scene.md says about their absence.
std::string resolved_json(const SceneSpec& spec);

/// Copies every file that the scene names into directory/meshes, byte for byte, writes the meshes that it has in
/// memory there (as MSH unless their path has another extension that can be written), and returns the scene that refers
/// to the copies, with origin directory/scene.json. Folders of sequences become lists of files; generated meshes stay
/// calls of their generator. Throws InputError when a file cannot be read or written; then no copy is left behind.
/// A file of the same name that lies there already stays: the copy gets another name, unless the contents are equal.
SceneSpec make_self_contained(const SceneSpec& spec, const std::filesystem::path& directory);

/// A file that a scene names.
struct InputFile {
    std::filesystem::path path;  ///< resolved
    std::string field;           ///< path of the key
};

/// Every mesh, list and file of a sequence that the scene names and that is not in memory, in the order of the scene.
/// Throws InputError for a folder of a sequence that cannot be read.
std::vector<InputFile> input_files(const SceneSpec& spec);

/// The same scene for a file in `directory`: paths are relative to it. Copies nothing; folders of sequences become
/// lists of files.
SceneSpec move_scene(const SceneSpec& spec, const std::filesystem::path& directory);

/// Same origin and same resolved text.
bool operator==(const SceneSpec& a, const SceneSpec& b);

}  // namespace stiction
