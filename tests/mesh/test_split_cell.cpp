// Hexahedra, prisms and pyramids of files as tets that fit together.
#include "stiction/mesh/info.hpp"
#include "stiction/mesh/split_cell.hpp"
#include "stiction/mesh/topology.hpp"

#include "mesh/mesh_fixtures.hpp"
#include "support/compare.hpp"
#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

using namespace stiction;
using namespace stiction::test;

namespace {

constexpr int n = 3;  // cells along an edge

/// Hexahedra of a unit cube, their numbers of nodes shuffled, and the quadrangles of the side x = 0 with the tag 7.
struct Grid {
    std::vector<Vec3> nodes;
    std::vector<std::array<Index, 8>> cells;
    std::vector<std::array<Index, 4>> side;

    explicit Grid(unsigned seed) : nodes((n + 1) * (n + 1) * (n + 1)) {
        std::vector<Index> number(nodes.size());
        std::iota(number.begin(), number.end(), 0);
        std::mt19937_64 random(seed);
        std::shuffle(number.begin(), number.end(), random);
        const auto id = [&](int i, int j, int k) {
            return number[static_cast<std::size_t>((i * (n + 1) + j) * (n + 1) + k)];
        };
        for (int i = 0; i <= n; ++i) {
            for (int j = 0; j <= n; ++j) {
                for (int k = 0; k <= n; ++k) nodes[static_cast<std::size_t>(id(i, j, k))] = Vec3(i, j, k) / n;
            }
        }
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                for (int k = 0; k < n; ++k) {
                    cells.push_back({id(i, j, k), id(i + 1, j, k), id(i + 1, j + 1, k), id(i, j + 1, k),
                                     id(i, j, k + 1), id(i + 1, j, k + 1), id(i + 1, j + 1, k + 1),
                                     id(i, j + 1, k + 1)});
                    if (i == 0) side.push_back({id(0, j, k), id(0, j, k + 1), id(0, j + 1, k + 1), id(0, j + 1, k)});
                }
            }
        }
    }

    std::string msh() const {
        std::string text = fmt::format("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{}\n", nodes.size());
        for (std::size_t v = 0; v < nodes.size(); ++v)
            text += fmt::format("{} {:.17g} {:.17g} {:.17g}\n", v + 1, nodes[v].x(), nodes[v].y(), nodes[v].z());
        text += fmt::format("$EndNodes\n$Elements\n{}\n", cells.size() + side.size());
        std::size_t number = 0;
        const auto add = [&](int type, int tag, const auto& element) {
            text += fmt::format("{} {} 2 {} {}", ++number, type, tag, tag);
            for (const Index v : element) text += fmt::format(" {}", v + 1);
            text += "\n";
        };
        for (const auto& quadrangle : side) add(3, 7, quadrangle);  // before the cells that they are faces of
        for (std::size_t c = 0; c < cells.size(); ++c) add(5, 1 + static_cast<int>(c) % 2, cells[c]);
        return text + "$EndElements\n";
    }

    std::string vtk() const {
        std::string text = fmt::format(
            "# vtk DataFile Version 3.0\ngrid\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {} double\n", nodes.size());
        for (const Vec3& x : nodes) text += fmt::format("{:.17g} {:.17g} {:.17g}\n", x.x(), x.y(), x.z());
        text += fmt::format("CELLS {} {}\n", cells.size() + side.size(), 9 * cells.size() + 5 * side.size());
        for (const auto& q : side) text += fmt::format("4 {}\n", fmt::join(q, " "));
        for (const auto& c : cells) text += fmt::format("8 {}\n", fmt::join(c, " "));
        text += fmt::format("CELL_TYPES {}\n", cells.size() + side.size());
        for (std::size_t i = 0; i < side.size(); ++i) text += "9\n";
        for (std::size_t i = 0; i < cells.size(); ++i) text += "12\n";
        return text;
    }
};

std::set<std::set<Index>> sets_of(const std::vector<Triangle>& triangles) {
    std::set<std::set<Index>> sets;
    for (const Triangle& t : triangles) sets.insert({t.begin(), t.end()});
    return sets;
}

void check_cube(const Mesh& mesh, const Grid& grid) {
    CHECK(mesh.split_cells == grid.cells.size());
    REQUIRE(mesh.tets.size() == 6 * grid.cells.size());
    const auto outer = boundary_triangles(mesh.tets);
    CHECK(outer.size() == 6 * n * n * 2);  // faces between cells are cut alike, else they would count as outer ones
    CHECK(enclosed_volume(mesh.vertices, outer) == relative(1.0, 1e-12));
    const MeshInfo info = inspect(mesh);
    CHECK(info.volume == relative(1.0, 1e-12));
    CHECK(info.inverted_tets == 0);
    CHECK(info.sound());
    const auto faces = sets_of(outer);
    REQUIRE(mesh.triangles.size() == 2 * grid.side.size());
    for (const std::set<Index>& triangle : sets_of(mesh.triangles)) CHECK(faces.contains(triangle));
}

}  // namespace

TEST_CASE("hexahedra of .msh and .vtk become tets that share whole faces, and quadrangles beside them faces of those") {
    for (const unsigned seed : {1u, 2u, 3u, 4u, 5u}) {
        CAPTURE(seed);
        const Folder folder;
        const Grid grid(seed);
        const Mesh msh = read_mesh(folder.write("grid.msh", grid.msh()));
        check_cube(msh, grid);
        for (std::size_t t = 0; t < msh.tets.size(); ++t) CHECK(msh.tet_tags[t] == 1 + static_cast<int>(t / 6) % 2);
        CHECK(msh.triangle_tags == std::vector<int>(2 * grid.side.size(), 7));
        check_cube(read_mesh(folder.write("grid.vtk", grid.vtk())), grid);
    }
}

TEST_CASE("prisms and pyramids become tets of the same volume, whatever their lowest vertex") {
    const std::vector<Vec3> prism{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}},
        pyramid{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 1}};
    for (const auto& [corners, tets, volume] :
         {std::tuple{prism, std::size_t{3}, 0.5}, std::tuple{pyramid, std::size_t{2}, 1.0 / 3.0}}) {
        std::vector<Index> number(corners.size());
        std::iota(number.begin(), number.end(), 0);
        do {
            Mesh mesh;
            mesh.vertices.resize(corners.size());
            for (std::size_t k = 0; k < corners.size(); ++k)
                mesh.vertices[static_cast<std::size_t>(number[k])] = corners[k];
            REQUIRE(add_cell_as_tets(mesh, number) == tets);
            const MeshInfo info = inspect(mesh);
            REQUIRE(info.volume == relative(volume, 1e-12));
            REQUIRE(info.inverted_tets == 0);
        } while (std::next_permutation(number.begin(), number.end()));
    }
}

TEST_CASE("quadrangles without cells beside them are cut through their first vertex") {
    const Folder folder;
    const Mesh mesh =
        read_mesh(folder.write("quad.msh",
                               "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n"
                               "4 0 1 0\n$EndNodes\n$Elements\n1\n1 3 0 2 3 4 1\n$EndElements\n"));
    CHECK(mesh.split_cells == 0);
    CHECK(mesh.triangles == std::vector<Triangle>{{1, 2, 3}, {1, 3, 0}});
}
