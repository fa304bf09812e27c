// The solid ball: 20 tets from the centre to the faces of an icosahedron, each split n times along its edges, the
// shells rounded.
#include "stiction/mesh/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace stiction {
namespace {

class BallBuilder {
public:
    BallBuilder(double radius, int shells) : radius_(radius), shells_(shells), ico_(detail::icosahedron()) {}

    Mesh build() {
        mesh_.vertices.emplace_back(0, 0, 0);
        for (const Triangle& face : ico_.faces) {
            face_ = face;
            detail::add_split_tet(mesh_, shells_, [&](const detail::Lattice& point) { return vertex(point); });
        }
        return std::move(mesh_);
    }

private:
    /// The vertex at a lattice point; points on the faces between two of the 20 tets are shared.
    Index vertex(const detail::Lattice& point) {
        const int shell = shells_ - point[0];
        if (shell == 0) return 0;
        std::vector<std::pair<Index, int>> key;  // corners of the icosahedron with their weights, by corner
        for (std::size_t k = 0; k < 3; ++k) {
            if (point[k + 1] > 0) key.emplace_back(face_[k], point[k + 1]);
        }
        std::sort(key.begin(), key.end());
        const auto [found, is_new] = index_of_.emplace(key, static_cast<Index>(mesh_.vertices.size()));
        if (is_new) {
            Vec3 direction(0, 0, 0);
            for (const auto& [corner, weight] : key) direction += weight * ico_.vertices[corner];
            const double length = shell == shells_ ? radius_ : radius_ * shell / shells_;
            mesh_.vertices.push_back(length * direction.normalized());
        }
        return found->second;
    }

    double radius_;
    int shells_;
    detail::Icosahedron ico_;
    Triangle face_{};
    std::map<std::vector<std::pair<Index, int>>, Index> index_of_;
    Mesh mesh_;
};

double ball_vertices(double n) {
    return 1 + 10 * n * (n + 1) * (2 * n + 1) / 6 + 2 * n;
}

}  // namespace

int ball_shells_for_vertices(int vertices) {
    detail::require_count("vertices", vertices, 1);
    int shells = 1;
    while (std::abs(ball_vertices(shells + 1) - vertices) < std::abs(ball_vertices(shells) - vertices)) ++shells;
    return shells;
}

int ball_shells_for_edge_length(double radius, double edge_length) {
    detail::require_positive("radius", radius);
    detail::require_positive("edge_length", edge_length);
    return detail::division(radius, edge_length, 1);
}

Mesh generate_ball(double radius, int shells, Fill fill) {
    detail::require_positive("radius", radius);
    detail::require_count("shells", shells, 1);
    detail::require_vertices("shells", ball_vertices(shells));
    return detail::finished(BallBuilder(radius, shells).build(), fill);
}

}  // namespace stiction
