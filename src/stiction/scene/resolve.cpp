#include "stiction/scene/resolve.hpp"

#include "stiction/base/error.hpp"
#include "stiction/mesh/read.hpp"
#include "stiction/mesh/write.hpp"
#include "stiction/scene/json_writer.hpp"
#include "stiction/scene/placement.hpp"
#include "stiction/scene/spec_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace stiction {
namespace {

namespace fs = std::filesystem;

bool equal_contents(const fs::path& a, const fs::path& b) {
    std::error_code error;
    if (!fs::is_regular_file(b, error) || fs::file_size(a, error) != fs::file_size(b, error) || error) return false;
    std::ifstream first(a, std::ios::binary), second(b, std::ios::binary);
    return first && second &&
           std::equal(std::istreambuf_iterator<char>(first), {}, std::istreambuf_iterator<char>(second));
}

/// The mesh in memory that the scene names there; null: a file. Sequences and lists are files whatever they are called.
const Mesh* mesh_in_memory(const SceneOrigin& origin, const std::string& path, const std::string& field) {
    if (!field.ends_with(".mesh.file") && !field.ends_with(".collision_mesh.file")) return nullptr;
    const auto given = origin.meshes.find(path);
    return given != origin.meshes.end() ? given->second.get() : nullptr;
}

/// Copies files, and writes meshes that are in memory, into the folder "meshes" of a directory. The same source is
/// copied once; different sources of one name, and one whose name something else has there already, get different
/// names. Unless `keep` is called, the copies go away again.
class FileStore {
public:
    FileStore(const SceneOrigin& origin, const fs::path& directory) : origin_(origin), folder_(directory / "meshes") {}
    ~FileStore() {
        std::error_code error;
        for (const fs::path& path : created_) fs::remove(path, error);
    }
    FileStore(const FileStore&) = delete;
    FileStore& operator=(const FileStore&) = delete;

    std::string store(const std::string& path, const std::string& field) {
        const Mesh* mesh = mesh_in_memory(origin_, path, field);
        const fs::path source = resolve_path(origin_, path);
        // A file may be called as a mesh in memory is.
        const std::pair key(source, mesh);
        const auto known = stored_.find(key);
        if (known != stored_.end()) return known->second;
        make_folder();
        std::error_code error;
        std::string name = source.filename().string();
        for (int i = 1;; ++i) {
            const fs::path target = folder_ / name;
            const bool is_free = names_.insert(name).second;
            if (is_free && !fs::exists(fs::symlink_status(target, error))) {
                mesh != nullptr ? write(*mesh, target) : copy(source, target, field);
                if (mesh == nullptr && lower_extension(source) == ".ele")
                    copy(companion(source), companion(target), field);
                break;
            }
            if (is_free && mesh == nullptr && is_copy(source, target)) break;
            name = fmt::format("{}_{}{}", source.stem().string(), i, source.extension().string());
        }
        return stored_[key] = "meshes/" + name;
    }

    void keep() { created_.clear(); }

private:
    void make_folder() {
        std::error_code error;
        if (fs::create_directories(folder_, error)) created_.push_front(folder_);
        if (error) throw InputError(folder_.string() + ": cannot be created: " + error.message());
    }

    void write(const Mesh& mesh, const fs::path& target) {
        created_.push_front(target);
        write_mesh(target, mesh);
    }

    static bool is_copy(const fs::path& source, const fs::path& target) {
        std::error_code error;
        if (fs::equivalent(source, target, error)) return true;
        const bool lone = lower_extension(source) != ".ele";
        return equal_contents(source, target) && (lone || equal_contents(companion(source), companion(target)));
    }

    /// The file of vertices of TetGen's file of tets.
    static fs::path companion(fs::path file) { return file.replace_extension(".node"); }

    void copy(const fs::path& source, const fs::path& target, const std::string& field) {
        created_.push_front(target);
        std::error_code error;
        fs::copy_file(source, target, error);
        if (error)
            throw InputError(origin_.file, field, source.string(),
                             fmt::format("a file that can be copied to {} ({})", target.string(), error.message()));
    }

    const SceneOrigin& origin_;
    fs::path folder_;
    std::map<std::pair<fs::path, const Mesh*>, std::string> stored_;
    std::set<std::string> names_;
    std::deque<fs::path> created_;  ///< the last one first
};

template <class Visit>
void visit_selection(SelectionSpec& select, const std::string& field, const Visit& visit) {
    if (select.file) visit(*select.file, field + ".select.file");
}

template <class Visit>
void visit_body(BodySpec& body, const std::string& path, const Visit& visit) {
    if (body.mesh.file) visit(*body.mesh.file, path + ".mesh.file");
    if (body.collision_mesh && body.collision_mesh->file)
        visit(*body.collision_mesh->file, path + ".collision_mesh.file");
    for (std::size_t i = 0; i < body.boundary.size(); ++i)
        visit_selection(body.boundary[i].select, fmt::format("{}.boundary[{}]", path, i), visit);
    for (std::size_t i = 0; i < body.parts.size(); ++i)
        visit_selection(body.parts[i].select, fmt::format("{}.parts[{}]", path, i), visit);
    for (std::size_t i = 0; i < body.forces.size(); ++i) {
        if (body.forces[i].select)
            visit_selection(*body.forces[i].select, fmt::format("{}.forces[{}]", path, i), visit);
    }
}

/// A folder of a sequence becomes the list of its files.
template <class Visit>
void visit_obstacle(ObstacleSpec& obstacle, const SceneOrigin& origin, const std::string& path, const Visit& visit) {
    if (obstacle.mesh && obstacle.mesh->file) visit(*obstacle.mesh->file, path + ".mesh.file");
    for (std::size_t i = 0; i < obstacle.motion.size(); ++i) {
        if (obstacle.motion[i].select)
            visit_selection(*obstacle.motion[i].select, fmt::format("{}.motion[{}]", path, i), visit);
    }
    if (!obstacle.sequence) return;
    auto& sequence = *obstacle.sequence;
    sequence.files = sequence_files(sequence, origin, path + ".sequence");
    sequence.folder.reset();
    for (auto& file : *sequence.files) visit(file, path + ".sequence");
}

/// visit(path as the scene has it, path of the key) for every file; it may change the former.
template <class Visit>
void visit_files(SceneSpec& spec, const Visit& visit) {
    for (std::size_t i = 0; i < spec.bodies.size(); ++i)
        visit_body(spec.bodies[i], fmt::format("bodies[{}]", i), visit);
    for (std::size_t i = 0; i < spec.obstacles.size(); ++i)
        visit_obstacle(spec.obstacles[i], spec.origin, fmt::format("obstacles[{}]", i), visit);
}

}  // namespace

std::string resolved_json(const SceneSpec& spec) {
    SceneSpec copy = spec;  // archives take what they visit by reference
    return scene::JsonWriter().write(copy).dump(2) + "\n";
}

std::vector<InputFile> input_files(const SceneSpec& spec) {
    SceneSpec copy = spec;
    std::vector<InputFile> files;
    visit_files(copy, [&](const std::string& path, const std::string& field) {
        if (mesh_in_memory(spec.origin, path, field) == nullptr)
            files.push_back({resolve_path(spec.origin, path), field});
    });
    return files;
}

SceneSpec make_self_contained(const SceneSpec& spec, const std::filesystem::path& directory) {
    SceneSpec result = spec;
    FileStore files(spec.origin, directory);
    visit_files(result, [&](std::string& path, const std::string& field) { path = files.store(path, field); });
    files.keep();
    result.origin = {(directory / "scene.json").string(), directory};
    return result;
}

SceneSpec move_scene(const SceneSpec& spec, const std::filesystem::path& directory) {
    SceneSpec result = spec;
    const auto target = std::filesystem::absolute(directory.empty() ? "." : directory).lexically_normal();
    visit_files(result, [&](std::string& path, const std::string& field) {
        if (mesh_in_memory(spec.origin, path, field) != nullptr) return;
        path = std::filesystem::absolute(resolve_path(spec.origin, path))
                   .lexically_normal()
                   .lexically_relative(target)
                   .generic_string();
    });
    result.origin = {(directory / "scene.json").string(), directory, spec.origin.meshes};
    return result;
}

bool operator==(const SceneSpec& a, const SceneSpec& b) {
    return a.origin.file == b.origin.file && a.origin.directory == b.origin.directory &&
           resolved_json(a) == resolved_json(b);
}

}  // namespace stiction
