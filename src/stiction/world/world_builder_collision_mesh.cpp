// Collision meshes of solids.
#include "stiction/base/error.hpp"
#include "stiction/world/collision_mesh.hpp"
#include "stiction/world/element_checks.hpp"
#include "stiction/world/world_builder.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiction {

void WorldBuilder::set_collision_mesh(Index index, const Mesh& surface) {
    Body& body = world_.bodies.at(static_cast<std::size_t>(index));
    STICTION_CHECK(index + 1 == body_count() && !deformables_.empty() && deformables_.back().body == index &&
                       deformables_.back().material && !body.has_collision_mesh(),
                   "a collision mesh belongs to the solid that was added last, and is its only one");
    if (surface.triangles.empty() || !surface.tets.empty() || !surface.edges.empty() || !surface.points.empty())
        throw InputError(
            body.name, "collision mesh",
            fmt::format("{} triangles, {} tets, {} bare edges and {} bare points", surface.triangles.size(),
                        surface.tets.size(), surface.edges.size(), surface.points.size()),
            "triangles and nothing else");
    check_vertices_differ(body.name, "triangle of the collision mesh", surface.triangles);
    check_distinct(body.name, "triangle of the collision mesh", surface.triangles);
    std::vector<Vec3>& rest = deformables_.back().rest;
    const std::vector<EmbeddedVertex> hung = hang_in_tets(body.name, rest, body.mesh.tets, surface.vertices);
    body.first_carried = body.vertex_count();
    const auto sum = [](const EmbeddedVertex& entry, const std::vector<Vec3>& of) {
        Vec3 result = Vec3::Zero();
        for (std::size_t k = 0; k < 4; ++k)
            if (entry.weights[k] != 0.0) result += entry.weights[k] * of[static_cast<std::size_t>(entry.frame[k])];
        return result;
    };
    for (EmbeddedVertex entry : hung) {
        rest.push_back(sum(entry, rest));
        body.mesh.vertices.push_back(sum(entry, body.mesh.vertices));
        world_.body_of_vertex.push_back(index);
        entry.vertex += body.first_vertex + body.first_carried;
        for (Index& vertex : entry.frame) vertex += body.first_vertex;
        world_.embedded.push_back(entry);
        world_.carried.push_back(entry);
    }
    body.surface = surface.triangles;
    for (Triangle& triangle : body.surface)
        for (Index& vertex : triangle) vertex += body.first_carried;
}

}  // namespace stiction
