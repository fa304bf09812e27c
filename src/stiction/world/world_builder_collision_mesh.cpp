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
    STICTION_CHECK(
        index + 1 == body_count() && !deformables_.empty() && deformables_.back().body == index &&
            deformables_.back().material && !body.has_collision_mesh(),
        "a collision mesh belongs to the solid that was added last, and is its only one; one of second order "
        "is added without a proxy");
    if (surface.triangles.empty() || !surface.tets.empty() || !surface.edges.empty() || !surface.points.empty())
        throw InputError(
            body.name, "collision mesh",
            fmt::format("{} triangles, {} tets, {} bare edges and {} bare points", surface.triangles.size(),
                        surface.tets.size(), surface.edges.size(), surface.points.size()),
            "triangles and nothing else");
    check_vertices_differ(body.name, "triangle of the collision mesh", surface.triangles);
    check_distinct(body.name, "triangle of the collision mesh", surface.triangles);
    Mesh solid;
    solid.tets = body.mesh.tets;
    solid.mid_nodes = body.mesh.mid_nodes;
    hang_surface(index, hang_in_tets(body.name, deformables_.back().rest, solid, surface.vertices), surface.triangles);
}

void WorldBuilder::hang_surface(Index index, const std::vector<EmbeddedVertex>& hung,
                                const std::vector<Triangle>& triangles) {
    Body& body = world_.bodies.at(static_cast<std::size_t>(index));
    std::vector<Vec3>& rest = deformables_.back().rest;
    body.first_carried = body.vertex_count();
    const auto sum = [](const EmbeddedVertex& entry, const std::vector<Vec3>& of) {
        Vec3 result = Vec3::Zero();
        for (const Carrier& carrier : entry.carriers()) result += carrier.weight * of[at(carrier.vertex)];
        return result;
    };
    for (EmbeddedVertex entry : hung) {
        rest.push_back(sum(entry, rest));
        body.mesh.vertices.push_back(sum(entry, body.mesh.vertices));
        world_.body_of_vertex.push_back(index);
        entry.shift(body.first_vertex, body.first_vertex + body.first_carried);
        world_.embedded.push_back(entry);
        world_.carried.push_back(entry);
    }
    body.surface = triangles;
    for (Triangle& triangle : body.surface)
        for (Index& vertex : triangle) vertex += body.first_carried;
}

}  // namespace stiction
