#include "stiction/fem/triangle_elements.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

void check_vertices(const Triangle& triangle, std::size_t vertex_count, std::size_t index, std::string_view source) {
    for (const Index vertex : triangle) {
        if (vertex < 0 || static_cast<std::size_t>(vertex) >= vertex_count) {
            throw InputError(source, fmt::format("triangle {}", index), fmt::format("vertex {}", vertex),
                             fmt::format("a vertex index in [0, {})", vertex_count));
        }
    }
}

void check_material(const SheetMaterial& material, std::string_view source) {
    if (!(material.thickness > 0.0) || !std::isfinite(material.thickness)) {
        throw InputError(source, "thickness", fmt::format("{:.6g} m", material.thickness), "a finite thickness > 0");
    }
    const StrainLimit& limit = material.strain_limit;
    if (limit.stiffness == 0.0) return;
    if (!(limit.stiffness > 0.0) || !std::isfinite(limit.stiffness)) {
        throw InputError(source, "strain limit", fmt::format("stiffness {:.6g} Pa", limit.stiffness),
                         "a finite stiffness > 0, or 0 for none");
    }
    if (!(1.0 < limit.start && limit.start < limit.limit && std::isfinite(limit.limit))) {
        throw InputError(source, "strain limit", fmt::format("start {:.6g}, limit {:.6g}", limit.start, limit.limit),
                         "stretches 1 < start < limit");
    }
}

/// Edges of the rest triangle laid flat, columns; upper triangular with a positive diagonal.
Mat2 flat_edges(const Vec3& x0, const Vec3& x1, const Vec3& x2, std::size_t index, std::string_view source) {
    const Vec3 e1 = x1 - x0, e2 = x2 - x0;
    const double twice_area = e1.cross(e2).norm();
    const double a = e1.norm(), b = e2.norm(), c = (x2 - x1).norm();
    const double two_longest = std::max({a * b, b * c, c * a});
    if (!(twice_area > 1e-12 * two_longest) || !std::isfinite(twice_area)) {
        throw InputError(source, fmt::format("triangle {}", index),
                         fmt::format("degenerate, area {:.6g} m^2", 0.5 * twice_area), "a triangle of positive area");
    }
    Mat2 edges;
    edges << a, e1.dot(e2) / a, 0.0, twice_area / a;
    return edges;
}

}  // namespace

void append_triangles(TriangleElements& elements, const std::vector<Vec3>& rest, const std::vector<Triangle>& triangles,
                      const SheetMaterial& material, Index vertex_offset, std::string_view source) {
    check_material(material, source);
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        check_vertices(triangles[t], rest.size(), t, source);
        const auto corner = [&](std::size_t a) -> const Vec3& {
            return rest[static_cast<std::size_t>(triangles[t][a])];
        };
        const Mat2 edges = flat_edges(corner(0), corner(1), corner(2), t, source);
        Triangle global = triangles[t];
        for (Index& vertex : global) vertex += vertex_offset;
        Mat2 inverse;
        inverse << 1.0 / edges(0, 0), -edges(0, 1) / (edges(0, 0) * edges(1, 1)), 0.0, 1.0 / edges(1, 1);
        elements.vertices.push_back(global);
        elements.rest_inverse.push_back(inverse);
        elements.area.push_back(0.5 * edges(0, 0) * edges(1, 1));
        elements.thickness.push_back(material.thickness);
        elements.mu.push_back(material.lame.mu);
        elements.lambda.push_back(material.lame.lambda);
        elements.strain_limit.push_back(material.strain_limit);
    }
}

void add_lumped_mass(const TriangleElements& elements, const std::vector<double>& areal_density,
                     std::vector<double>& nodal_mass) {
    STICTION_CHECK(areal_density.size() == elements.size(), "one density per element");
    for (std::size_t e = 0; e < elements.size(); ++e) {
        const double share = areal_density[e] * elements.area[e] / 3.0;
        for (const Index vertex : elements.vertices[e]) nodal_mass[static_cast<std::size_t>(vertex)] += share;
    }
}

}  // namespace stiction
