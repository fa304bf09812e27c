#include "stiction/fem/bending.hpp"

#include "stiction/base/error.hpp"
#include "stiction/mesh/triangle_sides.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace stiction {
namespace {

Tet make_hinge(const std::vector<Triangle>& triangles, const TriangleSide& first, const TriangleSide& second,
               std::string_view source) {
    const Triangle& triangle = triangles[first.triangle];
    const Index x2 = triangle[(first.corner + 2) % 3], x3 = triangles[second.triangle][(second.corner + 2) % 3];
    if (x2 == x3) {
        throw InputError(source, fmt::format("triangles {} and {}", first.triangle, second.triangle),
                         fmt::format("both on vertices {}, {}, {}", first.edge[0], first.edge[1], x2),
                         "every triangle once");
    }
    return {triangle[first.corner], triangle[(first.corner + 1) % 3], x2, x3};
}

std::string triangle_list(const std::vector<TriangleSide>& sides, std::size_t begin, std::size_t end) {
    std::string list;
    for (std::size_t i = begin; i < end; ++i) list += fmt::format("{}{}", i == begin ? "" : ", ", sides[i].triangle);
    return list;
}

void check_hinge(const Tet& hinge, std::size_t vertex_count, std::string_view source) {
    for (const Index vertex : hinge) {
        if (vertex < 0 || static_cast<std::size_t>(vertex) >= vertex_count) {
            throw InputError(source, fmt::format("hinge at edge ({}, {})", hinge[0], hinge[1]),
                             fmt::format("vertex {}", vertex), fmt::format("a vertex index in [0, {})", vertex_count));
        }
    }
}

/// Twice the area against the product of the two longest edges.
bool is_degenerate(const Vec3& x0, const Vec3& x1, const Vec3& x2) {
    const double a = (x1 - x0).norm(), b = (x2 - x1).norm(), c = (x0 - x2).norm();
    const double twice_area = (x1 - x0).cross(x2 - x0).norm();
    return !(twice_area > 1e-12 * std::max({a * b, b * c, c * a})) || !std::isfinite(twice_area);
}

}  // namespace

std::vector<Tet> find_hinges(const std::vector<Triangle>& triangles, NonManifoldEdges non_manifold,
                             std::string_view source) {
    const std::vector<TriangleSide> sides = sorted_triangle_sides(triangles);
    std::vector<Tet> hinges;
    for (std::size_t begin = 0, end = 0; begin < sides.size(); begin = end) {
        while (end < sides.size() && sides[end].edge == sides[begin].edge) ++end;
        if (end - begin > 2 && non_manifold == NonManifoldEdges::refuse) {
            throw InputError(source, fmt::format("edge ({}, {})", sides[begin].edge[0], sides[begin].edge[1]),
                             fmt::format("{} triangles ({})", end - begin, triangle_list(sides, begin, end)),
                             "at most two triangles at an edge");
        }
        for (std::size_t i = begin; i < end; ++i) {
            for (std::size_t j = i + 1; j < end; ++j)
                hinges.push_back(make_hinge(triangles, sides[i], sides[j], source));
        }
    }
    return hinges;
}

HingeGeometry hinge_geometry(const Vec3& x0, const Vec3& x1, const Vec3& x2, const Vec3& x3) {
    const Vec3 e = x1 - x0, f = x2 - x0, d = x3 - x0;
    HingeGeometry geometry;
    geometry.edge_length = e.norm();
    geometry.area0 = 0.5 * e.cross(f).norm();
    geometry.area1 = 0.5 * e.cross(d).norm();
    geometry.foot0 = e.dot(f) / e.squaredNorm();
    geometry.foot1 = e.dot(d) / e.squaredNorm();
    geometry.angle = dihedral_angle(x0, x1, x2, x3);
    return geometry;
}

std::vector<HingeGeometry> rest_geometry(const std::vector<Vec3>& rest, const std::vector<Tet>& hinges,
                                         std::string_view source) {
    std::vector<HingeGeometry> result;
    result.reserve(hinges.size());
    for (const Tet& hinge : hinges) {
        check_hinge(hinge, rest.size(), source);
        const auto at = [&](std::size_t a) -> const Vec3& { return rest[static_cast<std::size_t>(hinge[a])]; };
        for (const std::size_t apex : {std::size_t{2}, std::size_t{3}}) {
            if (is_degenerate(at(0), at(1), at(apex))) {
                throw InputError(source, fmt::format("hinge at edge ({}, {})", hinge[0], hinge[1]),
                                 fmt::format("degenerate triangle with vertex {}", hinge[apex]),
                                 "two triangles of positive area");
            }
        }
        result.push_back(hinge_geometry(at(0), at(1), at(2), at(3)));
    }
    return result;
}

}  // namespace stiction
