#include "stiction/mesh/info.hpp"
#include "stiction/mesh/shapes.hpp"

#include <algorithm>

namespace stiction::detail {
namespace {

Lattice plus(Lattice base, std::initializer_list<int> corners) {
    for (const int corner : corners) ++base[static_cast<std::size_t>(corner)];
    return base;
}

template <class Visit>
void for_each_base(int sum, const Visit& visit) {
    for (int o = 0; o <= sum; ++o) {
        for (int a = 0; a <= sum - o; ++a) {
            for (int b = 0; b <= sum - o - a; ++b) visit(Lattice{o, a, b, sum - o - a - b});
        }
    }
}

/// Four tets around one of the three diagonals: the one that leaves the best worst dihedral angle.
void add_octahedron(Mesh& mesh, const Lattice& base, const LatticeVertex& vertex) {
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
            worst = std::min(worst, min_dihedral_degrees(mesh.vertices, tets[i]));
        }
        if (worst > best + 1e-6) {  // equal ones differ by rounding: keep the first
            best = worst;
            chosen = tets;
        }
    }
    mesh.tets.insert(mesh.tets.end(), chosen.begin(), chosen.end());
}

}  // namespace

void add_split_tet(Mesh& mesh, int divisions, const LatticeVertex& vertex) {
    const auto add_tet = [&](const Lattice& a, const Lattice& b, const Lattice& c, const Lattice& d) {
        mesh.tets.push_back({vertex(a), vertex(b), vertex(c), vertex(d)});
    };
    for_each_base(divisions - 1, [&](const Lattice& base) {
        add_tet(plus(base, {0}), plus(base, {1}), plus(base, {2}), plus(base, {3}));
    });
    for_each_base(divisions - 2, [&](const Lattice& base) { add_octahedron(mesh, base, vertex); });
    for_each_base(divisions - 3, [&](const Lattice& base) {
        add_tet(plus(base, {1, 2, 3}), plus(base, {0, 2, 3}), plus(base, {0, 1, 3}), plus(base, {0, 1, 2}));
    });
}

}  // namespace stiction::detail
