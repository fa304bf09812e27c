#include "stiction/audit/penetration.hpp"

#include "stiction/audit/closest.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/mesh/components.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <set>

namespace stiction::audit {
namespace {

Vec3 point(const VecX& x, Index vertex) {
    return x.segment<3>(3 * static_cast<Eigen::Index>(vertex));
}

std::array<Vec3, 3> corners(const Body& body, const Triangle& triangle, const VecX& x) {
    return {point(x, body.first_vertex + triangle[0]), point(x, body.first_vertex + triangle[1]),
            point(x, body.first_vertex + triangle[2])};
}

/// Solid angle of the surface as seen from `from`, over 4 pi.
double winding_number(const Body& body, const VecX& x, const Vec3& from) {
    double angle = 0.0;
    for (const Triangle& triangle : body.surface) {
        const auto [a, b, c] = corners(body, triangle, x);
        angle += solid_angle(a - from, b - from, c - from);
    }
    return angle / (4.0 * M_PI);
}

double distance_to_surface(const Body& body, const VecX& x, const Vec3& from) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const Triangle& triangle : body.surface) {
        const auto [a, b, c] = corners(body, triangle, x);
        nearest = std::min(nearest, closest_points(PairKind::point_triangle, {from, a, b, c}).difference.norm());
    }
    return nearest;
}

/// Of the vertices of body a inside body b.
double depth_inside(const World& world, Index a, Index b, const VecX& x) {
    const Body& solid = world.bodies[static_cast<std::size_t>(b)];
    if (solid.surface.empty() || first_edge_defect(solid.surface, ClosedBy::balance)) return 0.0;
    Vec3 low = point(x, solid.first_vertex), high = low;
    for (Index v = solid.first_vertex; v < solid.first_vertex + solid.vertex_count(); ++v) {
        low = low.cwiseMin(point(x, v));
        high = high.cwiseMax(point(x, v));
    }
    const std::vector<Index>& vertices = world.surface.vertices;
    return -parallel_min(vertices.size(), 0.0, [&](std::size_t i) {
        if (world.body_of_vertex[static_cast<std::size_t>(vertices[i])] != a) return 0.0;
        const Vec3 from = point(x, vertices[i]);
        if ((from.array() < low.array()).any() || (from.array() > high.array()).any() ||
            winding_number(solid, x, from) < 0.5)
            return 0.0;
        return -distance_to_surface(solid, x, from);
    });
}

}  // namespace

double solid_angle(const Vec3& a, const Vec3& b, const Vec3& c) {
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    return 2.0 * std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
}

double penetration_depth(const World& world, const AuditReport& report, const VecX& x) {
    double deepest = 0.0;
    for (const HalfSpaceViolation& found : report.half_spaces) {
        const HalfSpace& plane = world.half_spaces[static_cast<std::size_t>(found.half_space)];
        deepest = std::max(deepest, -plane.normal.dot(point(x, found.vertex) - point(x, plane.origin_vertex)));
    }
    std::set<std::array<Index, 2>> pairs;
    for (const Intersection& found : report.intersections) {
        const Index a = world.body_of_vertex[static_cast<std::size_t>(found.vertices[0])];
        for (const Index vertex : found.vertices) {
            const Index b = vertex < 0 ? a : world.body_of_vertex[static_cast<std::size_t>(vertex)];
            if (a != b) pairs.insert({std::min(a, b), std::max(a, b)});
        }
    }
    for (const auto& [a, b] : pairs)
        deepest = std::max({deepest, depth_inside(world, a, b, x), depth_inside(world, b, a, x)});
    return deepest;
}

}  // namespace stiction::audit
