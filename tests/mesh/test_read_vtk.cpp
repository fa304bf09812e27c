#include "stiction/mesh/info.hpp"

#include "mesh/mesh_fixtures.hpp"
#include "support/compare.hpp"
#include <doctest/doctest.h>

using namespace stiction;
using test::Bytes;
using test::relative;

namespace {

const std::string grid_head = "# vtk DataFile Version 3.0\na title\nASCII\nDATASET UNSTRUCTURED_GRID\n";
const std::string five_points = "POINTS 6 double\n0 0 0 1 0 0\n0 1 0\n0 0 1 5 5 5 6 5 5\n";

void check_grid(const Mesh& mesh) {
    REQUIRE(mesh.vertices.size() == 6);
    CHECK(mesh.vertices[3] == Vec3(0, 0, 1));
    CHECK(mesh.vertices[5] == Vec3(6, 5, 5));
    CHECK(mesh.tets == std::vector<Tet>{{0, 1, 2, 3}});
    CHECK(mesh.triangles == std::vector<Triangle>{{0, 1, 4}});
    CHECK(mesh.edges == std::vector<Edge>{{4, 5}});
    CHECK(mesh.points.empty());
}

}  // namespace

TEST_CASE("VTK 3 ASCII unstructured grid, field data before and after") {
    check_grid(test::read_text(
        "a.vtk", grid_head + "FIELD FieldData 1\nTIME 1 1 double\n0.5\n" + five_points +
                     "METADATA\nINFORMATION 0\n\nCELLS 3 12\n4 0 1 2 3\n3 0 1 4\n2 4 5\nCELL_TYPES 3\n10 5 3\n"
                     "CELL_DATA 3\nSCALARS id int 1\nLOOKUP_TABLE default\n1 2 3\n"));
}

TEST_CASE("VTK 5 ASCII unstructured grid with offsets and connectivity") {
    check_grid(test::read_text(
        "a.vtk", "# vtk DataFile Version 5.1\na title\nASCII\nDATASET UNSTRUCTURED_GRID\n" + five_points +
                     "CELLS 4 9\nOFFSETS vtktypeint64\n0 4 7 9\nCONNECTIVITY vtktypeint64\n0 1 2 3 0 1 4 4 5\n"
                     "CELL_TYPES 3\n10\n5\n3\n\nPOINT_DATA 6\n"));
}

TEST_CASE("VTK binary unstructured grid, versions 2 and 5, float and double") {
    Bytes old(std::endian::big);
    old.text("# vtk DataFile Version 2.0\nbinary\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 6 float\n");
    old.add_all<float>({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 5, 5, 6, 5, 5});
    old.text("\nCELLS 3 12\n").add_all<std::int32_t>({4, 0, 1, 2, 3, 3, 0, 1, 4, 2, 4, 5});
    old.text("\nCELL_TYPES 3\n").add_all<std::int32_t>({10, 5, 3}).text("\nPOINT_DATA 6\nSCALARS x float\n");
    old.text("LOOKUP_TABLE default\n").add_all<float>({1, 2, 3, 4, 5, 6}).text("\n");
    check_grid(test::read_text("a.vtk", old.str()));

    Bytes five(std::endian::big);
    five.text(
        "# vtk DataFile Version 5.1\nbinary\nBINARY\nDATASET UNSTRUCTURED_GRID\nFIELD FieldData 1\nTimeValue 1 1 "
        "double\n");
    five.add<double>(0.25).text("\nPOINTS 6 double\n");
    five.add_all<double>({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 5, 5, 6, 5, 5});
    five.text("\nMETADATA\nINFORMATION 0\n\nCELLS 4 9\nOFFSETS vtktypeint64\n").add_all<std::int64_t>({0, 4, 7, 9});
    five.text("\nCONNECTIVITY vtktypeint32\n").add_all<std::int32_t>({0, 1, 2, 3, 0, 1, 4, 4, 5});
    five.text("\nCELL_TYPES 3\n").add_all<std::int32_t>({10, 5, 3}).text("\n");
    check_grid(test::read_text("a.vtk", five.str()));
}

TEST_CASE("VTK cells that are split: quads, pixels, polygons, strips, polylines, several points a cell") {
    const Mesh mesh = test::read_text(
        "a.vtk",
        grid_head +
            "POINTS 9 float\n0 0 0 1 0 0 1 1 0 0 1 0 2 0 0 2 1 0 7 7 7 8 8 8 9 9 9\n"
            "CELLS 6 29\n4 0 1 2 3\n4 0 1 3 2\n5 0 1 4 5 2\n4 0 1 3 2\n3 6 7 8\n3 6 7 0\nCELL_TYPES 6\n9 8 7 6 4 2\n");
    CHECK(mesh.triangles == std::vector<Triangle>{{0, 1, 2},
                                                  {0, 2, 3},  // quad
                                                  {0, 1, 2},
                                                  {0, 2, 3},  // pixel: rows, not round
                                                  {0, 1, 4},
                                                  {0, 4, 5},
                                                  {0, 5, 2},  // polygon
                                                  {0, 1, 3},
                                                  {3, 1, 2}});  // strip
    CHECK(mesh.edges == std::vector<Edge>{{6, 7}, {7, 8}});
    CHECK(mesh.points.empty());
}

TEST_CASE("VTK polydata, ASCII version 4 and binary version 5") {
    const Mesh text = test::read_text("a.vtk",
                                      "# vtk DataFile Version 4.2\nt\nASCII\nDATASET POLYDATA\nPOINTS 6 float\n"
                                      "0 0 0 1 0 0 1 1 0 0 1 0 3 3 3 4 4 4\nVERTICES 1 2\n1 5\nLINES 1 3\n2 3 4\n"
                                      "POLYGONS 1 5\n4 0 1 2 3\nTRIANGLE_STRIPS 1 5\n4 0 1 2 4\n");
    CHECK(text.points == std::vector<Index>{5});
    CHECK(text.edges == std::vector<Edge>{{3, 4}});
    CHECK(text.triangles == std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}, {0, 1, 2}, {2, 1, 4}});

    Bytes b(std::endian::big);
    b.text("# vtk DataFile Version 5.1\nt\nBINARY\nDATASET POLYDATA\nPOINTS 4 float\n");
    b.add_all<float>({0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}).text("\nPOLYGONS 3 6\nOFFSETS vtktypeint64\n");
    b.add_all<std::int64_t>({0, 3, 6})
        .text("\nCONNECTIVITY vtktypeint64\n")
        .add_all<std::int64_t>({0, 1, 2, 0, 2, 3})
        .text("\n");
    CHECK(test::read_text("a.vtk", b.str()).triangles == std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}});
}

TEST_CASE("VTK arrays of text, bits and variants are passed over, wherever they stand") {
    const std::string cells = "CELLS 3 12\n4 0 1 2 3\n3 0 1 4\n2 4 5\nCELL_TYPES 3\n10 5 3\n";
    const std::string text =
        "FIELD FieldData 4\nname 1 2 string\na%20body\n\nn 1 1 double\n0.5\nb 1 3 bit\n0 1 0\nv 1 2 variant\n6 3\n13 "
        "a%20b\n";
    check_grid(test::read_text("a.vtk", grid_head + text + five_points + cells));
    check_grid(test::read_text("a.vtk", grid_head + five_points + text + cells));
    check_grid(test::read_text("a.vtk", grid_head + five_points + cells + "CELL_DATA 3\n" + text));
    // binary: two bits of the first byte say how many bytes the length has
    Bytes binary(std::endian::big);
    binary.text("# vtk DataFile Version 3.0\nbinary\nBINARY\nDATASET UNSTRUCTURED_GRID\nFIELD FieldData 3\n");
    binary.text("bits 1 11 bit\nU@\nvar 1 2 variant\n6 3\n13 a%20b\n");
    binary.text("name 2 2 utf8_string\n").add<std::uint8_t>(0xc0 | 3).text("one");
    binary.add<std::uint16_t>(0x8000 | 300).text(std::string(300, '\n')).add<std::uint8_t>(0xc0);
    binary.add<std::uint8_t>(0xc0 | 1).text("x").text("\nPOINTS 6 float\n");
    binary.add_all<float>({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 5, 5, 6, 5, 5});
    binary.text("\nCELLS 3 12\n").add_all<std::int32_t>({4, 0, 1, 2, 3, 3, 0, 1, 4, 2, 4, 5});
    binary.text("\nCELL_TYPES 3\n").add_all<std::int32_t>({10, 5, 3}).text("\n");
    check_grid(test::read_text("a.vtk", binary.str()));
}

TEST_CASE("VTK voxels become tets of the hexahedron's volume, and share faces with it") {
    // a voxel lists its corners row by row; the hexahedron above it goes around
    const std::string file =
        "# vtk DataFile Version 3.0\nvoxel\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 12 double\n"
        "0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1 0 0 2 1 0 2 0 1 2 1 1 2\n"
        "CELLS 2 18\n8 0 1 2 3 4 5 6 7\n8 4 5 7 6 8 9 11 10\nCELL_TYPES 2\n11 12\n";
    const MeshInfo info = inspect(test::read_text("a.vtk", file));
    CHECK(info.tets == 12);
    CHECK(info.inverted_tets == 0);
    CHECK(info.volume == relative(2.0, 1e-15));
    CHECK(info.surface_triangles == 20);
    CHECK(info.watertight);
}

TEST_CASE("VTK arrays of cells by the names of groups are ids of tets and triangles") {
    const std::string cells = "CELLS 3 12\n4 0 1 2 3\n3 0 1 4\n2 4 5\nCELL_TYPES 3\n10 5 3\n";
    const std::string points =
        "POINT_DATA 6\nVECTORS v float\n0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
        "SCALARS tag int 1\nLOOKUP_TABLE default\n1 1 1 1 1 1\n";
    const auto read = [&](const std::string& arrays) {
        return test::read_text("a.vtk", grid_head + five_points + cells + arrays);
    };
    const auto ids = [](const Mesh& mesh) { return std::pair(mesh.tet_tags, mesh.triangle_tags); };
    using Ids = std::pair<std::vector<int>, std::vector<int>>;
    CHECK(ids(read("CELL_DATA 3\nSCALARS CellEntityIds int 1\nLOOKUP_TABLE default\n7 2 0\n")) == Ids{{7}, {2}});
    CHECK(ids(read(points + "CELL_DATA 3\nFIELD FieldData 2\npressure 3 3 double\n1 2 3 4 5 nan 7 8 9\n"
                            "gmsh:physical 1 3 vtktypeint64\n7 2 0\n")) == Ids{{7}, {2}});
    // behind it the point arrays; a number that is not whole is no group
    CHECK(ids(read("CELL_DATA 3\nSCALARS region double\nLOOKUP_TABLE t\n7 2.5 0\nLOOKUP_TABLE t 1\n0 0 0 1\n" +
                   points)) == Ids{});
    // the first name counts where it says anything
    CHECK(ids(read("CELL_DATA 3\nFIELD FieldData 2\ngmsh:geometrical 1 3 int\n1 4 5\ngmsh:physical 1 3 int\n"
                   "7 0 0\n")) == Ids{{7}, {4}});
    CHECK(ids(read(points)) == Ids{});
    CHECK_THROWS_WITH_AS(read("CELL_DATA 4\nSCALARS region int\nLOOKUP_TABLE default\n1 1 1 1\n"),
                         doctest::Contains("4 values: expected 3"), InputError);
    CHECK_THROWS_WITH_AS(read("CELL_DATA 3\nSCALARS region int\nLOOKUP_TABLE default\n1 1\n"),
                         doctest::Contains("expected"), InputError);
}

TEST_CASE("VTK cells that are listed again with another group are one cell in both groups") {
    const Mesh mesh =
        test::read_text("a.vtk", grid_head + five_points +
                                     "CELLS 4 18\n4 0 1 2 3\n4 1 0 2 3\n3 0 1 4\n3 0 1 4\nCELL_TYPES 4\n10 10 5 5\n"
                                     "CELL_DATA 4\nSCALARS material int\nLOOKUP_TABLE default\n7 8 3 3\n");
    CHECK(mesh.tets.size() == 1);
    CHECK(mesh.tet_tags == std::vector<int>{7});
    CHECK(mesh.further_tet_tags == std::vector<FurtherTag>{{0, 8}});
    CHECK(mesh.triangles.size() == 2);  // the same group twice is a fault of the file, and stays one
}

TEST_CASE("VTK wedges have positive tets in either order of their triangles") {
    for (const char* nodes : {"0 1 2 3 4 5", "0 2 1 3 5 4"}) {
        const MeshInfo info = inspect(
            test::read_text("a.vtk", grid_head + "POINTS 6 double\n0 0 0 1 0 0 0 1 0 0 0 1 1 0 1 0 1 1\nCELLS 1 7\n6 " +
                                         nodes + "\nCELL_TYPES 1\n13\n"));
        CHECK(info.tets == 3);
        CHECK(info.inverted_tets == 0);
        CHECK(info.volume == relative(0.5, 1e-15));
    }
}
