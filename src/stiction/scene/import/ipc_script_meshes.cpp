#include "stiction/scene/import/ipc_script_meshes.hpp"

#include "stiction/base/error.hpp"
#include "stiction/mesh/read.hpp"
#include "stiction/mesh/topology.hpp"
#include "stiction/scene/placement.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiction::scene {
namespace {

namespace fs = std::filesystem;

void mark_vertices(IpcMesh& entry) {
    Mesh copy = entry.mesh;
    if (entry.tets) {
        copy.triangles.clear(), copy.triangle_tags.clear(), copy.further_triangle_tags.clear();
        copy.edges.clear(), copy.points.clear();
    }
    const MeshSurface surface = extract_surface(copy);
    entry.surface.assign(copy.vertices.size(), 0);
    for (const Index vertex : surface.vertices) entry.surface[static_cast<std::size_t>(vertex)] = 1;
    entry.used = entry.surface;
    for (const Tet& tet : copy.tets)
        for (const Index vertex : tet) entry.used[static_cast<std::size_t>(vertex)] = 1;
}

}  // namespace

IpcMeshLibrary::IpcMeshLibrary(const SceneOrigin& origin) : origin_(origin) {
    std::error_code error;
    start_ = fs::absolute(origin.directory.empty() ? fs::path(".") : origin.directory, error).lexically_normal();
    if (!start_.has_filename()) start_ = start_.parent_path();
    for (fs::path folder = start_;; folder = folder.parent_path()) {
        if (fs::is_directory(folder / "input", error)) {
            root_ = folder;
            break;
        }
        if (folder == folder.parent_path()) break;
    }
}

std::shared_ptr<const IpcMesh> IpcMeshLibrary::open(const std::string& file, int line, bool obstacle) {
    auto& entry = meshes_[{file, obstacle}];
    if (!entry) entry = load(file, line, obstacle);
    return entry;
}

std::optional<std::string> IpcMeshLibrary::find(const std::string& file) const {
    std::error_code error;
    if (fs::path(file).is_absolute()) {
        if (fs::exists(file, error)) return file;
        return std::nullopt;
    }
    for (const fs::path& folder : {start_, root_}) {
        if (folder.empty() || !fs::exists(folder / file, error)) continue;
        return (folder / file).lexically_normal().lexically_relative(start_).generic_string();
    }
    return std::nullopt;
}

std::vector<std::string> IpcMeshLibrary::frames(const std::string& folder, const std::string& extension,
                                                int first) const {
    std::vector<std::string> files;
    for (int k = first;; ++k) {
        const auto file = find((fs::path(folder) / fmt::format("{}{}", k, extension)).generic_string());
        if (!file) return files;
        files.push_back(*file);
    }
}

std::shared_ptr<const IpcMesh> IpcMeshLibrary::load(const std::string& name, int line, bool obstacle) const {
    // A name without an extension is that of TetGen's pair of files.
    const std::string file = fs::path(name).has_extension() ? name : name + ".ele";
    const std::string extension = lower_extension(file);
    auto result = std::make_shared<IpcMesh>();
    result->use = extension == ".seg" ? "edges" : extension == ".pt" ? "points" : "triangles";
    result->tets = extension == ".msh" || extension == ".ele";
    const std::string field = fmt::format("line {}", line);
    if (obstacle && extension != ".obj") throw InputError(origin_.file, field, file, "a mesh file .obj");
    if (!result->tets && extension != ".obj" && extension != ".seg" && extension != ".pt")
        throw InputError(origin_.file, field, file, "a mesh file .msh, .ele, .obj, .seg or .pt");
    auto path = find(file);
    // Edges and points may come from the surface of the same name.
    if (!path && (extension == ".seg" || extension == ".pt"))
        path = find(fs::path(file).replace_extension(".obj").string());
    if (!path) {
        std::string places = (start_ / file).lexically_normal().string();
        if (!root_.empty() && root_ != start_) places += " or " + (root_ / file).lexically_normal().string();
        throw InputError(origin_.file, field, file, "a file that exists: " + places);
    }
    result->path = *path;
    result->mesh = read_scene_mesh(*path, origin_, field);
    if (result->tets) result->use = "surface";
    if (result->tets && result->mesh.tets.empty())
        throw InputError(origin_.file, field, file, "a mesh with tetrahedra");
    mark_vertices(*result);
    return result;
}

}  // namespace stiction::scene
