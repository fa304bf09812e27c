#include "mesh/mesh_fixtures.hpp"
#include <doctest/doctest.h>

using namespace stiction;
using test::Bytes;

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
