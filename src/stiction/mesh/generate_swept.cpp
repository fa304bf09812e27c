// Cylinder, capsule, torus and ring: triangles of a disc or polygon swept along a line or a circle, each prism split
// into three tets.
#include "stiction/base/error.hpp"
#include "stiction/mesh/generate_revolved.hpp"
#include "stiction/mesh/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace stiction {
namespace {

/// What is swept: triangles in a disc of radius 1, or a polygon in it.
struct Disc {
    std::vector<Vec2> vertices;
    std::vector<Triangle> triangles;
};

double disc_vertices(double rings) {
    return 1 + 3 * rings * (rings + 1);
}

/// Vertex i (any, counted around) of ring j of a disc.
int on_ring(int j, int i) {
    return j == 0 ? 0 : 1 + 3 * j * (j - 1) + i % (6 * j);
}

/// The centre and rings of 6, 12, 18, ... vertices.
Disc unit_disc(int rings) {
    Disc disc;
    disc.vertices.emplace_back(0, 0);
    for (int j = 1; j <= rings; ++j) {
        const double radius = static_cast<double>(j) / rings;
        for (int i = 0; i < 6 * j; ++i) {
            const double angle = std::numbers::pi * i / (3 * j);
            disc.vertices.emplace_back(radius * std::cos(angle), radius * std::sin(angle));
        }
    }
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

/// A regular polygon that turns one side towards -x, without inner vertices.
Disc unit_polygon(int sides) {
    Disc polygon;
    for (int i = 0; i < sides; ++i) {
        const double angle = std::numbers::pi * (2 * i + 1 - sides) / sides;
        polygon.vertices.emplace_back(std::cos(angle), std::sin(angle));
    }
    for (int i = 1; i + 1 < sides; ++i) polygon.triangles.push_back({0, i, i + 1});
    return polygon;
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

/// The layers of a cylinder; k-th layer's vertices begin at k times those of the disc. An even number of layers is
/// mirrored about the middle.
Mesh swept_cylinder(const Disc& disc, double radius, double height, int layers) {
    const auto per_layer = static_cast<Index>(disc.vertices.size());
    Mesh mesh;
    for (int k = 0; k <= layers; ++k) {
        const double y = height * (2 * k - layers) / (2 * layers);
        for (const Vec2& p : disc.vertices) mesh.vertices.emplace_back(radius * p.x(), y, -radius * p.y());
    }
    for (int k = 0; k < layers; ++k) {
        const bool lower = 2 * k < layers;
        add_layer(mesh, disc, (lower ? k : k + 1) * per_layer, (lower ? k + 1 : k) * per_layer);
    }
    return mesh;
}

/// A torus around the y axis of `segments` copies of the disc, each turned a bit further.
Mesh swept_torus(const Disc& disc, double major_radius, double minor_radius, int segments) {
    const auto per_segment = static_cast<Index>(disc.vertices.size());
    Mesh mesh;
    for (int k = 0; k < segments; ++k) {
        const double angle = 2 * std::numbers::pi * k / segments;
        for (const Vec2& p : disc.vertices) {
            const double distance = major_radius + minor_radius * p.x();
            mesh.vertices.emplace_back(distance * std::cos(angle), minor_radius * p.y(), -distance * std::sin(angle));
        }
    }
    for (int k = 0; k < segments; ++k) add_layer(mesh, disc, k * per_segment, (k + 1) % segments * per_segment);
    return mesh;
}

void require_hole(double major_radius, double minor_radius) {
    detail::require_positive("major_radius", major_radius);
    detail::require_positive("minor_radius", minor_radius);
    if (minor_radius < major_radius) return;
    throw InputError("", "minor_radius", fmt::format("{}", minor_radius),
                     fmt::format("less than major_radius = {}", major_radius));
}

/// Half a ball on the disc of `rings` rings whose vertices start at `base`, towards +y or -y (`side` 1 or -1): six tets
/// around the axis, split as the disc is.
void add_half_ball(Mesh& mesh, Index base, int rings, double radius, int side) {
    const double y0 = mesh.vertices[static_cast<std::size_t>(base)].y();
    std::map<std::array<int, 3>, Index> index_of;  // by shell, row above the disc, and place in the row
    for (int sector = 0; sector < 6; ++sector) {
        // corners: centre of the disc, pole, two neighbouring corners of the disc's hexagon
        detail::add_split_tet(mesh, rings, [&](const detail::Lattice& point) {
            const int shell = rings - point[0], row = point[1], pieces = shell - row;
            if (row == 0) return base + on_ring(shell, sector * shell + point[3]);
            const int place = pieces == 0 ? 0 : (sector * pieces + point[3]) % (6 * pieces);
            const auto [found, is_new] =
                index_of.emplace(std::array<int, 3>{shell, row, place}, static_cast<Index>(mesh.vertices.size()));
            if (is_new) {
                const double r = radius * shell / rings, elevation = 0.5 * std::numbers::pi * row / shell;
                const double across = pieces == 0 ? 0.0 : r * std::cos(elevation),
                             azimuth = pieces == 0 ? 0.0 : std::numbers::pi * place / (3 * pieces);
                mesh.vertices.emplace_back(across * std::cos(azimuth), y0 + side * r * std::sin(elevation),
                                           -across * std::sin(azimuth));
            }
            return found->second;
        });
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
    return detail::finished(swept_cylinder(disc, radius, height, layers), fill);
}

Mesh generate_capsule(double radius, double height, int divisions, int layers, Fill fill) {
    detail::require_positive("radius", radius);
    detail::require_positive("height", height);
    detail::require_count("divisions", divisions, 1);
    detail::require_count("layers", layers, 1);
    detail::require_vertices("divisions", disc_vertices(divisions) * (layers + 1.0 + 2.0 * divisions / 3.0));
    const Disc disc = unit_disc(divisions);
    Mesh mesh = swept_cylinder(disc, radius, height, layers);
    add_half_ball(mesh, static_cast<Index>(layers * disc.vertices.size()), divisions, radius, 1);
    add_half_ball(mesh, 0, divisions, radius, -1);
    return detail::finished(std::move(mesh), fill);
}

Mesh generate_torus(double major_radius, double minor_radius, double edge_length, Fill fill) {
    require_hole(major_radius, minor_radius);
    detail::require_positive("edge_length", edge_length);
    const int rings = detail::division(minor_radius, edge_length, 1);
    const int segments = detail::division(2 * std::numbers::pi * major_radius, edge_length, 8);
    detail::require_vertices("edge_length", disc_vertices(rings) * segments);
    return detail::finished(swept_torus(unit_disc(rings), major_radius, minor_radius, segments), fill);
}

Mesh generate_ring(double major_radius, double minor_radius, int segments, int sides, Fill fill) {
    require_hole(major_radius, minor_radius);
    detail::require_count("segments", segments, 3);
    detail::require_count("sides", sides, 3);
    if (sides > 8)
        throw InputError("", "sides", fmt::format("{}", sides), "at most 8");  // the fan of triangles would get thin
    detail::require_vertices("segments", static_cast<double>(segments) * sides);
    return detail::finished(swept_torus(unit_polygon(sides), major_radius, minor_radius, segments), fill);
}

}  // namespace stiction
