#include "stiction/scene/obstacle_mesh.hpp"

#include "stiction/base/error.hpp"
#include "stiction/scene/motion.hpp"
#include "stiction/scene/placement.hpp"
#include "stiction/scene/scales.hpp"

#include <fmt/format.h>

namespace stiction {
namespace {

void check_collides(const Mesh& mesh, const ObstacleSpec& obstacle, const SceneOrigin& origin,
                    const std::string& path) {
    if (mesh.vertices.empty())
        throw InputError(origin.file, path + ".use", "\"" + obstacle.use + "\"",
                         "a kind of primitive that the mesh has");
}

bool same_elements(const Mesh& a, const Mesh& b) {
    return a.vertices.size() == b.vertices.size() && a.triangles == b.triangles && a.edges == b.edges &&
           a.points == b.points;
}

}  // namespace

Mesh load_obstacle(const ObstacleSpec& obstacle, const SceneOrigin& origin, const std::string& path,
                   std::vector<Index>& new_id) {
    Mesh loaded = load_mesh(*obstacle.mesh, origin, path + ".mesh");
    loaded.mid_nodes.clear();  // obstacles are of flat triangles
    Mesh mesh = colliding_part(loaded, obstacle.use, new_id);
    check_collides(mesh, obstacle, origin, path);
    const Placement place = make_placement(obstacle.transform, mesh.vertices, origin.file, path + ".transform");
    for (Vec3& x : mesh.vertices) x = place(x);
    if (obstacle.start)
        mesh.vertices = start_positions(*obstacle.start, mesh.vertices, new_id, origin.file, path + ".start");
    check_size(mesh, false, origin, path);
    return mesh;
}

ObstacleSequence load_sequence(const ObstacleSpec& obstacle, const SceneOrigin& origin, const std::string& path,
                               const std::function<void(const Mesh&)>& loaded) {
    const std::string field = path + ".sequence";
    const auto files = sequence_files(*obstacle.sequence, origin, field);
    const SceneOrigin on_disk{origin.file, origin.directory};  // a mesh in memory may have such a path
    ObstacleSequence result;
    auto trajectory = std::make_shared<SequenceTrajectory>();
    trajectory->start = obstacle.sequence->start;
    trajectory->interval = obstacle.sequence->interval;
    std::vector<Index> new_id;
    Placement place;
    const bool placed = obstacle.mesh.has_value();
    if (placed) {
        result.mesh = load_obstacle(obstacle, origin, path, new_id);
        loaded(result.mesh);
        trajectory->start -= trajectory->interval;
        trajectory->frames.push_back(result.mesh.vertices);
    }
    for (std::size_t k = 0; k < files.size(); ++k) {
        Mesh mesh = read_scene_mesh(files[k], on_disk, field);
        if (placed) {
            // Of the files the vertices alone count.
            mesh.vertices = kept_entries(mesh.vertices, new_id, origin.file, fmt::format("{}: {}", field, files[k]));
        } else {
            mesh = colliding_part(std::move(mesh), obstacle.use, new_id);
            check_collides(mesh, obstacle, origin, path);
            if (k == 0) place = make_placement(obstacle.transform, mesh.vertices, origin.file, path + ".transform");
            if (k > 0 && !same_elements(mesh, result.mesh))
                throw InputError(origin.file, field, files[k],
                                 fmt::format("the same vertices and elements as in {}", files[0]));
            for (Vec3& x : mesh.vertices) x = place(x);
        }
        check_size(mesh, false, origin, path);
        loaded(mesh);
        trajectory->frames.push_back(mesh.vertices);
        if (k == 0 && !placed) result.mesh = std::move(mesh);
    }
    result.trajectory = std::move(trajectory);
    return result;
}

}  // namespace stiction
