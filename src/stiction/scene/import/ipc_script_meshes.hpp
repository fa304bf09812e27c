// The mesh files that an IPC script names. Part of import_ipc_script.
#pragma once

#include "stiction/scene/import/ipc_script_stage.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stiction::scene {

/// Finds and opens the mesh files of a script, each once.
class IpcMeshLibrary {
public:
    /// @param origin  of the script; must outlive this
    explicit IpcMeshLibrary(const SceneOrigin& origin);

    /// @param line      where the script names the file, for messages
    /// @param obstacle  whether a mesh obstacle names it, whose triangles count
    /// @throws InputError when there is no such file or it cannot be used
    std::shared_ptr<const IpcMesh> open(const std::string& file, int line, bool obstacle);

    /// FOLDER/k.EXTENSION for k = first, first + 1, ... as long as there is such a file, as paths of the scene.
    std::vector<std::string> frames(const std::string& folder, const std::string& extension, int first) const;
    /// Path of a scene, relative to its directory; nothing when there is no such file or folder.
    std::optional<std::string> find(const std::string& file) const;

private:
    std::shared_ptr<const IpcMesh> load(const std::string& file, int line, bool obstacle) const;

    const SceneOrigin& origin_;
    std::filesystem::path start_, root_;
    std::map<std::pair<std::string, bool>, std::shared_ptr<const IpcMesh>> meshes_;
};

}  // namespace stiction::scene
