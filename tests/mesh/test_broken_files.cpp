// Every broken file is one InputError that names the file, where, what and what would be right.
#include "mesh/mesh_fixtures.hpp"
#include <doctest/doctest.h>

using namespace stiction;
using test::Bytes;
using test::error_of;

namespace {

const std::string format22 = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
const std::string nodes = "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n";  // lines 4 to 10 after format22

std::string elements(const std::string& line) {
    return format22 + nodes + "$Elements\n1\n" + line + "\n$EndElements\n";
}

}  // namespace

TEST_CASE("broken MSH text files") {
    CHECK(error_of("a.msh", "") == "line 1: end of file: expected $MeshFormat");
    CHECK(
        error_of("a.msh", "(1 \"another program\")") ==
        "line 1: a mesh of Ansys Fluent: expected a file of Gmsh, which begins with $MeshFormat; other programs' .msh "
        "files are other formats: convert them, for example with `meshio convert --output-format gmsh22`");
    CHECK(error_of("a.msh", "$NOD\n1\n1 0 0 0\n") ==
          "line 1: MSH version 1: expected MSH version 2.2, 4.0 or 4.1: open the file in Gmsh and save it again");
    CHECK(error_of("a.msh", "5 8 12\n").find("line 1: 5: expected a file of Gmsh, which begins") == 0);
    CHECK(error_of("a.msh", "$MeshFormat\n3.0 0 8\n") == "line 2: version 3.0: expected MSH version 2.2, 4.0 or 4.1");
    CHECK(error_of("a.msh", "$MeshFormat\n4.2 0 8\n") == "line 2: version 4.2: expected MSH version 2.2, 4.0 or 4.1");
    CHECK(error_of("a.msh", "$MeshFormat\n2.2 0 4\n") == "line 2: 4: expected data size 8");
    CHECK(error_of("a.msh", format22) == "line 4: end of file: expected a $Nodes section");
    CHECK(error_of("a.msh", format22 + "$Nodes\n1000000000\n1 0 0 0\n") ==
          "line 5: 1000000000 nodes: expected at most 1, which is what the rest of the file has room for");
    CHECK(error_of("a.msh", format22 + "$Nodes\n-3\n") == "line 5: -3: expected a number of nodes of at least 0");
    CHECK(error_of("a.msh", format22 + "$Nodes\n2\n1 0 0 0\n2 1 0 nan\n$EndNodes\n") ==
          "line 7: nan: expected a node's z (a finite number)");
    CHECK(error_of("a.msh", format22 + "$Nodes\n2\n1 0 0 0\n2 1 1e999 0\n$EndNodes\n") ==
          "line 7: 1e999: expected a node's y (a finite number)");
    CHECK(error_of("a.msh", format22 + "$Nodes\n2\n1 0 0 0\n1 1 0 0\n$EndNodes\n") ==
          "line 7: node 1: expected node tags that appear once");
    CHECK(error_of("a.msh", format22 + "$Nodes\n2\n1 0 0 0\n2 1 x 0\n$EndNodes\n") ==
          "line 7: x: expected a node's y (a finite number)");
    CHECK(error_of("a.msh", format22 + "$Nodes\n1\n1 0 0 0\n2 0 0 0\n$EndNodes\n") == "line 7: 2: expected $EndNodes");
    CHECK(error_of("a.msh", format22 + "$Elements\n0\n$EndElements\n") ==
          "line 4: $Elements: expected $Nodes before $Elements");
    CHECK(error_of("a.msh", format22 + "$Periodic\n0\n" + nodes) ==
          "line 4: $Periodic: expected $EndPeriodic at the end of the section");
    CHECK(error_of("a.msh", elements("1 4 2 0 0 1 2 3 5")) == "line 13: node 5: expected a node listed in $Nodes");
    CHECK(error_of("a.msh", elements("1 29 2 0 0 1 2 3 4 1 2 3 4 1 2")) ==
          "line 13: element type 29 (third-order tetrahedron): expected linear points, lines, triangles, quadrangles, "
          "tetrahedra, hexahedra, prisms or pyramids, or second-order tetrahedra");
    CHECK(error_of("a.msh", elements("1 9 2 0 0 1 2 3 4 1 2"))
              .find("element type 9 (second-order triangle): expected second-order lines and triangles only beside "
                    "second-order tetrahedra: save the mesh with order 1") != std::string::npos);
    CHECK(error_of("a.msh", elements("1 12 2 0 0 1 2 3 4 1 2 3 4")).find("element type 12 (second-order hexahedron)") !=
          std::string::npos);
    CHECK(error_of("a.msh", format22 + nodes + "$Elements\n1\n1 4 2 0 0 1 2 3") ==
          "line 13: end of file: expected an element's node");
    CHECK(error_of("a.msh",
                   "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 2 1 2\n3 0 0 1\n1\n0 0 0 \n$EndNodes\n        ") ==
          "line 8: 1 nodes in the blocks: expected 2 nodes, as announced");
}

TEST_CASE("broken binary MSH files name the byte") {
    Bytes b(std::endian::little);
    b.text("$MeshFormat\n2.2 1 8\n").add<std::int32_t>(1).text("\n$EndMeshFormat\n$Nodes\n1\n");  // 49 bytes
    b.add<std::int32_t>(1).add_all<double>({0, std::numeric_limits<double>::quiet_NaN(), 0});
    CHECK(b.str().size() == 49 + 28);
    CHECK(error_of("a.msh", b.str() + "\n$EndNodes\n") == "byte 61: nan: expected a node's y (a finite number)");
    CHECK(error_of("a.msh", b.str().substr(0, 49 + 20)).find("1 nodes: expected at most 0") != std::string::npos);

    Bytes four(std::endian::little);
    four.text("$MeshFormat\n4.1 1 8\n").add<std::int32_t>(1).text("\n$EndMeshFormat\n$Nodes\n");
    four.add_all<std::uint64_t>({1, std::uint64_t(1) << 60, 1, 1});
    CHECK(error_of("a.msh", four.str()).find("1152921504606846976 nodes: expected at most") != std::string::npos);
    CHECK(error_of("a.msh", "$MeshFormat\n2.2 1 8\nabcd\n$EndMeshFormat\n").find("expected the number 1 in binary") !=
          std::string::npos);
}

TEST_CASE("broken VTK files") {
    const std::string head = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n";
    const std::string points = "POINTS 3 float\n0 0 0 1 0 0 0 1 0\n";
    CHECK(error_of("a.vtk", "not vtk\n") == "line 1: not vtk: expected # vtk DataFile Version N");
    CHECK(error_of("a.vtk", "# vtk DataFile Version 3.0\nt\nASCII\nDATASET STRUCTURED_GRID\n") ==
          "line 4: structured_grid: expected UNSTRUCTURED_GRID or POLYDATA");
    CHECK(error_of("a.vtk", head + "POINTS 3 float\n0 0 0 1 0 0 0 1 inf\n") ==
          "line 6: inf: expected a point's z (a finite number)");
    CHECK(error_of("a.vtk", head + points + "CELLS 1 4\n3 0 1 3\nCELL_TYPES 1\n5\n") ==
          "line 8: vertex 3: expected a vertex from 0 to 2");
    CHECK(error_of("a.vtk", head + points + "CELLS 1 4\n3 0 1 -1\nCELL_TYPES 1\n5\n") ==
          "line 8: vertex -1: expected a vertex from 0 to 2");
    CHECK(error_of("a.vtk", head + points + "CELLS 1 4\n3 0 1 2\n") ==
          "line 9: CELLS without types: expected a CELL_TYPES section");
    CHECK(error_of("a.vtk", head + points + "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n25\n")
              .find("cell type 25 (quadratic hexahedron): expected linear vertices") != std::string::npos);
    CHECK(error_of("a.vtk", head + points + "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n22\n") ==
          "line 10: a cell of type 22 with 3 vertices: expected 6 vertices");
    CHECK(error_of("a.vtk", head + points + "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n10\n") ==
          "line 10: a cell of type 10 with 3 vertices: expected 4 vertices");
    CHECK(error_of("a.vtk", head + points + "CELLS 900000 4\n3 0 1 2\n").find("900000 cells: expected at most") !=
          std::string::npos);
    CHECK(error_of("a.vtk", "# vtk DataFile Version 5.1\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n" + points +
                                "CELLS 2 3\nOFFSETS vtktypeint64\n0 4\nCONNECTIVITY vtktypeint64\n0 1 2\n") ==
          "line 9: offset 4: expected offsets that start with 0 and rise to 3");
    Bytes b(std::endian::big);
    b.text("# vtk DataFile Version 3.0\nt\nBINARY\nDATASET POLYDATA\nPOINTS 2 double\n").add_all<double>({0, 0, 0, 1});
    CHECK(error_of("a.vtk", b.str()).find("2 points: expected at most 1") != std::string::npos);
}

TEST_CASE("broken OBJ files") {
    CHECK(error_of("a.obj", "") == "no vertices: expected a mesh with at least one vertex");
    CHECK(error_of("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n") ==
          "line 4: vertex 4: expected a vertex from 1 to 3");
    CHECK(error_of("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n") ==
          "line 4: vertex 0: expected a vertex from 1 to 3");
    CHECK(error_of("a.obj", "v 0 0 0\nf -1 -2 -1\n") == "line 2: vertex -2: expected a vertex from -1 to -1 or from 1");
    CHECK(error_of("a.obj", "v 0 0 0\nf 1 2\n") == "line 2: 2 vertices: expected `f` with at least 3 vertices");
    CHECK(error_of("a.obj", "v 0 0 0\nv 1\n") == "line 2: 1 coordinates: expected a vertex with 2 or 3 coordinates");
    CHECK(error_of("a.obj", "v 0 0 -inf\n") == "line 1: -inf: expected a coordinate (a finite number)");
    CHECK(error_of("a.obj", "v 0 0 0\nf a b c\n") == "line 2: a: expected a vertex number");
    CHECK(error_of("a.obj", "f 1 2 3\n") == "line 1: vertex 1: expected no vertex: there is none before it");
}

TEST_CASE("broken PLY files") {
    const std::string head =
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n";
    const std::string face = "element face 1\nproperty list uchar int vertex_indices\nend_header\n";
    CHECK(error_of("a.ply", "plx\n") == "line 1: the first line: expected ply");
    CHECK(error_of("a.ply", "ply\nformat binary 1.0\n") ==
          "line 2: binary: expected ascii, binary_little_endian or binary_big_endian");
    CHECK(error_of("a.ply", head + face + "0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n") ==
          "line 13: vertex 7: expected a vertex from 0 to 2");
    CHECK(error_of("a.ply", head + face + "0 0 0\n1 0 0\n0 1 0\n3 0 1   ") ==
          "line 13: end of file: expected a vertex number");
    CHECK(error_of("a.ply", head + face + "0 0 0\n1 0 0\n0 1 0\n2 0 1\n") ==
          "line 13: a face with 2 vertices: expected at least 3 vertices");
    CHECK(error_of("a.ply", head + "end_header\n").find("3 vertex elements: expected at most 0") != std::string::npos);
    CHECK(error_of("a.ply", head + "property quad w\n") ==
          "line 7: quad: expected a type such as float, double, int or uchar");
    CHECK(error_of("a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n")
              .find("element vertex: expected a property y") != std::string::npos);
    Bytes b(std::endian::little);
    b.text(
        "ply\nformat binary_little_endian 1.0\nelement vertex 2000000000\nproperty float x\nproperty float y\nproperty "
        "float z\nend_header\n");
    b.add_all<float>({0, 0, 0});
    CHECK(error_of("a.ply", b.str()).find("2000000000 elements: expected at most") != std::string::npos);
}

TEST_CASE("broken STL files") {
    CHECK(error_of("a.stl", "abc") == "byte 0: end of file: expected an 80-byte header");
    CHECK(error_of("a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n") ==
          "line 5: end of file: expected vertex");
    CHECK(error_of("a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nendloop\n") ==
          "line 5: endloop: expected vertex");
    Bytes b(std::endian::little);
    b.text(std::string(80, 'x')).add<std::uint32_t>(4000000000u).add_all<float>({0, 0, 1});
    CHECK(error_of("a.stl", b.str()) ==
          "byte 80: 4000000000 triangles announced, 0 in the file: expected a whole binary STL file: this one is cut "
          "short, or is another format");
}

TEST_CASE("files that cannot be read at all") {
    const test::Folder folder;
    const auto message = [&](const std::filesystem::path& path) -> std::string {
        try {
            read_mesh(path);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    const auto missing = folder.path("missing.msh");
    CHECK(message(missing) == missing.string() + ": no such file: expected a mesh file");
    std::filesystem::create_directories(folder.path("folder.obj"));
    CHECK(message(folder.path("folder.obj")).find("not a regular file") != std::string::npos);
    CHECK(message(folder.write("a.stp", "x"))
              .find("extension .stp: expected one of .msh, .vtk, .obj, .seg, .pt, .ply, .stl") != std::string::npos);
}

TEST_CASE("files cut off anywhere, and files with one byte changed, never crash") {
    Bytes b(std::endian::little);
    b.text("$MeshFormat\n4.1 1 8\n")
        .add<std::int32_t>(1)
        .text("\n$EndMeshFormat\n$Nodes\n")
        .add_all<std::uint64_t>({1, 4, 1, 4});
    b.add_all<std::int32_t>({3, 1, 0}).add<std::uint64_t>(4).add_all<std::uint64_t>({1, 2, 3, 4});
    b.add_all<double>({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1})
        .text("\n$EndNodes\n$Elements\n")
        .add_all<std::uint64_t>({1, 1, 1, 1});
    b.add_all<std::int32_t>({3, 1, 4})
        .add<std::uint64_t>(1)
        .add_all<std::uint64_t>({1, 1, 2, 3, 4})
        .text("\n$EndElements\n");
    Bytes vtk(std::endian::big);
    vtk.text("# vtk DataFile Version 5.1\nt\nBINARY\nDATASET POLYDATA\nPOINTS 3 float\n")
        .add_all<float>({0, 0, 0, 1, 0, 0, 1, 1, 0});
    vtk.text("\nPOLYGONS 2 3\nOFFSETS vtktypeint64\n")
        .add_all<std::int64_t>({0, 3})
        .text("\nCONNECTIVITY vtktypeint64\n");
    vtk.add_all<std::int64_t>({0, 1, 2}).text("\n");
    const std::string obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/1/1 2 -1\nl 1 2\np 3\n";
    const std::string ply =
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
        "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    const std::string stl =
        "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 "
        "0\nendloop\nendfacet\nendsolid\n";
    const unsigned seed = 7;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const test::Folder folder;
    for (const auto& [name, whole] : {std::pair<std::string, std::string>{"a.msh", b.str()},
                                      {"a.vtk", vtk.str()},
                                      {"a.obj", obj},
                                      {"a.ply", ply},
                                      {"a.stl", stl}}) {
        CHECK(error_of(name, whole) == "");
        int refused = 0;
        for (std::size_t length = 0; length < whole.size(); length += 3)
            refused += !error_of(folder, name, whole.substr(0, length)).empty();
        CHECK(refused > 0);
        for (int i = 0; i < 100; ++i) {
            std::string changed = whole;
            changed[random() % changed.size()] = static_cast<char>(random());
            try {
                const Mesh mesh = read_mesh(folder.write(name, changed));
                for (const Triangle& t : mesh.triangles)
                    for (const Index v : t) CHECK(static_cast<std::size_t>(v) < mesh.vertices.size());
                for (const Vec3& p : mesh.vertices) CHECK(p.allFinite());
            } catch (const InputError&) {
            }
        }
    }
}
