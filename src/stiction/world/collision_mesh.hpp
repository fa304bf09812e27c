// Collision meshes: surfaces that hang in the tets of a solid and collide in place of the solid's own boundary.
#pragma once

#include "stiction/base/types.hpp"
#include "stiction/world/embedding.hpp"

#include <string>
#include <vector>

namespace stiction {

/// How far a vertex of a collision mesh may be outside of the tets that carry it, as a part of the diagonal of their
/// bounding box.
inline constexpr double farthest_outside = 0.05;

/// Hangs points in the tet that each is in (barycentric coordinates), or, outside of all, in the nearest one
/// (coordinates of any sign, as if the tet went on). Coordinates below 1e-12 count as zero, so that a point on a
/// vertex, an edge or a face hangs on that alone. Where several tets serve, the first in the list does.
/// @param name      of the body, for messages
/// @param vertices  m   @param tets  positive
/// @param points    m   @return one entry a point; `vertex` is the number of the point, `frame` are local ids
/// @throws InputError naming a point farther outside than farthest_outside, or with a coordinate not in [-1, 2]
std::vector<EmbeddedVertex> hang_in_tets(const std::string& name, const std::vector<Vec3>& vertices,
                                         const std::vector<Tet>& tets, const std::vector<Vec3>& points);

}  // namespace stiction
