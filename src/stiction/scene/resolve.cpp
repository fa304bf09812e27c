#include "stiction/scene/resolve.hpp"

#include "stiction/base/error.hpp"
#include "stiction/scene/json_writer.hpp"
#include "stiction/scene/placement.hpp"
#include "stiction/scene/spec_fields.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

namespace stiction {
namespace {

/// Copies files into one folder; the same source is copied once, different sources of one name get different names.
class FileStore {
public:
    FileStore(const SceneOrigin& origin, const std::filesystem::path& directory)
        : origin_(origin), directory_(directory) {}

    std::string store(const std::string& path, const std::string& field) {
        namespace fs = std::filesystem;
        const fs::path source = resolve_path(origin_, path);
        const auto known = stored_.find(source);
        if (known != stored_.end()) return known->second;
        std::string name = source.filename().string();
        for (int i = 1; !names_.insert(name).second; ++i) {
            name = fmt::format("{}_{}{}", source.stem().string(), i, source.extension().string());
        }
        const fs::path target = directory_ / "meshes" / name;
        std::error_code error;
        fs::create_directories(target.parent_path(), error);
        if (!fs::equivalent(source, target, error)) {
            fs::copy_file(source, target, fs::copy_options::overwrite_existing, error);
            if (error)
                throw InputError(origin_.file, field, source.string(),
                                 fmt::format("a file that can be copied to {} ({})", target.string(), error.message()));
        }
        return stored_[source] = "meshes/" + name;
    }

private:
    const SceneOrigin& origin_;
    std::filesystem::path directory_;
    std::map<std::filesystem::path, std::string> stored_;
    std::set<std::string> names_;
};

void store_selection(SelectionSpec& select, FileStore& files, const std::string& field) {
    if (select.file) select.file = files.store(*select.file, field + ".select.file");
}

void store_body(BodySpec& body, FileStore& files, const std::string& path) {
    if (body.mesh.file) body.mesh.file = files.store(*body.mesh.file, path + ".mesh.file");
    for (std::size_t i = 0; i < body.boundary.size(); ++i)
        store_selection(body.boundary[i].select, files, fmt::format("{}.boundary[{}]", path, i));
    for (std::size_t i = 0; i < body.forces.size(); ++i) {
        if (body.forces[i].select)
            store_selection(*body.forces[i].select, files, fmt::format("{}.forces[{}]", path, i));
    }
}

void store_obstacle(ObstacleSpec& obstacle, const SceneOrigin& origin, FileStore& files, const std::string& path) {
    if (obstacle.mesh && obstacle.mesh->file)
        obstacle.mesh->file = files.store(*obstacle.mesh->file, path + ".mesh.file");
    if (!obstacle.sequence) return;
    auto& sequence = *obstacle.sequence;
    std::vector<std::string> copies;
    for (const auto& file : sequence_files(sequence, origin, path + ".sequence"))
        copies.push_back(files.store(file, path + ".sequence"));
    sequence.files = std::move(copies);
    sequence.folder.reset();
}

}  // namespace

std::string resolved_json(const SceneSpec& spec) {
    SceneSpec copy = spec;  // archives take what they visit by reference
    return scene::JsonWriter().write(copy).dump(2) + "\n";
}

SceneSpec make_self_contained(const SceneSpec& spec, const std::filesystem::path& directory) {
    SceneSpec result = spec;
    FileStore files(spec.origin, directory);
    for (std::size_t i = 0; i < result.bodies.size(); ++i)
        store_body(result.bodies[i], files, fmt::format("bodies[{}]", i));
    for (std::size_t i = 0; i < result.obstacles.size(); ++i)
        store_obstacle(result.obstacles[i], spec.origin, files, fmt::format("obstacles[{}]", i));
    result.origin = {(directory / "scene.json").string(), directory};
    return result;
}

bool operator==(const SceneSpec& a, const SceneSpec& b) {
    return a.origin.file == b.origin.file && a.origin.directory == b.origin.directory &&
           resolved_json(a) == resolved_json(b);
}

}  // namespace stiction
