#include "stiction/audit/simplices.hpp"

#include "stiction/audit/predicates.hpp"

#include <algorithm>

namespace stiction::audit {
namespace {

/// Leaving out one coordinate.
Vec2 shadow(const Vec3& p, int axis) {
    return {p[(axis + 1) % 3], p[(axis + 2) % 3]};
}

int turn(const Vec3& a, const Vec3& b, const Vec3& c, int axis) {
    return orient2d(shadow(a, axis), shadow(b, axis), shadow(c, axis));
}

/// A coordinate without which a, b, c are still no line, so that their plane is seen without folds; -1 if they lie on
/// one line.
int flattening_axis(const Vec3& a, const Vec3& b, const Vec3& c) {
    for (int axis = 0; axis < 3; ++axis) {
        if (turn(a, b, c, axis) != 0) return axis;
    }
    return -1;
}

bool in_box(const Vec3& p, const Vec3& a, const Vec3& b) {
    return (p.array() >= a.cwiseMin(b).array()).all() && (p.array() <= a.cwiseMax(b).array()).all();
}

// In the plane, seen along `axis`.
// --------------------------------------------------------------------------------------------------------------

bool flat_point_in_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c, int axis) {
    const int side = turn(a, b, c, axis);
    return side * turn(a, b, p, axis) >= 0 && side * turn(b, c, p, axis) >= 0 && side * turn(c, a, p, axis) >= 0;
}

bool flat_segments_meet(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, int axis) {
    const int pa = turn(p, q, a, axis), pb = turn(p, q, b, axis), ap = turn(a, b, p, axis), aq = turn(a, b, q, axis);
    if (pa * pb < 0 && ap * aq < 0) return true;
    // Otherwise they meet in an end, if at all. All points are in the plane, so a turn of zero is a line in space, too.
    return (pa == 0 && in_box(a, p, q)) || (pb == 0 && in_box(b, p, q)) || (ap == 0 && in_box(p, a, b)) ||
           (aq == 0 && in_box(q, a, b));
}

bool segment_meets_flat_triangle(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c) {
    return segments_meet(p, q, a, b) || segments_meet(p, q, b, c) || segments_meet(p, q, c, a);
}

}  // namespace

bool point_on_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
    return in_box(p, a, b) && flattening_axis(p, a, b) < 0;
}

bool point_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
    if (orient3d(a, b, c, p) != 0) return false;
    const int axis = flattening_axis(a, b, c);
    if (axis < 0) return point_on_segment(p, a, b) || point_on_segment(p, b, c) || point_on_segment(p, c, a);
    return flat_point_in_triangle(p, a, b, c, axis);
}

bool segments_meet(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b) {
    if (orient3d(p, q, a, b) != 0) return false;
    int axis = flattening_axis(p, q, a);
    if (axis < 0) axis = flattening_axis(p, q, b);
    if (axis >= 0) return flat_segments_meet(p, q, a, b, axis);
    // p q is a point, or all four lie on one line: an end of one is on the other, if they meet.
    return point_on_segment(p, a, b) || point_on_segment(q, a, b) || point_on_segment(a, p, q) ||
           point_on_segment(b, p, q);
}

bool segment_meets_triangle(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c) {
    const int side_p = orient3d(a, b, c, p), side_q = orient3d(a, b, c, q);
    if (side_p * side_q > 0) return false;
    if (side_p == 0 && side_q == 0) {
        const int axis = flattening_axis(a, b, c);
        if (axis < 0) return segment_meets_flat_triangle(p, q, a, b, c);
        return flat_point_in_triangle(p, a, b, c, axis) || flat_point_in_triangle(q, a, b, c, axis) ||
               flat_segments_meet(p, q, a, b, axis) || flat_segments_meet(p, q, b, c, axis) ||
               flat_segments_meet(p, q, c, a, axis);
    }
    if (side_p == 0) return point_on_triangle(p, a, b, c);
    if (side_q == 0) return point_on_triangle(q, a, b, c);
    const int ab = orient3d(p, q, a, b), bc = orient3d(p, q, b, c), ca = orient3d(p, q, c, a);
    return (ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0);
}

bool hinged_segments_meet(const Vec3& s, const Vec3& q, const Vec3& b) {
    return point_on_segment(q, s, b) || point_on_segment(b, s, q);
}

bool hinged_segment_meets_triangle(const Vec3& s, const Vec3& q, const Vec3& b, const Vec3& c) {
    if (orient3d(s, b, c, q) != 0) return false;
    const int axis = flattening_axis(s, b, c);
    if (axis < 0) return hinged_segments_meet(s, q, b) || hinged_segments_meet(s, q, c) || segments_meet(s, q, b, c);
    // q lies in the wedge of the triangle's two edges at s, its sides included.
    const int side = turn(s, b, c, axis);
    return side * turn(s, b, q, axis) >= 0 && side * turn(s, q, c, axis) >= 0;
}

}  // namespace stiction::audit
