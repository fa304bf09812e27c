#include "stiction/mesh/info.hpp"
#include "stiction/mesh/topology.hpp"

#include "mesh/mesh_fixtures.hpp"
#include <doctest/doctest.h>

using namespace stiction;
using test::Bytes;

namespace {

// Two tets on the triangle (11, 12, 13), node tags with gaps, out of order, and one node (99) that nothing uses.
const std::string msh22 =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
    "$PhysicalNames\n1\n2 5 \"a name with $ and spaces\"\n$EndPhysicalNames\n"
    "$Nodes\n6\n13 0 1 0\n11 0 0 0\n12 1 0 0\n40 0 0 1\n99 7 7 7\n41 .25 0.25 -1e0\n$EndNodes\n"
    "$Elements\n6\n"
    "1 15 2 0 1 11\n"
    "2 1 2 3 1 11 12\n"
    "7 2 2 5 8 11 13 40\n"
    "8 2 3 6 9 0 11 41 12\n"
    "20 4 2 2 1 11 12 13 40\n"
    "21 4 2 2 1 11 13 12 41\n"
    "$EndElements\n"
    "$NodeData\n1\n\"x\"\n$EndNodeData\n";

void check_two_tets(const Mesh& mesh) {
    REQUIRE(mesh.vertices.size() == 6);
    CHECK(mesh.vertices[0] == Vec3(0, 1, 0));
    CHECK(mesh.vertices[5] == Vec3(0.25, 0.25, -1));
    CHECK(mesh.tets == std::vector<Tet>{{1, 2, 0, 3}, {1, 0, 2, 5}});
    CHECK(mesh.triangles == std::vector<Triangle>{{1, 0, 3}, {1, 5, 2}});
    CHECK(mesh.triangle_tags == std::vector<int>{5, 6});
    CHECK(mesh.tet_tags == std::vector<int>{2, 2});
    CHECK(mesh.edges.empty());   // the line is an edge of a tet
    CHECK(mesh.points.empty());  // and the point a corner of one
    CHECK(signed_volume(mesh, mesh.tets[0]) > 0);
    CHECK(signed_volume(mesh, mesh.tets[1]) > 0);
}

std::string msh22_binary(std::endian order) {
    Bytes b(order);
    b.text("$MeshFormat\n2.2 1 8\n").add<std::int32_t>(1).text("\n$EndMeshFormat\n");
    b.text("$Unknown\n").add_all<std::int32_t>({1, 2, 3}).text("\n$EndUnknown\n");
    b.text("$Nodes\n6\n");
    const auto node = [&](int tag, double x, double y, double z) {
        b.add<std::int32_t>(tag).add_all<double>({x, y, z});
    };
    node(13, 0, 1, 0);
    node(11, 0, 0, 0);
    node(12, 1, 0, 0);
    node(40, 0, 0, 1);
    node(99, 7, 7, 7);
    node(41, 0.25, 0.25, -1);
    b.text("\n$EndNodes\n$Elements\n6\n");
    b.add_all<std::int32_t>({15, 1, 2, 1, 0, 1, 11});
    b.add_all<std::int32_t>({1, 1, 2, 2, 3, 1, 11, 12});
    b.add_all<std::int32_t>({2, 1, 2, 7, 5, 8, 11, 13, 40});
    b.add_all<std::int32_t>({2, 1, 3, 8, 6, 9, 0, 11, 41, 12});
    b.add_all<std::int32_t>({4, 2, 2, 20, 2, 1, 11, 12, 13, 40, 21, 2, 1, 11, 13, 12, 41});
    b.text("\n$EndElements\n");
    return b.str();
}

const std::string msh41 =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
    "$Entities\n1 1 2 1\n"
    "1 0 0 0 0\n"
    "1 0 0 0 1 0 0 0 2 1 -1\n"
    "8 0 0 0 0 1 1 1 5 0\n"
    "9 0 0 -1 1 0 0 1 -6 1 1\n"
    "1 0 0 -1 1 1 1 1 2 2 8 9\n"
    "$EndEntities\n"
    "$Nodes\n3 6 11 99\n"
    "2 8 1 2\n13\n11\n0 1 0 .5 .5\n0 0 0 0 0\n"
    "3 1 0 3\n12\n40\n99\n1 0 0\n0 0 1\n7 7 7\n"
    "3 1 0 1\n41\n0.25 0.25 -1\n"
    "$EndNodes\n"
    "$Elements\n5 6 1 21\n"
    "0 1 15 1\n1 11\n"
    "1 1 1 1\n2 11 12\n"
    "2 8 2 1\n7 11 13 40\n"
    "2 9 2 1\n8 11 41 12\n"
    "3 1 4 2\n20 11 12 13 40\n21 11 13 12 41\n"
    "$EndElements\n"
    "$Surface\n1\n1 2 3\n$EndSurface\n";

std::string msh41_binary(std::endian order) {
    Bytes b(order);
    b.text("$MeshFormat\n4.1 1 8\n").add<std::int32_t>(1).text("\n$EndMeshFormat\n");
    b.text("$Entities\n").add_all<std::uint64_t>({0, 0, 2, 1});
    const auto entity = [&](int tag, int physical) {
        b.add<std::int32_t>(tag).add_all<double>({0, 0, 0, 1, 1, 1}).add<std::uint64_t>(1).add<std::int32_t>(physical);
        b.add<std::uint64_t>(2).add_all<std::int32_t>({3, -4});
    };
    entity(8, 5);
    entity(9, -6);
    entity(1, 2);
    b.text("\n$EndEntities\n$Nodes\n").add_all<std::uint64_t>({2, 6, 11, 99});
    b.add_all<std::int32_t>({2, 8, 1}).add<std::uint64_t>(2).add_all<std::uint64_t>({13, 11});
    b.add_all<double>({0, 1, 0, .5, .5, 0, 0, 0, 0, 0});
    b.add_all<std::int32_t>({3, 1, 0}).add<std::uint64_t>(4).add_all<std::uint64_t>({12, 40, 99, 41});
    b.add_all<double>({1, 0, 0, 0, 0, 1, 7, 7, 7, 0.25, 0.25, -1});
    b.text("\n$EndNodes\n$Elements\n").add_all<std::uint64_t>({3, 4, 7, 21});
    b.add_all<std::int32_t>({2, 8, 2}).add<std::uint64_t>(1).add_all<std::uint64_t>({7, 11, 13, 40});
    b.add_all<std::int32_t>({2, 9, 2}).add<std::uint64_t>(1).add_all<std::uint64_t>({8, 11, 41, 12});
    b.add_all<std::int32_t>({3, 1, 4}).add<std::uint64_t>(2);
    b.add_all<std::uint64_t>({20, 11, 12, 13, 40, 21, 11, 13, 12, 41});
    b.text("\n$EndElements\n");
    return b.str();
}

/// The same in version 4.0: tags before dimensions, boxes of points, no ranges of tags, tags of 32 bits beside their
/// node.
const std::string msh40 =
    "$MeshFormat\n4 0 8\n$EndMeshFormat\n"
    "$Entities\n1 1 2 1\n"
    "1 0 0 0 0 0 0 0\n"
    "1 0 0 0 1 0 0 0 2 1 -1\n"
    "8 0 0 0 0 1 1 1 5 0\n"
    "9 0 0 -1 1 0 0 1 -6 1 1\n"
    "1 0 0 -1 1 1 1 1 2 2 8 9\n"
    "$EndEntities\n"
    "$Nodes\n3 6\n"
    "8 2 1 2\n13 0 1 0 .5 .5\n11 0 0 0 0 0\n"
    "1 3 0 3\n12 1 0 0\n40 0 0 1\n99 7 7 7\n"
    "1 3 0 1\n41 0.25 0.25 -1\n"
    "$EndNodes\n"
    "$Elements\n5 6\n"
    "1 0 15 1\n1 11\n"
    "1 1 1 1\n2 11 12\n"
    "8 2 2 1\n7 11 13 40\n"
    "9 2 2 1\n8 11 41 12\n"
    "1 3 4 2\n20 11 12 13 40\n21 11 13 12 41\n"
    "$EndElements\n";

std::string msh40_binary(std::endian order) {
    Bytes b(order);
    b.text("$MeshFormat\n4.0 1 8\n").add<std::int32_t>(1).text("\n$EndMeshFormat\n");
    b.text("$Entities\n").add_all<std::uint64_t>({0, 0, 2, 1});
    for (const auto& [tag, physical] : {std::pair{8, 5}, std::pair{9, -6}, std::pair{1, 2}}) {
        b.add<std::int32_t>(tag).add_all<double>({0, 0, 0, 1, 1, 1}).add<std::uint64_t>(1).add<std::int32_t>(physical);
        b.add<std::uint64_t>(0);
    }
    b.text("\n$EndEntities\n$Nodes\n").add_all<std::uint64_t>({2, 6});
    const auto node = [&](int tag, double x, double y, double z) {
        b.add<std::int32_t>(tag).add_all<double>({x, y, z});
    };
    b.add_all<std::int32_t>({8, 2, 0}).add<std::uint64_t>(2);
    node(13, 0, 1, 0), node(11, 0, 0, 0);
    b.add_all<std::int32_t>({1, 3, 0}).add<std::uint64_t>(4);
    node(12, 1, 0, 0), node(40, 0, 0, 1), node(99, 7, 7, 7), node(41, 0.25, 0.25, -1);
    b.text("\n$EndNodes\n$Elements\n").add_all<std::uint64_t>({3, 4});
    b.add_all<std::int32_t>({8, 2, 2}).add<std::uint64_t>(1).add_all<std::int32_t>({7, 11, 13, 40});
    b.add_all<std::int32_t>({9, 2, 2}).add<std::uint64_t>(1).add_all<std::int32_t>({8, 11, 41, 12});
    b.add_all<std::int32_t>({1, 3, 4}).add<std::uint64_t>(2);
    b.add_all<std::int32_t>({20, 11, 12, 13, 40, 21, 11, 13, 12, 41});
    b.text("\n$EndElements\n");
    return b.str();
}

}  // namespace

TEST_CASE("MSH 2.2 ASCII: sparse node tags, unknown sections, physical tags") {
    check_two_tets(test::read_text("a.msh", msh22));
    std::string windows;
    for (const char c : msh22) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
    check_two_tets(test::read_text("a.MSH", windows));
}

TEST_CASE("MSH 2.2 binary in both byte orders") {
    check_two_tets(test::read_text("a.msh", msh22_binary(std::endian::little)));
    check_two_tets(test::read_text("a.msh", msh22_binary(std::endian::big)));
}

TEST_CASE("MSH 4.1 ASCII: entities, parametric nodes, several blocks") {
    check_two_tets(test::read_text("a.msh", msh41));
}

TEST_CASE("MSH 4.1 binary in both byte orders") {
    check_two_tets(test::read_text("a.msh", msh41_binary(std::endian::little)));
    check_two_tets(test::read_text("a.msh", msh41_binary(std::endian::big)));
}

TEST_CASE("MSH 4.0 ASCII, and binary in both byte orders") {
    check_two_tets(test::read_text("a.msh", msh40));
    check_two_tets(test::read_text("a.msh", msh40_binary(std::endian::little)));
    check_two_tets(test::read_text("a.msh", msh40_binary(std::endian::big)));
}

TEST_CASE("MSH without physical groups: tags of the geometric entities and zero tags count as none") {
    const std::string start = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n";
    CHECK(test::read_text("a.msh", start + "$Elements\n1\n1 2 2 0 17 1 2 3\n$EndElements\n").triangle_tags ==
          std::vector<int>{17});
    CHECK(test::read_text("a.msh", start + "$Elements\n1\n1 2 2 0 0 1 2 3\n$EndElements\n").triangle_tags.empty());
    CHECK(test::read_text("a.msh", start + "$Elements\n1\n1 2 0 1 2 3\n$EndElements\n").triangle_tags.empty());
    // a grouped triangle beside an ungrouped one: ids of the two kinds are not mixed
    CHECK(test::read_text("a.msh", start + "$Elements\n2\n1 2 2 4 17 1 2 3\n2 2 2 0 18 1 3 2\n$EndElements\n")
              .triangle_tags == std::vector<int>{4, 0});
}

TEST_CASE("MSH quadrangles become two triangles with the tag and lines and points of their own stay") {
    const Mesh mesh = test::read_text("a.msh",
                                      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n7\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 "
                                      "1 0\n5 5 0 0\n6 6 0 0\n7 9 9 9\n$EndNodes\n"
                                      "$Elements\n6\n1 3 2 4 1 1 2 3 4\n2 1 2 0 1 5 6\n3 1 2 0 1 3 2\n4 15 2 0 1 7\n5 "
                                      "15 2 0 1 6\n6 1 2 0 0 2 4\n$EndElements\n");
    CHECK(mesh.triangles == std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}});
    CHECK(mesh.triangle_tags == std::vector<int>{4, 4});
    CHECK(mesh.edges == std::vector<Edge>{{4, 5}, {1, 3}});  // 2-4 is the diagonal that was not taken
    CHECK(mesh.points == std::vector<Index>{6});
}

TEST_CASE("surface ids reach the extracted surface of a tet mesh") {
    const Mesh mesh = test::read_text("a.msh", msh22);
    const MeshSurface surface = extract_surface(mesh);
    REQUIRE(surface.triangles.size() == 6);
    CHECK(triangles_on_tets(mesh) == std::vector<bool>{true, true});
    int tagged = 0;
    for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
        Triangle key = surface.triangles[t];
        std::sort(key.begin(), key.end());
        const int expected = key == Triangle{0, 1, 3} ? 5 : key == Triangle{1, 2, 5} ? 6 : 0;
        CHECK(surface.tags[t] == expected);
        tagged += expected != 0;
    }
    CHECK(tagged == 2);
    CHECK(surface.vertices == std::vector<Index>{0, 1, 2, 3, 5});
}

namespace {

/// The faces and the tets of each id, as "id: number" in the order of the ids.
std::pair<std::map<int, std::size_t>, std::map<int, std::size_t>> ids_of(const std::string& bytes) {
    const MeshInfo info = inspect(test::read_text("a.msh", bytes));
    CHECK(info.tets == 2);
    CHECK(info.triangles == 2);
    return {info.surface_ids, info.region_ids};
}

std::string replaced(std::string text, const std::string& old, const std::string& by) {
    const std::size_t at = text.find(old);
    REQUIRE(at != std::string::npos);
    return text.replace(at, old.size(), by);
}

}  // namespace

TEST_CASE("an element of several physical groups belongs to each, in every version") {
    const std::map<int, std::size_t> surface{{0, 4}, {5, 2}, {6, 1}}, region{{2, 2}, {3, 2}};
    // 4.x: an entity lists its groups; 2.2: the element is listed once for each
    std::string two = replaced(msh41, "8 0 0 0 0 1 1 1 5 0\n9 0 0 -1 1 0 0 1 -6 1 1\n1 0 0 -1 1 1 1 1 2 2 8 9\n",
                               "8 0 0 0 0 1 1 1 5 0\n9 0 0 -1 1 0 0 2 -6 5 1 1\n1 0 0 -1 1 1 1 2 3 2 2 8 9\n");
    CHECK(ids_of(two) == std::pair{surface, region});
    two = replaced(msh22, "$Elements\n6\n", "$Elements\n9\n");
    two = replaced(two, "$EndElements",
                   "22 4 2 3 1 13 12 11 40\n23 4 2 3 1 11 13 12 41\n24 2 2 5 9 12 11 41\n$EndElements");
    CHECK(ids_of(two) == std::pair{surface, region});
    // the same tet twice in one group is a defect, as before
    two = replaced(msh22, "$Elements\n6\n", "$Elements\n7\n");
    two = replaced(two, "$EndElements", "22 4 2 2 1 13 12 11 40\n$EndElements");
    CHECK(inspect(test::read_text("a.msh", two)).duplicate_elements == 1);
}

TEST_CASE("partitioned MSH 4.1: groups are the physical ones, not the numbers of partitions") {
    const std::string partitions =
        "$PartitionedEntities\n2\n0\n0 0 1 2\n"
        "20 2 9 1 1 0 0 -1 1 0 0 1 6 0\n"
        "30 3 1 1 1 0 0 -1 1 1 1 1 2 0\n"
        "31 3 1 2 1 2 0 0 -1 1 1 1 1 2 0\n"
        "$EndPartitionedEntities\n";
    std::string text = replaced(msh41, "$EndEntities\n", "$EndEntities\n" + partitions);
    text = replaced(text, "5 6 1 21\n", "6 6 1 21\n");
    text = replaced(text, "2 9 2 1\n", "2 20 2 1\n");
    text = replaced(text, "3 1 4 2\n20 11 12 13 40\n21 ", "3 30 4 1\n20 11 12 13 40\n3 31 4 1\n21 ");
    check_two_tets(test::read_text("a.msh", text));
}
