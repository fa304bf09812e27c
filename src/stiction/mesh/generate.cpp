#include "stiction/mesh/generate.hpp"

#include "stiction/base/error.hpp"
#include "stiction/mesh/shapes.hpp"
#include "stiction/mesh/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

namespace stiction {
namespace detail {
namespace {

constexpr double most_vertices = 1e7;

}  // namespace

void require_positive(std::string_view argument, double value) {
    if (!(value > 0) || !std::isfinite(value))
        throw InputError("", argument, fmt::format("{}", value), "a length above 0 m");
}

void require_count(std::string_view argument, int value, int least) {
    if (value < least) throw InputError("", argument, fmt::format("{}", value), fmt::format("at least {}", least));
}

void require_vertices(std::string_view argument, double vertices) {
    if (vertices > most_vertices) {
        throw InputError("", argument, fmt::format("about {:.3g} vertices", vertices),
                         "a mesh of at most 10 million vertices");
    }
}

int division(double length, double edge_length, int least) {
    const double parts = std::round(length / edge_length);
    require_vertices("edge_length", parts);
    return std::max(least, static_cast<int>(parts));
}

Icosahedron icosahedron() {
    // a vertex at each pole of y and two rings of five
    Icosahedron result;
    const double height = 1 / std::sqrt(5.0);
    const double ring = 2 / std::sqrt(5.0);
    result.vertices.emplace_back(0, 1, 0);
    for (int i = 0; i < 5; ++i) {
        const double angle = 2 * std::numbers::pi * i / 5;
        result.vertices.emplace_back(ring * std::cos(angle), height, -ring * std::sin(angle));
    }
    for (int i = 0; i < 6; ++i) result.vertices.push_back(-result.vertices[static_cast<std::size_t>(i)]);
    // vertex 7 + i is opposite to 1 + i; going round, lower neighbours of upper vertex i are those opposite to i + 2
    // and i + 3
    for (int i = 0; i < 5; ++i) {
        const Index a = 1 + i;
        const Index b = 1 + (i + 1) % 5;
        const Index below = 7 + (i + 3) % 5;
        const Index next_below = 7 + (i + 4) % 5;
        result.faces.push_back({0, a, b});
        result.faces.push_back({a, below, b});
        result.faces.push_back({b, below, next_below});
        result.faces.push_back({6, next_below, below});
    }
    return result;
}

Mesh finished(Mesh solid, Fill fill) {
    orient_tets(solid);
    for (const Tet& tet : solid.tets) STICTION_CHECK(signed_volume(solid, tet) > 0, "a generated tet has a volume");
    return fill == Fill::solid ? solid : surface_mesh(solid);
}

}  // namespace detail

const std::vector<std::string>& diagonals_names() {
    static const std::vector<std::string> names{"parallel", "alternating"};
    return names;
}

Mesh generate_box(const Vec3& size, const std::array<int, 3>& cells, Fill fill, Diagonals diagonals) {
    double count = 1;
    for (int k = 0; k < 3; ++k) {
        detail::require_positive("size", size[k]);
        detail::require_count("cells", cells[k], 1);
        count *= cells[k] + 1.0;
    }
    detail::require_vertices("cells", count);
    Mesh mesh;
    const auto index = [&](const std::array<int, 3>& p) {
        return (p[0] * (cells[1] + 1) + p[1]) * (cells[2] + 1) + p[2];
    };
    for (int i = 0; i <= cells[0]; ++i) {
        for (int j = 0; j <= cells[1]; ++j) {
            for (int k = 0; k <= cells[2]; ++k) {
                // (2 i - n) / (2 n) is exactly odd about the middle
                mesh.vertices.emplace_back(size[0] * (2 * i - cells[0]) / (2 * cells[0]),
                                           size[1] * (2 * j - cells[1]) / (2 * cells[1]),
                                           size[2] * (2 * k - cells[2]) / (2 * cells[2]));
            }
        }
    }
    for (int i = 0; i < cells[0]; ++i) {
        for (int j = 0; j < cells[1]; ++j) {
            for (int k = 0; k < cells[2]; ++k) {
                // Kuhn: from one end of the diagonal to the other along the axes, in each of the six orders
                std::array<int, 3> axes{0, 1, 2}, first{i, j, k}, direction{1, 1, 1};
                for (std::size_t axis = 0; axis < 3 && diagonals == Diagonals::alternating; ++axis) {
                    if (first[axis] % 2 == 0) continue;  // neighbours are mirror images, so their faces fit
                    ++first[axis];
                    direction[axis] = -1;
                }
                do {
                    std::array<int, 3> corner = first;
                    Tet tet{index(corner), 0, 0, 0};
                    for (std::size_t step = 0; step < 3; ++step) {
                        const auto axis = static_cast<std::size_t>(axes[step]);
                        corner[axis] += direction[axis];
                        tet[step + 1] = index(corner);
                    }
                    mesh.tets.push_back(tet);
                } while (std::next_permutation(axes.begin(), axes.end()));
            }
        }
    }
    return detail::finished(std::move(mesh), fill);
}

Mesh generate_rod(double length, double width, int cells_along, int cells_across, Fill fill) {
    detail::require_positive("length", length);
    detail::require_positive("width", width);
    detail::require_count("cells_along", cells_along, 1);
    detail::require_count("cells_across", cells_across, 1);
    return generate_box({length, width, width}, {cells_along, cells_across, cells_across}, fill);
}

Mesh generate_cloth(double size_x, double size_z, int cells_x, int cells_z) {
    detail::require_positive("size_x", size_x);
    detail::require_positive("size_z", size_z);
    detail::require_count("cells_x", cells_x, 1);
    detail::require_count("cells_z", cells_z, 1);
    detail::require_vertices("cells_x", (cells_x + 1.0) * (cells_z + 1.0));
    Mesh mesh;
    for (int i = 0; i <= cells_x; ++i) {
        for (int k = 0; k <= cells_z; ++k) {
            mesh.vertices.emplace_back(size_x * (2 * i - cells_x) / (2 * cells_x), 0,
                                       size_z * (2 * k - cells_z) / (2 * cells_z));
        }
    }
    for (int i = 0; i < cells_x; ++i) {
        for (int k = 0; k < cells_z; ++k) {
            const Index a = i * (cells_z + 1) + k;
            const Index b = a + 1;            // towards +z
            const Index c = a + cells_z + 2;  // towards +x and +z
            const Index d = a + cells_z + 1;  // towards +x
            if ((i + k) % 2 == 0) {
                mesh.triangles.push_back({a, b, c});
                mesh.triangles.push_back({a, c, d});
            } else {
                mesh.triangles.push_back({a, b, d});
                mesh.triangles.push_back({b, c, d});
            }
        }
    }
    return mesh;
}

Mesh generate_icosphere(double radius, int subdivisions) {
    detail::require_positive("radius", radius);
    detail::require_count("subdivisions", subdivisions, 0);
    detail::require_vertices("subdivisions", 10 * std::pow(4.0, subdivisions) + 2);
    const detail::Icosahedron start = detail::icosahedron();
    Mesh mesh;
    mesh.vertices = start.vertices;
    mesh.triangles = start.faces;
    for (int s = 0; s < subdivisions; ++s) {
        std::map<Edge, Index> middle_of;
        const auto middle = [&](Index a, Index b) {
            const auto [found, is_new] =
                middle_of.emplace(Edge{std::min(a, b), std::max(a, b)}, static_cast<Index>(mesh.vertices.size()));
            if (is_new) mesh.vertices.push_back((mesh.vertices[a] + mesh.vertices[b]).normalized());
            return found->second;
        };
        std::vector<Triangle> finer;
        finer.reserve(4 * mesh.triangles.size());
        for (const auto& [a, b, c] : mesh.triangles) {
            const Index ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
            for (const Triangle& part :
                 {Triangle{a, ab, ca}, Triangle{ab, b, bc}, Triangle{ca, bc, c}, Triangle{ab, bc, ca}}) {
                finer.push_back(part);
            }
        }
        mesh.triangles = std::move(finer);
    }
    for (Vec3& vertex : mesh.vertices) vertex *= radius;
    return mesh;
}

}  // namespace stiction
