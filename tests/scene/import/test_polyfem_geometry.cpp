// Geometry of PolyFEM scenes: every position recomputed by hand.
#include "stiction/mesh/topology.hpp"

#include "scene/import/polyfem_testing.hpp"
#include "support/compare.hpp"
#include <Eigen/Geometry>
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <set>

using namespace polyfem_testing;
using stiction::test::relative;

namespace {

const double pi = std::numbers::pi;

Vec3 turned(int axis, double degrees, const Vec3& v) {
    const double c = std::cos(degrees * pi / 180), s = std::sin(degrees * pi / 180);
    const int a = (axis + 1) % 3, b = (axis + 2) % 3;
    Vec3 result = v;
    result[a] = c * v[a] - s * v[b];
    result[b] = s * v[a] + c * v[b];
    return result;
}

std::vector<Vec3> box_vertices(const World& world, std::size_t body = 0) {
    return world.bodies[body].mesh.vertices;
}

double largest_distance(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    REQUIRE(a.size() == b.size());
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, (a[i] - b[i]).norm());
    return largest;
}

/// Vertices of outer faces whose barycentre passes the test, by counting every face of every tet.
std::vector<Index> vertices_of_faces(const Mesh& mesh, const std::function<bool(const Vec3&)>& test) {
    std::map<std::set<Index>, int> count;
    for (const Tet& tet : mesh.tets)
        for (int skip = 0; skip < 4; ++skip) {
            std::set<Index> face;
            for (int k = 0; k < 4; ++k)
                if (k != skip) face.insert(tet[k]);
            ++count[face];
        }
    std::set<Index> result;
    for (const auto& [face, uses] : count) {
        Vec3 barycentre = Vec3::Zero();
        for (const Index v : face) barycentre += mesh.vertices[static_cast<std::size_t>(v)] / 3.0;
        if (uses == 1 && test(barycentre)) result.insert(face.begin(), face.end());
    }
    return {result.begin(), result.end()};
}

}  // namespace

TEST_CASE("PolyFEM transformations: scale, then rotation, then translation") {
    const PolyfemFolder folder;
    const std::vector<Vec3> rest = generate_box(Vec3(1, 1, 1), {1, 1, 1}).vertices;
    struct Case {
        const char* text;
        std::function<Vec3(const Vec3&)> place;
    };
    const std::vector<Case> cases{
        {"{}", [](const Vec3& v) { return v; }},
        {R"({"scale": 0.25, "translation": [1, 2, 3]})", [](const Vec3& v) { return Vec3(0.25 * v + Vec3(1, 2, 3)); }},
        {R"({"scale": [], "rotation": [], "translation": []})", [](const Vec3& v) { return v; }},
        {R"({"scale": [1, 2, 3], "rotation": [10, 20, 30], "translation": [0, 0, 1]})",
         [](const Vec3& v) {
             return Vec3(turned(2, 30, turned(1, 20, turned(0, 10, v.cwiseProduct(Vec3(1, 2, 3))))) + Vec3(0, 0, 1));
         }},
        {R"({"rotation": [10, 20, 30], "rotation_mode": "zyx"})",
         [](const Vec3& v) { return turned(0, 10, turned(1, 20, turned(2, 30, v))); }},
        {R"({"rotation": [0, 180, 90], "rotation_mode": "ZYX"})",
         [](const Vec3& v) { return turned(1, 180, turned(2, 90, v)); }},
        {R"({"rotation": [10, 20, 30], "rotation_mode": "xz"})",
         [](const Vec3& v) { return turned(2, 30, turned(0, 10, v)); }},
        {R"({"rotation": [10, 20, 30], "rotation_mode": "zxz"})",
         [](const Vec3& v) { return turned(2, 30, turned(0, 10, turned(2, 30, v))); }},
        {R"({"rotation": 40, "rotation_mode": "y"})", [](const Vec3& v) { return turned(1, 40, v); }},
        {R"({"rotation": [50, 0, 0, 2], "rotation_mode": "axis_angle"})",
         [](const Vec3& v) { return turned(2, 50, v); }},
        {R"({"rotation": [0, 60, 0], "rotation_mode": "rotation_vector"})",
         [](const Vec3& v) { return turned(1, 60, v); }},
        {R"({"rotation": [1, 0, 0, 1], "rotation_mode": "quaternion"})",
         [](const Vec3& v) { return turned(0, 90, v); }},
        {R"({"dimensions": [2, 4, 0.5], "scale": 7, "rotation": [0, 0, 90]})",
         [](const Vec3& v) { return turned(2, 90, v.cwiseProduct(Vec3(2, 4, 0.5))); }},
    };
    for (const Case& test : cases) {
        CAPTURE(test.text);
        std::vector<Vec3> expected;
        for (const Vec3& v : rest) expected.push_back(test.place(v));
        const World world =
            folder.world(scene_of(body_of("cube.msh", std::string(R"(, "transformation": )") + test.text)));
        CHECK(largest_distance(box_vertices(world), expected) < 1e-14);
    }
}

TEST_CASE("PolyFEM dimensions of flat meshes: 0 puts them at 0, an extent counts as 1") {
    const PolyfemFolder folder;
    const auto plane = [&](const std::string& mesh, const std::string& transformation) {
        const World world = folder.world(
            scene_of("[" + body_of("cube.msh", R"(, "transformation": {"translation": [0, 50, 0]})") + ", " +
                     body_of(mesh, R"(, "is_obstacle": true, "transformation": )" + transformation) + "]"));
        return box_vertices(world, 1);
    };
    const std::vector<Vec3> corners{{-1, -2, 1}, {1, -2, 1}, {-1, -2, -1}, {1, -2, -1}};
    CHECK(largest_distance(plane("plane.obj", R"({"dimensions": [2, 0, 2], "translation": [0, -2, 0]})"), corners) <
          1e-15);
    CHECK(largest_distance(plane("high_plane.obj", R"({"dimensions": [2, 0, 2], "translation": [0, -2, 0]})"),
                           corners) < 1e-15);
    CHECK(largest_distance(plane("high_plane.obj",
                                 R"({"dimensions": [2, 0, 2], "translation": [-2, 0, 0], "rotation": [0, 0, -90]})"),
                           {{-2, 1, 1}, {-2, -1, 1}, {-2, 1, -1}, {-2, -1, -1}}) < 1e-15);
    CHECK(plane("high_plane.obj", R"({"dimensions": [2, 0.5, 2]})")[0].y() == 1.5);
    CHECK(folder.error(scene_of(body_of("cube.msh", R"(, "transformation": {"dimensions": [1, 0, 1]})")))
              .find("geometry.transformation.dimensions[1]: 0: expected an extent > 0") != std::string::npos);
}

TEST_CASE("PolyFEM arrays: copies beside the placed mesh, by distance or by its extents") {
    const PolyfemFolder folder;
    const auto check = [&](const std::string& array, const Vec3& spacing, int nx, int ny, int nz) {
        const World world = folder.world(scene_of(
            "{\"type\": \"mesh_array\", \"mesh\": \"cube.msh\", \"array\": " + array +
                R"(, "surface_selection": 4, "transformation": {"scale": [1, 2, 3], "rotation": [0, 0, 90], "translation": [5, 0, 0]}})",
            R"("boundary_conditions": {"dirichlet_boundary": {"id": 4, "value": [0, 0, 0]}}, )"));
        REQUIRE(world.bodies.size() == static_cast<std::size_t>(nx * ny * nz));
        CHECK(world.motions.size() == world.bodies.size());
        std::size_t body = 0;
        for (int i = 0; i < nx; ++i)
            for (int j = 0; j < ny; ++j)
                for (int k = 0; k < nz; ++k) {
                    std::vector<Vec3> expected;
                    for (const Vec3& v : generate_box(Vec3(1, 1, 1), {1, 1, 1}).vertices)
                        expected.push_back(turned(2, 90, v.cwiseProduct(Vec3(1, 2, 3))) + Vec3(5, 0, 0) +
                                           spacing.cwiseProduct(Vec3(i, j, k)));
                    CHECK(largest_distance(box_vertices(world, body++), expected) < 1e-14);
                }
    };
    check(R"({"offset": 4, "size": [2, 1, 3]})", Vec3(4, 4, 4), 2, 1, 3);
    check(R"({"offset": 1.5, "size": [2, 3], "relative": true})", Vec3(3, 1.5, 4.5), 2, 3,
          1);  // extents of the turned box: 2, 1, 3
}

TEST_CASE("PolyFEM selections hold faces by their barycentre after the transformation") {
    const PolyfemFolder folder;
    const std::string place = R"("transformation": {"rotation": [90, 0, 0], "translation": [10, 0, 0]})";
    struct Case {
        const char* selection;
        std::function<bool(const Vec3&)> test;
    };
    const double low_x = 8.5, low_y = -1.5;
    const std::vector<Case> cases{
        {"7", [](const Vec3&) { return true; }},
        {R"({"id": 7, "axis": 1, "position": 11.5})", [](const Vec3& x) { return x.x() >= 11.5 - 1e-9; }},
        {R"({"id": 7, "axis": -1, "position": 8.6})", [](const Vec3& x) { return x.x() <= 8.6; }},
        {R"({"id": 7, "axis": "-y", "position": 1e-5, "relative": true})",
         [&](const Vec3& x) { return x.y() <= low_y + 3e-5; }},
        {R"({"id": 7, "axis": "+Z", "position": 1})", [](const Vec3& x) { return x.z() >= 1; }},
        {R"([{"id": 7, "axis": "x", "position": 0.5, "relative": true}])",
         [&](const Vec3& x) { return x.x() >= low_x + 1.5; }},
        {R"({"id": 7, "box": [[9, -2, -2], [11, 2, 0.6]]})",
         [](const Vec3& x) { return x.x() >= 9 && x.x() <= 11 && x.z() <= 0.6; }},
        {R"({"id": 7, "box": [[0, 0, 0], [0.4, 1, 1]], "relative": true})",
         [&](const Vec3& x) { return x.x() <= low_x + 1.2; }},
        {R"({"id": 7, "center": [10, 1.5, 0], "radius": 1})",
         [](const Vec3& x) { return (x - Vec3(10, 1.5, 0)).norm() <= 1; }},
        {R"({"id": 7, "center": [0.5, 1, 0.5], "radius": 0.2, "relative": true})",
         [](const Vec3& x) { return (x - Vec3(10, 1.5, 0)).norm() <= 0.2 * std::sqrt(27.0); }},
        {R"({"id": 7, "p1": [10, -5, 0], "p2": [10, 5, 0], "radius": 0.9})",
         [](const Vec3& x) { return std::hypot(x.x() - 10, x.z()) <= 0.9; }},
        {R"({"id": 7, "normal": [0, -2, 0], "offset": 1})", [](const Vec3& x) { return x.y() <= -1; }},
        {R"({"id": 7, "normal": [0, 1, 1], "point": [0, 1, 0]})", [](const Vec3& x) { return x.y() + x.z() >= 1; }},
        // the first selection that holds a face gives its id
        {R"([{"id": 8, "axis": 3, "position": 0}, {"id": 7, "axis": 1, "position": 9}])",
         [](const Vec3& x) { return x.z() < 0 && x.x() >= 9; }},
    };
    for (const Case& test : cases) {
        CAPTURE(test.selection);
        const World world = folder.world(
            scene_of("{\"mesh\": \"fine.msh\", " + place + ", \"surface_selection\": " + test.selection + "}",
                     R"("boundary_conditions": {"dirichlet_boundary": {"id": 7, "value": [0, 0, 0]}}, )"));
        REQUIRE(world.motions.size() == 1);
        const auto expected = vertices_of_faces(world.bodies[0].mesh, test.test);
        CHECK(expected.size() > 3);
        CHECK(world.motions[0].vertices == expected);
    }
}

TEST_CASE("PolyFEM selections count vertices as the file does") {
    const PolyfemFolder folder;
    folder.folder.write(
        "gap.msh",  // the first vertex belongs to nothing
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 9 9 9\n2 0 0 0\n3 1 0 0\n4 0 1 0\n5 0 0 1\n$EndNodes\n"
        "$Elements\n1\n1 4 2 1 1 2 3 4 5\n$EndElements\n");
    const World world =
        folder.world(scene_of(body_of("gap.msh", R"(, "surface_selection": {"id": 1, "axis": "-z", "position": 0})"),
                              R"("boundary_conditions": {"dirichlet_boundary": {"id": 1, "value": [0, 0, 0]}}, )"));
    CHECK(world.vertex_count() == 4);
    CHECK(world.motions[0].vertices == std::vector<Index>{0, 1, 2});  // all but (0, 0, 1)
}

TEST_CASE("PolyFEM obstacles: tets by their surface, plane curves, planes, sequences") {
    const PolyfemFolder folder;
    const std::string body = body_of("cube.msh", R"(, "transformation": {"translation": [0, 50, 0]})") + ", ";
    const auto obstacle = [&](const std::string& text) { return folder.world(scene_of("[" + body + text + "]")); };

    const World tet = obstacle(body_of("tet.msh", R"(, "is_obstacle": true, "surface_selection": 0)"));
    CHECK(tet.bodies[1].kind == BodyKind::obstacle);
    CHECK(tet.bodies[1].surface.size() == 4);
    CHECK(tet.bodies[1].mesh.tets.empty());

    const World edge =
        obstacle(body_of("edge.obj", R"(, "is_obstacle": true, "transformation": {"rotation": [0, 0, 90]})"));
    REQUIRE(edge.bodies[1].mesh.edges.size() == 1);
    CHECK(largest_distance(box_vertices(edge, 1), {{0, 0, 0}, {0, 1, 0}}) < 1e-15);

    CHECK(obstacle(body_of("tet.msh", R"(, "is_obstacle": true, "extract": "edges")")).bodies[1].mesh.edges.size() ==
          6);
    CHECK(obstacle(body_of("tet.msh", R"(, "is_obstacle": true, "extract": "points")")).bodies[1].mesh.points.size() ==
          4);

    const World plane = obstacle(
        R"({"type": "plane", "is_obstacle": true, "point": [0, 1, 0], "normal": [0, 2, 0]}, {"type": "ground", "is_obstacle": true, "height": -3})");
    REQUIRE(plane.half_spaces.size() == 2);
    CHECK(plane.half_spaces[0].normal == Vec3(0, 1, 0));
    CHECK(plane.bodies[1].mesh.vertices[0] == Vec3(0, 1, 0));
    CHECK(plane.bodies[2].mesh.vertices[0] == Vec3(0, -3, 0));

    folder.folder.write("frames/a10.obj", "v 0 3 0\nv 1 3 0\nv 0 3 1\nf 1 2 3\n");
    folder.folder.write("frames/a2.obj", "v 0 1 0\nv 1 1 0\nv 0 1 1\nf 1 2 3\n");
    const std::string sequence = R"({"type": "mesh_sequence", "is_obstacle": true, "mesh_sequence": )";
    for (const std::string files : {R"("frames")", R"(["frames/a2.obj", "frames/a10.obj"])"}) {
        const SceneSpec spec = folder.import(
            scene_of("[" + body + sequence + files + R"(, "fps": 5, "transformation": {"translation": [0, 1, 0]}}])"));
        const auto x = targets(spec, 0.05);  // a quarter of the way from y = 2 to y = 4
        CHECK((x[8] - Vec3(0, 2.5, 0)).norm() < 1e-14);
    }
    CHECK(
        folder.import(scene_of("[" + body + body_of("nowhere.obj", R"(, "is_obstacle": true, "enabled": false)") + "]"))
            .obstacles.empty());
}

TEST_CASE("names of PolyFEM bodies come from their files") {
    const PolyfemFolder folder;
    const SceneSpec spec = folder.import(scene_of(
        "[" + body_of("cube.msh", R"(, "transformation": {"translation": [0, 5, 0]})") + "," + body_of("cube.msh") +
        R"(,{"type": "mesh_array", "mesh": "edge.obj", "is_obstacle": true, "array": {"offset": 9, "size": [1, 2, 1]}}])"));
    REQUIRE(spec.bodies.size() == 2);
    CHECK(spec.bodies[0].name == "cube");
    CHECK(spec.bodies[1].name == "cube_2");
    CHECK(spec.obstacles[1].name == "edge_2");
    CHECK(spec.title == "scene");
}

namespace {

/// Vertices that the conditions of the first body hold, ids of the mesh file.
std::set<Index> held_vertices(const SceneSpec& spec) {
    std::set<Index> held;
    for (const BoundarySpec& boundary : spec.bodies.front().boundary)
        held.insert(boundary.select.vertices->begin(), boundary.select.vertices->end());
    return held;
}

std::string fine_scene(const std::string& selection, int id = 1) {
    return scene_of(body_of("fine.msh", "," + selection), R"("boundary_conditions": {"dirichlet_boundary": {"id": )" +
                                                              std::to_string(id) + R"(, "value": [0, 0, 0]}},)");
}

std::set<Index> vertices_where(const Mesh& mesh, const std::function<bool(const Vec3&)>& test) {
    std::set<Index> result;
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
        if (test(mesh.vertices[v])) result.insert(static_cast<Index>(v));
    return result;
}

bool is_outside(const Vec3& x) {
    return x.cwiseAbs().maxCoeff() > 1.4;
}

}  // namespace

TEST_CASE("PolyFEM point selections hold vertices of the outer surface, and inner ones on request") {
    const PolyfemFolder folder;
    const Mesh mesh = generate_box(Vec3(3, 3, 3), {3, 3, 3});
    const std::string box = R"("point_selection": {"id": 1, "box": [[-2, -2, -2], [0.6, 2, 2]])";
    const auto in_box = [](const Vec3& x) { return x.x() < 0.6; };
    CHECK(held_vertices(folder.import(fine_scene(box + "}"))) ==
          vertices_where(mesh, [&](const Vec3& x) { return in_box(x) && is_outside(x); }));
    CHECK(held_vertices(folder.import(fine_scene(box + R"(, "boundary_only": false})"))) ==
          vertices_where(mesh, in_box));
    std::string ids;
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) ids += v % 5 == 0 ? "4\n" : "9\n";
    folder.folder.write("ids.txt", ids);
    std::set<Index> fifth;
    for (std::size_t v = 0; v < mesh.vertices.size(); v += 5)
        if (is_outside(mesh.vertices[v])) fifth.insert(static_cast<Index>(v));
    CHECK(held_vertices(folder.import(fine_scene(R"("point_selection": "ids.txt")", 4))) == fifth);
    CHECK(folder.error(fine_scene(R"("point_selection": "faces.txt")")).find("can be opened") != std::string::npos);
    folder.folder.write("short.txt", "1 2 3");
    CHECK(folder.error(fine_scene(R"("point_selection": "short.txt")"))
              .find("short.txt with 3 ids: expected one id for each of the 64 vertices") != std::string::npos);
}

TEST_CASE("PolyFEM sides of the bounding box have the ids 1 to 6, the rest 7") {
    const PolyfemFolder folder;
    const Mesh mesh = generate_box(Vec3(3, 3, 3), {3, 3, 3});
    for (int side = 1; side <= 6; ++side) {
        CAPTURE(side);
        const int axis = side <= 4 ? (side - 1) % 2 : 2;
        const double plane = side == 3 || side == 4 || side == 6 ? 1.5 : -1.5;
        const auto expected = vertices_of_faces(mesh, [&](const Vec3& x) { return std::abs(x[axis] - plane) < 1e-9; });
        const auto held = held_vertices(
            folder.import(fine_scene(R"("surface_selection": {"threshold": 1e-3, "id_offset": 20})", 20 + side)));
        CHECK(held == std::set<Index>(expected.begin(), expected.end()));
    }
    const auto wide = held_vertices(folder.import(fine_scene(R"("surface_selection": {"threshold": 1})", 2)));
    const auto expected = vertices_of_faces(
        mesh, [](const Vec3& x) { return x.y() + 1.5 < 1.0 && x.x() + 1.5 >= 1.0; });  // low x goes first
    CHECK(wide == std::set<Index>(expected.begin(), expected.end()));
}

TEST_CASE("PolyFEM files of faces name them by their vertices, in any order") {
    const PolyfemFolder folder;
    const auto faces = boundary_triangles(generate_box(Vec3(3, 3, 3), {3, 3, 3}).tets);
    const Triangle one = faces[3], other = faces[10];
    folder.folder.write("faces.txt",
                        fmt::format("5 {} {} {}\n6 {} {} {}\n", one[2], one[0], one[1], other[0], other[1], other[2]));
    CHECK(held_vertices(folder.import(fine_scene(R"("surface_selection": "faces.txt")", 5))) ==
          std::set<Index>(one.begin(), one.end()));
    CHECK(held_vertices(folder.import(fine_scene(R"("surface_selection": {"file": "faces.txt", "id_offset": 3})",
                                                 9))) == std::set<Index>(other.begin(), other.end()));
    folder.folder.write("one_a_face.txt", "1\n2\n");
    CHECK(
        folder.error(fine_scene(R"("surface_selection": "one_a_face.txt")")).find("rows of an id and three vertices") !=
        std::string::npos);
}

TEST_CASE("PolyFEM n_refs: every tet becomes eight, and selections are of the fine mesh") {
    const PolyfemFolder folder;
    const auto text = [](int refinements) {
        return fmt::format(R"({{"materials": {{"type": "NeoHookean", "E": 1e5, "nu": 0.3, "rho": 1000}},
            "time": {{"dt": 0.1, "tend": 1}}, "geometry": {{"mesh": "cube.msh", "n_refs": {},
            "surface_selection": [{{"id": 3, "box": [[-1, -1, 0.99], [2, 2, 1.01]], "relative": true}}]}},
            "boundary_conditions": {{"dirichlet_boundary": [{{"id": 3, "value": [0, 0, 0]}}]}}}})",
                           refinements);
    };
    std::size_t tets = 0, top = 0;
    for (const int refinements : {0, 1, 2}) {
        CAPTURE(refinements);
        const auto [world, state] = compile_world(folder.import(text(refinements)));
        const Mesh& mesh = world.bodies[0].mesh;
        CHECK(world.mass.sum() == relative(1000.0, 1e-12));
        if (refinements > 0) CHECK(mesh.tets.size() == 8 * tets);
        tets = mesh.tets.size();
        double highest = -1.0;
        for (const Vec3& x : mesh.vertices) highest = std::max(highest, x.z());
        std::size_t expected = 0;
        for (const Vec3& x : mesh.vertices) expected += x.z() > highest - 1e-9;
        REQUIRE(world.motions.size() == 1);
        CHECK(world.motions[0].vertices.size() == expected);
        CHECK(expected > top);
        top = expected;
    }
}
