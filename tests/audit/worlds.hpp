// Small worlds for the audit's tests.
#pragma once

#include "stiction/audit/audit.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/world/world_builder.hpp"

#include "collision/intersection_reference.hpp"

namespace stiction::testing {

inline Mesh moved(Mesh mesh, const Vec3& by) {
    for (Vec3& p : mesh.vertices) p += by;
    return mesh;
}

/// A world with nothing but a collision surface.
inline World bare_world(const Soup& soup) {
    World world;
    world.surface = soup.surface();
    world.contact_pairs = soup.table();
    world.body_of_vertex = soup.body;
    for (Index b = 0; b < world.contact_pairs.size(); ++b) {
        Body body;
        body.name = std::string(1, static_cast<char>('a' + b));
        body.mesh.vertices.clear();
        body.first_vertex = static_cast<Index>(std::find(soup.body.begin(), soup.body.end(), b) - soup.body.begin());
        for (const Triangle& t : soup.triangles) {
            if (soup.body[static_cast<std::size_t>(t[0])] == b) body.surface.push_back(t);
        }
        world.bodies.push_back(body);
    }
    return world;
}

inline std::vector<audit::Intersection> audited(const Soup& soup) {
    return audit::find_intersections(bare_world(soup), soup.x());
}

}  // namespace stiction::testing
