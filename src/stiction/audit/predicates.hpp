// Signs of determinants without rounding.
#pragma once

#include "stiction/base/types.hpp"

namespace stiction::audit {

// All of them are exact for all finite doubles, those that overflow or underflow when multiplied included: a floating
// filter with a proven bound, then expansions, then integers of any length (docs/physics/audit.md). Coordinates that
// are not finite give no meaningful sign.

/// Sign of det[b - a, c - a, d - a]: +1 for a positive tet (mesh/mesh.hpp), 0 when the four points lie in one plane.
int orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

/// Sign of det[b - a, c - a]: +1 when a, b, c turn counter-clockwise, 0 when they lie on one line.
int orient2d(const Vec2& a, const Vec2& b, const Vec2& c);

/// Sign of n . (p - o): +1 on the side of the plane through o that n points to.
int plane_side(const Vec3& n, const Vec3& o, const Vec3& p);

}  // namespace stiction::audit
