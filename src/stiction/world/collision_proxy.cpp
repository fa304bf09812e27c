#include "stiction/base/error.hpp"
#include "stiction/fem/quadratic_shape.hpp"
#include "stiction/mesh/second_order.hpp"
#include "stiction/world/collision_mesh.hpp"

#include <algorithm>
#include <map>

namespace stiction {
namespace {

/// Makes the points of faces, one for all faces that share it.
class ProxyPoints {
public:
    /// @param counts  of the three corners of the face: barycentric coordinates times their sum
    Index point(const Triangle6& face, const std::array<int, 3>& counts) {
        // Corners without a share are no part of the name: points of an edge belong to both of its faces.
        std::vector<std::pair<Index, int>> name;
        for (std::size_t k = 0; k < 3; ++k)
            if (counts[k] > 0) name.emplace_back(face[k], counts[k]);
        std::ranges::sort(name);
        const auto [entry, added] = numbers_.try_emplace(std::move(name), static_cast<Index>(vertices_.size()));
        if (added) vertices_.push_back(hang(entry->second, face, counts));
        return entry->second;
    }
    std::vector<EmbeddedVertex> take() { return std::move(vertices_); }

private:
    static EmbeddedVertex hang(Index number, const Triangle6& face, const std::array<int, 3>& counts) {
        const double sum = counts[0] + counts[1] + counts[2];
        // A face is the part of a tet where the fourth coordinate is 0.
        const std::array<double, 10> shapes =
            quadratic_shapes({counts[0] / sum, counts[1] / sum, counts[2] / sum, 0.0});
        const std::array<double, 6> weights{shapes[0], shapes[1], shapes[2], shapes[4], shapes[5], shapes[6]};
        return {number, face, weights};
    }

    std::map<std::vector<std::pair<Index, int>>, Index> numbers_;
    std::vector<EmbeddedVertex> vertices_;
};

}  // namespace

CollisionProxy collision_proxy(const Mesh& mesh, int subdivisions) {
    STICTION_CHECK(subdivisions >= 1, "at least one part an edge");
    ProxyPoints points;
    CollisionProxy proxy;
    const int m = subdivisions;
    for (const Triangle6& face : curved_boundary(mesh)) {
        const auto point = [&](int i, int j) { return points.point(face, {m - i - j, i, j}); };
        for (int i = 0; i < m; ++i) {
            for (int j = 0; i + j < m; ++j) {
                proxy.triangles.push_back({point(i, j), point(i + 1, j), point(i, j + 1)});
                if (i + j + 1 < m) proxy.triangles.push_back({point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)});
            }
        }
    }
    proxy.vertices = points.take();
    return proxy;
}

}  // namespace stiction
