// The solid ball: 20 tets from the centre to the faces of an icosahedron, each split n times along its edges, the
// shells rounded.
#include "stiction/mesh/info.hpp"
#include "stiction/mesh/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace stiction {
namespace {

/// Integer barycentric coordinates in the tet (centre, A, B, C); they sum to the number of shells.
using Lattice = std::array<int, 4>;

Lattice plus(Lattice base, std::initializer_list<int> corners) {
    for (const int corner : corners) ++base[static_cast<std::size_t>(corner)];
    return base;
}

class BallBuilder {
public:
    BallBuilder(double radius, int shells) : radius_(radius), shells_(shells), ico_(detail::icosahedron()) {}

    Mesh build() {
        mesh_.vertices.emplace_back(0, 0, 0);
        for (const Triangle& face : ico_.faces) {
            face_ = face;
            for_each_base(shells_ - 1, [&](const Lattice& base) {
                add_tet(plus(base, {0}), plus(base, {1}), plus(base, {2}), plus(base, {3}));
            });
            for_each_base(shells_ - 2, [&](const Lattice& base) { add_octahedron(base); });
            for_each_base(shells_ - 3, [&](const Lattice& base) {
                add_tet(plus(base, {1, 2, 3}), plus(base, {0, 2, 3}), plus(base, {0, 1, 3}), plus(base, {0, 1, 2}));
            });
        }
        return std::move(mesh_);
    }

private:
    template <class Visit>
    void for_each_base(int sum, const Visit& visit) const {
        for (int o = 0; o <= sum; ++o) {
            for (int a = 0; a <= sum - o; ++a) {
                for (int b = 0; b <= sum - o - a; ++b) visit(Lattice{o, a, b, sum - o - a - b});
            }
        }
    }

    /// The vertex at a lattice point; points on the faces between two of the 20 tets are shared.
    Index vertex(const Lattice& point) {
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

    void add_tet(const Lattice& a, const Lattice& b, const Lattice& c, const Lattice& d) {
        mesh_.tets.push_back({vertex(a), vertex(b), vertex(c), vertex(d)});
    }

    /// Four tets around one of the three diagonals: the one that leaves the best worst dihedral angle.
    void add_octahedron(const Lattice& base) {
        static constexpr int diagonals[3][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}};
        double best = -1;
        std::array<Tet, 4> chosen{};
        for (const auto& [p, q, r, s] : diagonals) {
            const Index from = vertex(plus(base, {p, q}));
            const Index to = vertex(plus(base, {r, s}));
            const Index around[4] = {vertex(plus(base, {p, r})), vertex(plus(base, {p, s})), vertex(plus(base, {q, s})),
                                     vertex(plus(base, {q, r}))};
            std::array<Tet, 4> tets;
            double worst = 180;
            for (std::size_t i = 0; i < 4; ++i) {
                tets[i] = {from, to, around[i], around[(i + 1) % 4]};
                worst = std::min(worst, min_dihedral_degrees(mesh_.vertices, tets[i]));
            }
            if (worst > best + 1e-6) {  // equal ones differ by rounding: keep the first
                best = worst;
                chosen = tets;
            }
        }
        mesh_.tets.insert(mesh_.tets.end(), chosen.begin(), chosen.end());
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
