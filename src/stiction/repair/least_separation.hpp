// The shortest way by which one body leaves another.
#pragma once

#include "stiction/repair/shape.hpp"

#include <optional>

namespace stiction::repair {

/// A way of the first body of a pair: `length` (m) along a unit vector.
struct Separation {
    Vec3 direction = Vec3::Zero();
    double length = 0.0;
};

/// The shortest way found, from a shift (m) of the first body, to a place where the two are clear at `distance` (m).
/// Along each of a list of directions (the axes, from centre to centre, normals of triangles that are crossed, out of
/// the deepest place) the length is halved; then the best direction is varied. For convex bodies this is near the
/// shortest of all ways; for others it may be a longer one. Nothing where no way was found, as out of a closed surface
/// that the body does not fit in.
std::optional<Separation> least_separation(const ShapePair& pair, const Vec3& shift, double distance);

}  // namespace stiction::repair
