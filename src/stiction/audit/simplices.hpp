// Do closed points, segments and triangles have a common point? Without rounding.
#pragma once

#include "stiction/base/types.hpp"

namespace stiction::audit {

// All primitives are closed: touching counts. Segments of no length and triangles of no area are the point or segment
// that they are.

bool point_on_segment(const Vec3& p, const Vec3& a, const Vec3& b);
bool point_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c);
bool segments_meet(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b);
bool segment_meets_triangle(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c);

/// Segments s q and s b with the common end s: do they meet anywhere but in s, or does q or b itself lie where the
/// other segment is?
bool hinged_segments_meet(const Vec3& s, const Vec3& q, const Vec3& b);
/// Segment s q and triangle s b c with the common vertex s: the same question.
bool hinged_segment_meets_triangle(const Vec3& s, const Vec3& q, const Vec3& b, const Vec3& c);

}  // namespace stiction::audit
