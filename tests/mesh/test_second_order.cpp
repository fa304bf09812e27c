#include "stiction/mesh/components.hpp"
#include "stiction/mesh/generate_hollow.hpp"
#include "stiction/mesh/second_order.hpp"
#include "stiction/mesh/topology.hpp"
#include "stiction/mesh/write.hpp"

#include "mesh/mesh_fixtures.hpp"
#include <doctest/doctest.h>

#include <cmath>

using namespace stiction;
using test::Bytes;

namespace {

// One tet with the corners 1 to 4, the mid nodes 5 to 10 in Gmsh's order (01, 12, 20, 30, 23, 13), and node 11 unused.
const std::string second_order_nodes =
    "$Nodes\n11\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 .5 0 0\n6 .5 .5 0\n7 0 .5 0\n8 0 0 .5\n9 0 .5 .5\n10 .5 0 .5\n"
    "11 7 7 7\n$EndNodes\n";

std::string second_order_msh2(const std::string& elements) {
    return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n" + second_order_nodes + "$Elements\n" + elements + "$EndElements\n";
}

const std::string second_order_tet = "1 11 2 4 1 1 2 3 4 5 6 7 8 9 10\n";

const std::string second_order_msh4 =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 10 1 10\n3 1 0 10\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"
    "0 0 0\n1 0 0\n0 1 0\n0 0 1\n.5 0 0\n.5 .5 0\n0 .5 0\n0 0 .5\n0 .5 .5\n.5 0 .5\n$EndNodes\n"
    "$Elements\n1 1 1 1\n3 1 11 1\n1 1 2 3 4 5 6 7 8 9 10\n$EndElements\n";

/// Each mid node in the middle of the edge that its place stands for.
void check_middles(const Mesh& mesh) {
    REQUIRE(mesh.mid_nodes.size() == mesh.tets.size());
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        for (std::size_t k = 0; k < 6; ++k) {
            const auto vertex = [&](Index v) -> Vec3 { return mesh.vertices[static_cast<std::size_t>(v)]; };
            const Vec3 middle =
                0.5 * (vertex(mesh.tets[t][mid_node_edges[k][0]]) + vertex(mesh.tets[t][mid_node_edges[k][1]]));
            CHECK((vertex(mesh.mid_nodes[t][k]) - middle).norm() < 1e-14);
        }
    }
}

}  // namespace

TEST_CASE("MSH: mid nodes of second-order tets are in our order, faces and lines stand for their corners") {
    const Mesh mesh = test::read_text(
        "a.msh", second_order_msh2("4\n2 8 2 3 1 1 2 5\n3 9 2 5 1 1 3 2 7 6 5\n4 15 2 0 1 10\n" + second_order_tet));
    check_middles(mesh);
    CHECK(mesh.tets == std::vector<Tet>{{0, 1, 2, 3}});
    CHECK(mesh.triangles == std::vector<Triangle>{{0, 2, 1}});
    CHECK(mesh.triangle_tags == std::vector<int>{5});
    CHECK(mesh.tet_tags == std::vector<int>{4});
    CHECK(mesh.edges.empty());
    CHECK(mesh.points.empty());  // a mid node is no point of its own
    check_middles(test::read_text("a.msh", second_order_msh4));
}

TEST_CASE("second order: turned tets keep each mid node on its edge, and unused vertices are dropped") {
    Mesh mesh = test::read_text("a.msh", second_order_msh2("1\n1 11 2 4 1 1 3 2 4 7 6 5 8 10 9\n"));
    check_middles(mesh);
    CHECK(orient_tets(mesh) == 1);
    check_middles(mesh);
    CHECK(std::abs(signed_volume(mesh, mesh.tets[0]) * 6.0 - 1.0) < 1e-14);
    std::swap(mesh.vertices[0], mesh.vertices[10]);  // the unused vertex first
    for (Index& v : mesh.tets[0]) v = v == 0 ? 10 : v;
    compact(mesh);
    CHECK(mesh.vertices.size() == 10);
    check_middles(mesh);
}

TEST_CASE("MSH: tets of both orders in one file are refused") {
    CHECK_THROWS_WITH_AS(test::read_text("a.msh", second_order_msh2("2\n2 4 2 0 1 1 2 3 4\n" + second_order_tet)),
                         doctest::Contains("1 second-order and 1 linear tetrahedra: expected tetrahedra of one order"),
                         InputError);
}

TEST_CASE("MSH: second-order tets come back from our own file, in text and binary") {
    const Mesh mesh = test::read_text("a.msh", second_order_msh2("1\n" + second_order_tet));
    const test::Folder folder;
    for (const Encoding encoding : {Encoding::ascii, Encoding::binary}) {
        write_msh(folder.path("b.msh"), mesh, encoding);
        const Mesh again = read_mesh(folder.path("b.msh"));
        CHECK(again.tets == mesh.tets);
        CHECK(again.mid_nodes == mesh.mid_nodes);
        CHECK(again.tet_tags == mesh.tet_tags);
    }
}

TEST_CASE("VTK: quadratic tets, and quadratic triangles by their corners; orders that do not go together are refused") {
    const std::string points =
        "# vtk DataFile Version 2.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 10 double\n"
        "0 0 0 1 0 0 0 1 0 0 0 1 .5 0 0 .5 .5 0 0 .5 0 0 0 .5 .5 0 .5 0 .5 .5\n";
    const Mesh mesh = test::read_text(
        "a.vtk", points + "CELLS 3 22\n10 0 1 2 3 4 5 6 7 8 9\n6 0 2 1 6 5 4\n3 0 1 4\nCELL_TYPES 3\n24\n22\n21\n");
    check_middles(mesh);
    CHECK(mesh.edges.empty());  // an edge of the tet
    CHECK(mesh.triangles == std::vector<Triangle>{{0, 2, 1}});
    CHECK_THROWS_WITH_AS(
        test::read_text("a.vtk", points + "CELLS 2 16\n10 0 1 2 3 4 5 6 7 8 9\n4 0 1 2 3\nCELL_TYPES 2\n24\n10\n"),
        doctest::Contains("1 quadratic and 1 linear solid cells"), InputError);
    CHECK_THROWS_WITH_AS(
        test::read_text("a.vtk", points + "CELLS 1 7\n6 0 2 1 6 5 4\nCELL_TYPES 1\n22\n"),
        doctest::Contains("1 quadratic edges and triangles (cell types 21 and 22): expected these only beside"),
        InputError);
}

TEST_CASE("second order: an edge has one node of its own, else the mesh is refused") {
    const auto refused = [](const std::string& elements, const char* message) {
        CHECK_THROWS_WITH_AS(test::read_text("a.msh", second_order_msh2(elements)), doctest::Contains(message),
                             InputError);
    };
    refused("1\n1 11 2 0 1 1 2 3 4 5 6 7 8 9 1\n", "a.msh: tets[0]: vertex 0 on the edge 1-3 is a corner, too");
    refused("1\n1 11 2 0 1 1 2 3 4 5 6 7 8 9 9\n", "a.msh: tets[0]: vertex 8 on the edges 1-3 and 2-3");
    refused("2\n1 11 2 0 1 1 2 3 4 5 6 7 8 9 10\n2 11 2 0 1 1 2 3 4 5 6 7 8 9 11\n",
            "a.msh: tets[1]: vertices 9 and 10 on the edge 1-3: expected one node on an edge that tets share");
}

TEST_CASE("TetGen: ten vertices a tet and six a face, in the order that TetGen 1.5.0 writes with -o2") {
    // Corners 1 to 4; behind them TetGen has the nodes of edges 23, 03, 01, 12, 13 and 20.
    const test::Folder folder;
    folder.write("a.node",
                 "10 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0 .5 .5\n6 0 0 .5\n7 .5 0 0\n8 .5 .5 0\n"
                 "9 .5 0 .5\n10 0 .5 0\n");
    folder.write("a.ele", "1 10 1\n1 1 2 3 4 5 6 7 8 9 10 77\n");
    folder.write("a.face", "2 1\n1 1 3 2 10 8 7 5\n2 1 2 4 7 9 6 6\n");
    const Mesh mesh = read_mesh(folder.path("a.ele"));
    CHECK(mesh.tets == std::vector<Tet>{{0, 1, 2, 3}});
    check_middles(mesh);
    CHECK(mesh.tet_tags == std::vector<int>{77});
    CHECK(mesh.triangles == std::vector<Triangle>{{0, 2, 1}, {0, 1, 3}});
    CHECK(mesh.triangle_tags == std::vector<int>{5, 6});
    folder.write("a.ele", "1 10 1\n1 1 2 3 4 5 6 7 8 9 10\n");
    CHECK_THROWS_WITH_AS(read_mesh(folder.path("a.ele")),
                         doctest::Contains("end of line: expected a region behind the 10 vertices"), InputError);
}

TEST_CASE("second order: walls of cavities and the surface are those of the corners, and the mesh stays as it is") {
    const Mesh linear = generate_hollow_ball(1.0, 0.3, 2, 1);
    Mesh mesh = linear;
    add_mid_nodes(mesh);
    const auto mid_nodes = mesh.mid_nodes;
    const auto walls = cavity_walls(mesh);
    REQUIRE(walls.size() == 1);
    CHECK(walls == cavity_walls(linear));
    CHECK(mesh.mid_nodes == mid_nodes);
    const Mesh surface = surface_mesh(mesh), expected = surface_mesh(linear);
    CHECK(surface.mid_nodes.empty());
    CHECK(surface.triangles == expected.triangles);
    CHECK(surface.vertices == expected.vertices);  // those on edges are left out
    const std::vector<Triangle6> curved = curved_boundary(mesh);
    REQUIRE(curved.size() == surface.triangles.size());
    for (const Triangle6& t : curved) {
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3 middle = 0.5 * (mesh.vertices[at(t[k])] + mesh.vertices[at(t[(k + 1) % 3])]);
            CHECK((mesh.vertices[at(t[3 + k])] - middle).norm() < 1e-14);
        }
    }
}
