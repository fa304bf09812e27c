#include "stiction/mesh/generate_hollow.hpp"

#include "stiction/base/error.hpp"
#include "stiction/mesh/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace stiction {
namespace {

/// Unit sphere of 20 n^2 triangles, point-symmetric to the last bit.
class DividedSphere {
public:
    explicit DividedSphere(int divisions) : n_(divisions), ico_(detail::icosahedron()) {
        for (const Triangle& face : ico_.faces) {
            for (int i = 0; i < n_; ++i) {
                for (int j = 0; i + j < n_; ++j) {
                    const Index corner = vertex(face, i, j);
                    const Index next_i = vertex(face, i + 1, j), next_j = vertex(face, i, j + 1);
                    triangles.push_back({corner, next_i, next_j});
                    if (i + j + 1 < n_) triangles.push_back({next_i, vertex(face, i + 1, j + 1), next_j});
                }
            }
        }
    }

    std::vector<Vec3> vertices;
    std::vector<Triangle> triangles;
    /// Equal for opposite vertices, different for neighbours.
    std::vector<Index> rank;

private:
    using Key = std::vector<std::pair<Index, int>>;  // corners of the icosahedron with their weights, by corner

    /// The vertex with weights n - i - j, i, j at the corners of the face.
    Index vertex(const Triangle& face, int i, int j) {
        Key key, opposite;
        const int weights[3] = {n_ - i - j, i, j};
        for (std::size_t k = 0; k < 3; ++k) {
            if (weights[k] == 0) continue;
            key.emplace_back(face[k], weights[k]);
            opposite.emplace_back((face[k] + 6) % 12, weights[k]);  // as detail::icosahedron numbers them
        }
        std::sort(key.begin(), key.end());
        const auto [found, is_new] = index_of_.emplace(key, static_cast<Index>(vertices.size()));
        if (!is_new) return found->second;
        std::sort(opposite.begin(), opposite.end());
        const auto twin = index_of_.find(opposite);
        if (twin != index_of_.end()) {
            const auto t = static_cast<std::size_t>(twin->second);
            const Vec3 mirrored = -vertices[t];
            vertices.push_back(mirrored);
            rank.push_back(rank[t]);
        } else {
            Vec3 direction(0, 0, 0);
            for (const auto& [corner, weight] : key)
                direction += weight * ico_.vertices[static_cast<std::size_t>(corner)];
            vertices.push_back(direction.normalized());
            rank.push_back(static_cast<Index>(vertices.size()));
        }
        return found->second;
    }

    int n_;
    detail::Icosahedron ico_;
    std::map<Key, Index> index_of_;
};

/// Three tets of the prism over a triangle. The diagonal of the quadrangle over an edge starts at the bottom of the end
/// that is lower in rank (odd layers: higher), so that neighbouring prisms agree and no direction is preferred.
void add_prism(const DividedSphere& sphere, const Triangle& triangle, Index bottom, Index top, bool odd, Mesh& mesh) {
    Triangle t = triangle;
    std::sort(t.begin(), t.end(), [&](Index a, Index b) {
        const Index rank_a = sphere.rank[static_cast<std::size_t>(a)],
                    rank_b = sphere.rank[static_cast<std::size_t>(b)];
        return odd ? rank_a > rank_b : rank_a < rank_b;
    });
    mesh.tets.push_back({bottom + t[0], bottom + t[1], bottom + t[2], top + t[2]});
    mesh.tets.push_back({bottom + t[0], bottom + t[1], top + t[1], top + t[2]});
    mesh.tets.push_back({bottom + t[0], top + t[0], top + t[1], top + t[2]});
}

}  // namespace

Mesh generate_hollow_ball(double outer_radius, double thickness, int divisions, int layers, Fill fill) {
    detail::require_positive("outer_radius", outer_radius);
    detail::require_positive("thickness", thickness);
    if (!(thickness < outer_radius)) {
        throw InputError(
            "", "thickness", fmt::format("{}", thickness),
            fmt::format("less than the outer radius, {} m (generate_ball makes a solid ball)", outer_radius));
    }
    detail::require_count("divisions", divisions, 1);
    detail::require_count("layers", layers, 1);
    detail::require_vertices(layers > 10 * divisions ? "layers" : "divisions",
                             (10.0 * divisions * divisions + 2.0) * (layers + 1.0));
    const DividedSphere sphere(divisions);
    const auto wall = static_cast<Index>(sphere.vertices.size());
    Mesh mesh;
    for (int layer = 0; layer <= layers; ++layer) {
        const double radius = layer == layers ? outer_radius : outer_radius - thickness * (layers - layer) / layers;
        for (const Vec3& direction : sphere.vertices) mesh.vertices.push_back(radius * direction);
    }
    for (int layer = 0; layer < layers; ++layer) {
        for (const Triangle& triangle : sphere.triangles)
            add_prism(sphere, triangle, layer * wall, (layer + 1) * wall, layer % 2 == 1, mesh);
    }
    return detail::finished(std::move(mesh), fill);
}

}  // namespace stiction
