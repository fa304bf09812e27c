// Cylinder and torus: a disc of triangles swept along a line or a circle, each prism split into three tets.
#include "stiction/base/error.hpp"
#include "stiction/mesh/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

const double pi = std::acos(-1.0);

/// Triangles of a disc of radius 1: the centre and rings of 6, 12, 18, ... vertices.
struct Disc {
    std::vector<Vec2> vertices;
    std::vector<Triangle> triangles;
};

double disc_vertices(double rings) {
    return 1 + 3 * rings * (rings + 1);
}

Disc unit_disc(int rings) {
    Disc disc;
    disc.vertices.emplace_back(0, 0);
    for (int j = 1; j <= rings; ++j) {
        const double radius = static_cast<double>(j) / rings;
        for (int i = 0; i < 6 * j; ++i) {
            const double angle = pi * i / (3 * j);
            disc.vertices.emplace_back(radius * std::cos(angle), radius * std::sin(angle));
        }
    }
    const auto on_ring = [](int j, int i) { return j == 0 ? 0 : 1 + 3 * j * (j - 1) + i % (6 * j); };
    for (int j = 1; j <= rings; ++j) {
        for (int sector = 0; sector < 6; ++sector) {
            const int outer = sector * j;
            const int inner = sector * (j - 1);
            for (int i = 0; i < j; ++i) {
                disc.triangles.push_back({on_ring(j, outer + i), on_ring(j, outer + i + 1), on_ring(j - 1, inner + i)});
                if (i < j - 1) {
                    disc.triangles.push_back(
                        {on_ring(j, outer + i + 1), on_ring(j - 1, inner + i + 1), on_ring(j - 1, inner + i)});
                }
            }
        }
    }
    return disc;
}

/// Tets between two copies of the disc whose vertices start at `from` and `to`. The diagonal of the wall over an edge
/// runs from the lower-numbered vertex at `from` to the higher-numbered one at `to`, so that neighbouring prisms agree.
void add_layer(Mesh& mesh, const Disc& disc, Index from, Index to) {
    for (Triangle t : disc.triangles) {
        std::sort(t.begin(), t.end());
        const auto [p, q, r] = t;
        mesh.tets.push_back({from + p, from + q, from + r, to + r});
        mesh.tets.push_back({from + p, from + q, to + q, to + r});
        mesh.tets.push_back({from + p, to + p, to + q, to + r});
    }
}

}  // namespace

Mesh generate_cylinder(double radius, double height, double edge_length, Fill fill) {
    detail::require_positive("radius", radius);
    detail::require_positive("height", height);
    detail::require_positive("edge_length", edge_length);
    const int rings = detail::division(radius, edge_length, 1);
    const int layers = detail::division(height, edge_length, 1);
    detail::require_vertices("edge_length", disc_vertices(rings) * (layers + 1.0));
    const Disc disc = unit_disc(rings);
    const auto per_layer = static_cast<Index>(disc.vertices.size());
    Mesh mesh;
    for (int k = 0; k <= layers; ++k) {
        const double y = height * (2 * k - layers) / (2 * layers);
        for (const Vec2& p : disc.vertices) mesh.vertices.emplace_back(radius * p.x(), y, -radius * p.y());
    }
    for (int k = 0; k < layers; ++k) {
        // an even number of layers is mirrored about the middle
        const bool lower = 2 * k < layers;
        add_layer(mesh, disc, (lower ? k : k + 1) * per_layer, (lower ? k + 1 : k) * per_layer);
    }
    return detail::finished(std::move(mesh), fill);
}

Mesh generate_torus(double major_radius, double minor_radius, double edge_length, Fill fill) {
    detail::require_positive("major_radius", major_radius);
    detail::require_positive("minor_radius", minor_radius);
    detail::require_positive("edge_length", edge_length);
    if (minor_radius >= major_radius) {
        throw InputError("", "minor_radius", fmt::format("{}", minor_radius),
                         fmt::format("less than major_radius = {}", major_radius));
    }
    const int rings = detail::division(minor_radius, edge_length, 1);
    const int segments = detail::division(2 * pi * major_radius, edge_length, 8);
    detail::require_vertices("edge_length", disc_vertices(rings) * segments);
    const Disc disc = unit_disc(rings);
    const auto per_segment = static_cast<Index>(disc.vertices.size());
    Mesh mesh;
    for (int k = 0; k < segments; ++k) {
        const double angle = 2 * pi * k / segments;
        for (const Vec2& p : disc.vertices) {
            const double distance = major_radius + minor_radius * p.x();
            mesh.vertices.emplace_back(distance * std::cos(angle), minor_radius * p.y(), -distance * std::sin(angle));
        }
    }
    for (int k = 0; k < segments; ++k) add_layer(mesh, disc, k * per_segment, (k + 1) % segments * per_segment);
    return detail::finished(std::move(mesh), fill);
}

}  // namespace stiction
