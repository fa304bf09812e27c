#include "mesh/mesh_fixtures.hpp"
#include <doctest/doctest.h>

using namespace stiction;
using test::Bytes;

TEST_CASE("OBJ: all forms of faces, negative numbers, polygons, lines, points, two coordinates") {
    const Mesh mesh =
        test::read_text("a.obj",
                        "# a comment\no name\nv 0 0\nv 1 0 0 # at the end\r\nv 1 1 0 1.0\nv 0 +1 0 0.5 0.5 0.5\n"
                        "vn 0 0 1\nvt 0 0\ns off\ng group\nusemtl x\n"
                        "f 1 2 3\nf 1/1 3/1 4/1\nf 1//1 2//1 4//1\nf 1/1/1 -3/1/1 -2/1/1 -1/1/1\n"
                        "v 5 0 0\nv 6 0 0\nv 7 0 0\nv 8 8 8\nl 5 6/1 7\nl 1 2\np -1\np 1\nf 9 8 7\nv 9 0 0");
    REQUIRE(mesh.vertices.size() == 9);
    CHECK(mesh.vertices[0] == Vec3(0, 0, 0));
    CHECK(mesh.vertices[3] == Vec3(0, 1, 0));
    CHECK(mesh.vertices[8] == Vec3(9, 0, 0));
    CHECK(mesh.triangles == std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}, {0, 2, 3}, {8, 7, 6}});
    CHECK(mesh.edges == std::vector<Edge>{{4, 5}, {5, 6}});  // 1-2 is an edge of a triangle
    CHECK(mesh.points.empty());                              // vertex 8 is a corner of the last face
}

TEST_CASE("OBJ with vertices only is a set of points and .seg has s edges") {
    CHECK(test::read_text("a.obj", "v 0 0 0\nv 1 2 3\n").points == std::vector<Index>{0, 1});
    CHECK(test::read_text("a.seg", "v 0 0 0\nv 1 0 0\ns 1 2").edges == std::vector<Edge>{{0, 1}});
    CHECK(test::read_text("a.pt", "v 0 0 0\nv 1 0 0").points == std::vector<Index>{0, 1});
    CHECK(test::read_text("a.obj", "v 0 0 0\nv 1 0 0\np 1\ns 1 2").edges.empty());
}

TEST_CASE("TetGen: .ele with the .node beside it, numbered from 0 or 1, with comments and attributes") {
    const test::Folder folder;
    for (const int first : {0, 1}) {
        INFO("from ", first);
        const auto id = [&](int k) { return ' ' + std::to_string(first + k); };
        folder.write("a.node", "# vertices\n5 3 1 0\n" + id(0) + " 0 0 0 7\n" + id(1) + " 1 0 0 7 # x\n" + id(2) +
                                   " 0 1 0 7\n\n" + id(3) + " 0 0 1 7\n" + id(4) + " 9 8 7 7\n");
        folder.write("a.ele", "2 4 1\n" + id(0) + id(0) + id(1) + id(2) + id(3) + " 5\n" + id(1) + id(4) + id(3) +
                                  id(2) + id(1) + " 5\n");
        const Mesh mesh = read_mesh(folder.path("a.ele"));
        REQUIRE(mesh.vertices.size() == 5);
        CHECK(mesh.vertices[4] == Vec3(9, 8, 7));
        CHECK(mesh.tets == std::vector<Tet>{{0, 1, 2, 3}, {4, 3, 2, 1}});
    }
    const auto error = [&](const std::string& node, const std::string& ele) {
        folder.write("a.node", node), folder.write("a.ele", ele);
        try {
            read_mesh(folder.path("a.ele"));
        } catch (const InputError& e) {
            return std::string(e.what()).substr(folder.path("").string().size());
        }
        return std::string();
    };
    const std::string four = "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n";
    CHECK(error(four, "1 4 0\n0 0 1 2 3\n") == "");
    CHECK(error("1 2 0 0\n0 0 0\n", "0 4 0\n").find("a.node: line 1: 2: expected the dimension, 3") == 0);
    CHECK(error(four, "1 5 0\n0 0 1 2 3\n").find("a.ele: line 1: 5: expected 4 or 10 vertices a tet") == 0);
    CHECK(error(four, "1 10 0\n0 0 1 2 3\n").find("a.ele: line 2: end of line: expected 1 tets of 10 vertices") == 0);
    CHECK(error(four, "1 4 0\n0 0 1 2 4\n").find("a.ele: line 2: ") == 0);
    CHECK(error(four, "2 4 0\n0 0 1 2 3\n").find("a.ele: line ") == 0);
    CHECK(error("4 3 0 0\n0 0 0 0\n2 1 0 0\n", "0 4 0\n").find("a.node: line 3: 2: expected numbers of vertices") == 0);
    CHECK(error("1 3 0 0\n0 0 0\n", "0 4 0\n").find("a.node: line 2: end of line: expected three coordinates") == 0);
    std::filesystem::remove(folder.path("a.node"));
    CHECK_THROWS_AS(read_mesh(folder.path("a.ele")), InputError);
}

TEST_CASE("TetGen: the region column, and the faces and markers of a .face beside it") {
    const test::Folder folder;
    folder.write("a.node", "5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n");
    folder.write("a.ele", "2 4 2\n1 1 2 3 4 77 0.5\n2 2 3 4 5 -3 0.5\n");
    CHECK(read_mesh(folder.path("a.ele")).tet_tags == std::vector<int>{77, -3});
    CHECK(read_mesh(folder.path("a.ele")).triangles.empty());
    folder.write("a.face", "2 1\n1 1 2 3 11 # below\n2 3 5 4 12\n");
    const Mesh mesh = read_mesh(folder.path("a.ele"));
    CHECK(mesh.triangles == std::vector<Triangle>{{0, 1, 2}, {2, 4, 3}});
    CHECK(mesh.triangle_tags == std::vector<int>{11, 12});
    folder.write("a.face", "1 0\n1 1 2 3\n");
    CHECK(read_mesh(folder.path("a.ele")).triangle_tags.empty());
    folder.write("a.face", "1 1\n1 1 2 5 11\n");  // no face of the two tets
    CHECK_THROWS_AS(read_mesh(folder.path("a.ele")), InputError);
    folder.write("a.face", "0 1\n");
    folder.write("a.ele", "1 4 1\n1 1 2 3 4 0.5\n");
    CHECK_THROWS_AS(read_mesh(folder.path("a.ele")), InputError);
}

TEST_CASE("numbers read to the last bit, denormals included") {
    const Mesh mesh = test::read_text(
        "a.obj", "v 0.1 1e-310 -4.9406564584124654e-324\nv 1.7976931348623157e308 1e-400 2.2250738585072011e-308\n");
    CHECK(mesh.vertices[0] == Vec3(0.1, 1e-310, -4.9406564584124654e-324));
    CHECK(mesh.vertices[1] == Vec3(1.7976931348623157e308, 0, 2.2250738585072011e-308));
}

namespace {

const std::string ply_elements =
    "comment made by hand\nelement vertex 5\nproperty float x\nproperty uchar red\nproperty double y\nproperty float "
    "z\n"
    "element extra 1\nproperty list uchar short values\nproperty int one\n"
    "element face 2\nproperty uchar flags\nproperty list uchar int vertex_indices\n"
    "element edge 1\nproperty int vertex1\nproperty int vertex2\nproperty uchar red\nend_header\n";

void check_ply(const Mesh& mesh) {
    REQUIRE(mesh.vertices.size() == 5);
    CHECK(mesh.vertices[2] == Vec3(1, 0.1, 0));
    CHECK(mesh.triangles == std::vector<Triangle>{{0, 1, 2}, {0, 1, 2}, {0, 2, 3}});
    CHECK(mesh.edges == std::vector<Edge>{{3, 4}});
}

}  // namespace

TEST_CASE("PLY ASCII, binary little and big endian, with properties and elements to pass over") {
    check_ply(test::read_text(
        "a.ply",
        "ply\nformat ascii 1.0\n" + ply_elements +
            "0 255 0 0\n1 255 0 0\n1 255 0.1 0\n0 255 1 0\n4 255 4 4\n3 1 2 3 -7\n0 3 0 1 2\n1 4 0 1 2 3\n3 4 9\n"));
    for (const std::endian order : {std::endian::little, std::endian::big}) {
        Bytes b(order);
        b.text(std::string("ply\nformat ") +
               (order == std::endian::little ? "binary_little_endian" : "binary_big_endian") + " 1.0\n");
        b.text(ply_elements);
        const double vertices[5][3] = {{0, 0, 0}, {1, 0, 0}, {1, 0.1, 0}, {0, 1, 0}, {4, 4, 4}};
        for (const auto& v : vertices)
            b.add<float>(static_cast<float>(v[0]))
                .add<std::uint8_t>(255)
                .add<double>(v[1])
                .add<float>(static_cast<float>(v[2]));
        b.add<std::uint8_t>(3).add_all<std::int16_t>({1, 2, 3}).add<std::int32_t>(-7);
        b.add_all<std::uint8_t>({0, 3}).add_all<std::int32_t>({0, 1, 2});
        b.add_all<std::uint8_t>({1, 4}).add_all<std::int32_t>({0, 1, 2, 3});
        b.add_all<std::int32_t>({3, 4}).add<std::uint8_t>(9);
        check_ply(test::read_text("a.ply", b.str()));
    }
}

TEST_CASE("STL ASCII and binary, corners merged exactly") {
    const std::string text =
        "solid two words\n facet normal 0 0 nan\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 1 0\n  "
        "endloop\n endfacet\n"
        "facet normal 0 0 1\nouter loop\nvertex 1 0 0\nvertex 1 1 0\nvertex -0 1 0\nendloop\nendfacet\nendsolid two "
        "words\n";
    const Mesh ascii = test::read_text("a.stl", text);
    CHECK(ascii.vertices.size() == 4);
    CHECK(ascii.triangles == std::vector<Triangle>{{0, 1, 2}, {1, 3, 2}});

    Bytes b(std::endian::little);
    std::string header = "solid but binary";  // a header that many programs write
    header.resize(80, ' ');
    b.text(header).add<std::uint32_t>(2);
    b.add_all<float>({0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0}).add<std::uint16_t>(0);
    b.add_all<float>({0, 0, 1, 1, 0, 0, 1, 1, 0.125f, 0, 1, 0}).add<std::uint16_t>(7);
    const Mesh binary = test::read_text("a.stl", b.str());
    CHECK(binary.vertices.size() == 4);
    CHECK(binary.vertices[3] == Vec3(1, 1, 0.125));
    CHECK(binary.triangles == std::vector<Triangle>{{0, 1, 2}, {1, 3, 2}});
}

namespace {

const std::string stl_text =
    "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";

std::string stl_binary(const std::string& header) {
    Bytes b(std::endian::little);
    b.text(header).text(std::string(80 - header.size(), '\0')).add<std::uint32_t>(1);
    b.add_all<float>({0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0}).add<std::uint16_t>(0);
    return b.str();
}

}  // namespace

TEST_CASE("STL as other programs write it") {
    std::string capitals;
    for (const char c : stl_text) capitals += static_cast<char>(std::toupper(c));
    const auto one_triangle = [](const std::string& bytes) {
        const Mesh mesh = test::read_text("a.stl", bytes);
        return mesh.vertices.size() == 3 && mesh.triangles == std::vector<Triangle>{{0, 1, 2}};
    };
    CHECK(one_triangle(stl_text + "endsolid a\n"));
    CHECK(one_triangle(stl_text));
    CHECK(one_triangle(capitals + "ENDSOLID A\n"));
    CHECK(one_triangle("\xef\xbb\xbf" + stl_text + "endsolid a\n"));
    for (const std::string header : {"made by x", "solid made by x", "SOLID", "\xef\xbb\xbfsolid"}) {
        INFO(header);
        CHECK(one_triangle(stl_binary(header)));
        CHECK(one_triangle(stl_binary(header) + "a comment behind the triangles"));
        CHECK(test::error_of("a.stl", stl_binary(header).substr(0, 120)).find("cut short") != std::string::npos);
    }
}

TEST_CASE("a byte-order mark before text is passed over in every format") {
    CHECK(test::read_text("a.obj", "\xef\xbb\xbfv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").triangles.size() == 1);
    CHECK(test::read_text("a.ply",
                          "\xef\xbb\xbfply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty "
                          "float y\nproperty float z\nend_header\n0 0 0\n")
              .points.size() == 1);
}
