// Collision meshes: surfaces that hang in the tets of a solid and collide in place of the solid's own boundary.
#pragma once

#include "stiction/mesh/mesh.hpp"
#include "stiction/world/embedding.hpp"

#include <string>
#include <vector>

namespace stiction {

/// How far a vertex of a collision mesh may be outside of the tets that carry it, as a part of the diagonal of their
/// bounding box.
inline constexpr double farthest_outside = 0.05;

/// Hangs points in the tet that each is in, or, outside of all, in the nearest one (coordinates of any sign, as if the
/// tet went on). Weights are the shape functions of the tet there: barycentric coordinates, or those of second order.
/// Coordinates below 1e-12 count as zero, so that a point on a vertex, an edge or a face hangs on that alone. Where
/// several tets serve, the first in the list does.
/// @param name      of the body, for messages
/// @param vertices  of the body (m)
/// @param mesh      its tets, positive, and their mid nodes if it has some; its own vertices are not asked
/// @param points    m   @return one entry a point; `vertex` is the number of the point, carriers are local ids
/// @throws InputError naming a point farther outside than farthest_outside, or with a coordinate not in [-1, 2]
std::vector<EmbeddedVertex> hang_in_tets(const std::string& name, const std::vector<Vec3>& vertices, const Mesh& mesh,
                                         const std::vector<Vec3>& points);

/// A surface of flat triangles over that of quadratic tets.
struct CollisionProxy {
    std::vector<EmbeddedVertex> vertices;  ///< carriers are local ids; `vertex` counts from 0
    std::vector<Triangle> triangles;       ///< of these
};
/// Cuts each face of the boundary into `subdivisions` squared triangles, whose vertices hang on the six nodes of the
/// face with their shape functions. Edges of neighbours are cut alike.
/// @param mesh  with mid nodes   @param subdivisions  at least 1
CollisionProxy collision_proxy(const Mesh& mesh, int subdivisions);

}  // namespace stiction
