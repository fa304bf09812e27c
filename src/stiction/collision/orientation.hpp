// Exact signs of orientation determinants.
#pragma once

#include "stiction/base/types.hpp"

namespace stiction {

// All three functions return -1, 0 or +1: the sign of the determinant of the real numbers that the doubles stand for,
// for any finite input, subnormal and huge ones included. A floating-point filter decides most signs (bounds in
// orientation.cpp). The others are recomputed in integers of unlimited size. All throw InternalError if a coordinate is
// not finite.

/// Sign of det[b - a, c - a]: +1 if the triangle a, b, c is counter-clockwise, 0 if the points are collinear.
int orient2d(const Vec2& a, const Vec2& b, const Vec2& c);

/// Sign of det[b - a, c - a, d - a]: +1 if the tet a, b, c, d is positive (d on the side of the triangle a, b, c from
/// which the triangle looks counter-clockwise), 0 if the points are coplanar.
int orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

/// Sign of normal . (point - origin): +1 if the point is on the side that `normal` (of any length) points to, 0 on the
/// plane.
int plane_side(const Vec3& normal, const Vec3& origin, const Vec3& point);

}  // namespace stiction
