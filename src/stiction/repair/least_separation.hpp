// The shortest way by which one body leaves another.
#pragma once

#include "stiction/repair/least_way.hpp"
#include "stiction/repair/shape.hpp"

#include <optional>

namespace stiction::repair {

/// The shortest way found of the first body, from a shift (m), to a place where the two are clear at `distance` (m).
/// Directions that are tried: axes and diagonals, from centre to centre, normals of triangles that are crossed, out of
/// the deepest place. For convex bodies this is near the shortest of all ways; for others it may be a longer one.
/// Nothing where no way was found, as out of a closed surface that the body does not fit in.
std::optional<Way> least_separation(const ShapePair& pair, const Vec3& shift, double distance);

/// Length (m) of a way along a unit vector after which the first body, moved by `shift` before, is behind a plane from
/// the second.
double length_beyond(const Shape& first, const Vec3& shift, const Shape& second, const Vec3& direction);

}  // namespace stiction::repair
