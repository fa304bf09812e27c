// Text scripts of the IPC reference code: every trap with a small script of its own and positions worked out here
// again.
#include "scene/import/ipc_script_testing.hpp"
#include "support/compare.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace stiction;
using namespace stiction::test;
using namespace scene_testing;

namespace {

const double pi = std::numbers::pi;

Vec3 turned(const Vec3& degrees, const Vec3& x) {  // Rx Ry Rz x
    const auto turn = [](Vec3 v, int a, int b, double angle) {
        const double c = std::cos(angle * pi / 180), s = std::sin(angle * pi / 180), old = v[a];
        v[a] = c * old - s * v[b];
        v[b] = s * old + c * v[b];
        return v;
    };
    return turn(turn(turn(x, 0, 1, degrees.z()), 2, 0, degrees.y()), 1, 2, degrees.x());
}

/// Corner i of the unit cube as cube_msh numbers them; 8 is the centre.
Vec3 corner(int i) {
    return i == 8 ? Vec3(0.5, 0.5, 0.5) : Vec3(i & 1, (i >> 1) & 1, i >> 2);
}

/// Where a motion takes a vertex that it has driven from the start.
Vec3 carried(const Motion& motion, const Vec3& from, double t) {
    return motion.trajectory->position(t, {0, from, from, 0.0});
}

/// All vertices after a step in which everything driven reaches its target and nothing else moves.
void make_step(const World& world, State& state, double h) {
    const StepInput input = schedule(world, state, h);
    for (Index v = 0; v < world.vertex_count(); ++v)
        if (input.is_driven(v)) state.x.segment<3>(3 * v) = input.target.segment<3>(3 * v);
    state.anchor = input.anchor, state.anchor_time = input.anchor_time, state.active_motion = input.active_motion;
    ++state.step;
    state.t = static_cast<double>(state.step) * h;
}

/// One step of a shape that turns by Rx Ry Rz of `spin` h (degrees/s) about the centre of its box and shifts.
void turn_in_box(std::vector<Vec3>& x, const Vec3& spin, const Vec3& velocity, double h) {
    Vec3 low = x[0], high = x[0];
    for (const Vec3& v : x) low = low.cwiseMin(v), high = high.cwiseMax(v);
    const Vec3 center = 0.5 * (low + high);
    for (Vec3& v : x) v = center + turned(spin * h, v - center) + velocity * h;
}

}  // namespace

TEST_CASE("ipc script: a shape is scaled, turned by Rx Ry Rz and shifted; vertices that nothing uses go") {
    const IpcPlace place;
    const auto [world, state] = place.compile("shapes input 1\ninput/tetMeshes/cube.msh 1 2 3  20 30 40  2 3 4\n");
    const Body& cube = body_named(world, "cube");
    REQUIRE(cube.mesh.vertices.size() == 9);
    for (int i = 0; i < 9; ++i) {
        const Vec3 expected = turned(Vec3(20, 30, 40), corner(i).cwiseProduct(Vec3(2, 3, 4))) + Vec3(1, 2, 3);
        CHECK((cube.mesh.vertices[static_cast<std::size_t>(i)] - expected).norm() < 1e-13);
    }
}

TEST_CASE("ipc script: size rescales all shapes together, mesh obstacles and planes stay") {
    const IpcPlace place;
    const auto [world, state] = place.compile(R"(size 2
shapes input 2
input/tetMeshes/cube.msh 5 1 1  0 0 90  1 1 1
input/triMeshes/bent.obj -3 0 0  0 0 0  1 2 1
script DCOFix
meshCO input/triMeshes/bent.obj 1 -3 0  2  50 0.7
ground 0.3 -1
)");
    // All shapes: x from -3 to 5 (the cube turned about z lies in [4, 5] x [1, 2] x [1, 2]), y from 0 to 2, z from 0
    // to 2.
    const double k = 2.0 / 8.0;
    const Body& cube = body_named(world, "cube");
    for (int i = 0; i < 9; ++i) {
        const Vec3 c = corner(i), expected = k * (Vec3(5 - c.y(), 1 + c.x(), 1 + c.z()) - Vec3(-3, 0, 0));
        CHECK((cube.mesh.vertices[static_cast<std::size_t>(i)] - expected).norm() < 1e-14);
    }
    const Body& plate = body_named(world, "bent_2");
    CHECK(plate.kind == BodyKind::obstacle);
    CHECK((plate.mesh.vertices[3] - k * Vec3(4, 2, 2)).norm() < 1e-14);
    // The mean of the vertices, (2, 0.25, 1), goes to the position, the extent 4 becomes 2.
    const Body& obstacle = body_named(world, "bent");
    CHECK((obstacle.mesh.vertices[0] - Vec3(0, -3.125, -0.5)).norm() < 1e-14);
    CHECK((obstacle.mesh.vertices[3] - Vec3(2, -2.625, 0.5)).norm() < 1e-14);
    CHECK(body_named(world, "half_space").mesh.vertices[0] == Vec3(0, -1, 0));
    CHECK(world.friction(id_of(world, "cube"), id_of(world, "half_space")) == 0.3);
    CHECK(world.friction(id_of(world, "cube"), id_of(world, "bent")) == 0.0);
}

TEST_CASE("ipc script: a mesh obstacle is turned about the mean of its vertices, sized before the turn") {
    const IpcPlace place;
    const auto [world, state] =
        place.compile(one_cube + "meshCO input/triMeshes/bent.obj 1 -5 2  8  50 0 rotate 10 20 30\n");
    const std::vector<Vec3> file{{0, 0, 0}, {4, 0, 0}, {0, 0, 2}, {4, 1, 2}};
    const Body& obstacle = body_named(world, "bent");
    for (std::size_t i = 0; i < 4; ++i) {
        const Vec3 expected = 2.0 * turned(Vec3(10, 20, 30), file[i] - Vec3(2, 0.25, 1)) + Vec3(1, -5, 2);
        CHECK((obstacle.mesh.vertices[i] - expected).norm() < 1e-13);
    }
}

TEST_CASE("ipc script: kinematic shapes may be mirrored and flattened") {
    const IpcPlace place;
    for (const double size : {-1.0, 10.0}) {
        INFO("size ", size);
        const World world = place
                                .compile(
                                    "shapes input 2\ninput/tetMeshes/cube.msh 0 0 0  0 0 0  1 1 1\n"
                                    "input/triMeshes/bent.obj 1 5 2  10 20 30  -1 0 2\n" +
                                    std::string(size > 0 ? "size 10\n" : ""))
                                .first;
        std::vector<Vec3> x;
        for (const Vec3& file : {Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(0, 0, 2), Vec3(4, 1, 2)})
            x.push_back(turned(Vec3(10, 20, 30), Vec3(-file.x(), 0, 2 * file.z())) + Vec3(1, 5, 2));
        Vec3 low(0, 0, 0), high(1, 1, 1);
        for (const Vec3& v : x) low = low.cwiseMin(v), high = high.cwiseMax(v);
        const Body& sheet = body_named(world, "bent");
        for (std::size_t i = 0; i < 4; ++i) {
            const Vec3 expected = size > 0 ? Vec3(10.0 / (high - low).maxCoeff() * (x[i] - low)) : x[i];
            CHECK((sheet.mesh.vertices[i] - expected).norm() < 1e-13);
        }
    }
}

TEST_CASE("ipc script: fall lifts the shapes by half the diagonal of their box") {
    const IpcPlace place;
    const std::string two =
        "shapes input 2\ninput/tetMeshes/cube.msh 0 0 0  0 0 0  1 1 1\ninput/tetMeshes/cube.msh 0 3 0  0 0 0  1 1 1\n";
    const double lift = 0.5 * std::sqrt(1 + 16 + 1);
    const World world = place.compile(two + "script fall\nhalfSpace 0 -0.5 0  0 2 0  50 0.1\n").first;
    CHECK(body_named(world, "cube").mesh.vertices[0].y() == relative(lift, 1e-14));
    CHECK(body_named(world, "cube_2").mesh.vertices[2].y() == relative(4 + lift, 1e-14));
    CHECK(body_named(world, "half_space").mesh.vertices[0].y() == -0.5);
    CHECK(world.diagonal == relative(2 * lift, 1e-14));
    CHECK(body_named(place.compile(two + "script fallNoShift\n").first, "cube").mesh.vertices[0].y() == 0.0);
}

TEST_CASE("ipc script: paths start at the script, then at the folder that holds input") {
    const IpcPlace place;
    place.folder.write("input/scripts/input/tetMeshes/tet.msh", cube_msh());  // nearer than the other tet.msh
    const SceneSpec spec = place.import(
        "shapes input 2\ninput/tetMeshes/tet.msh 0 0 0  0 0 0  1 1 1\n../tetMeshes/tet.msh 5 0 0  0 0 0  1 1 1\n");
    CHECK(*spec.bodies[0].mesh.file == "input/tetMeshes/tet.msh");
    CHECK(*spec.bodies[1].mesh.file == "../tetMeshes/tet.msh");
    const World world = compile_world(spec).first;
    CHECK(world.bodies[0].mesh.vertices.size() == 9);
    CHECK(world.bodies[1].mesh.vertices.size() == 4);

    TemporaryFolder other;
    other.write("input/a/b/tet.msh", one_tet_msh);
    const auto file = other.write("input/x/y/s.txt", "");
    const SceneSpec up =
        scene::import_ipc_script("shape input input/a/b/tet.msh\n", {file.string(), file.parent_path()});
    CHECK(*up.bodies[0].mesh.file == "../../a/b/tet.msh");
    const std::string message = input_error([&] {
        scene::import_ipc_script("shape input input/a/no.msh\n", {"s.txt", file.parent_path()});
    });
    CHECK(message.find("s.txt: line 1: input/a/no.msh: expected a file that exists: ") == 0);
    CHECK(message.find((file.parent_path() / "input/a/no.msh").string()) != std::string::npos);
    CHECK(message.find((other.path() / "input/a/no.msh").string()) != std::string::npos);
}

TEST_CASE("ipc script: .seg and .pt fall back on the edges and points of the .obj of that name") {
    const IpcPlace place;
    const World world = place
                            .compile(one_cube + R"(shapes input 3
input/segMeshes/edge.seg 0 5 0  0 0 0  1 1 1
input/triMeshes/line.seg 0 6 0  0 0 0  1 1 1
input/triMeshes/line.pt 0 7 0  0 0 0  1 1 1
)")
                            .first;
    const Body& edge = body_named(world, "edge");
    CHECK(edge.mesh.edges.size() == 1);
    CHECK(edge.mesh.vertices[1] == Vec3(1, 5, 0));
    CHECK(body_named(world, "line").mesh.edges.size() == 3);
    CHECK(body_named(world, "line").mesh.triangles.empty());
    CHECK(body_named(world, "line_2").mesh.points.size() == 3);
    CHECK(body_named(world, "line_2").mesh.edges.empty());
}

TEST_CASE("ipc script: shapeMatrix copies a shape along a grid, x slowest, and may start elsewhere") {
    const IpcPlace place;
    const SceneSpec spec = place.import(one_cube +
                                        "shapeMatrix input 2 1 3  10 20 30\n# a remark\n\ninput/segMeshes/edge.seg 2 9 "
                                        "4  0 0 90  1 1 1\nscript DCOFix\n");
    REQUIRE(spec.obstacles.size() == 6);
    CHECK(spec.obstacles[0].transform.translation == Vec3(10, 20, 30));
    CHECK(spec.obstacles[2].transform.translation == Vec3(10, 20, 38));
    CHECK(spec.obstacles[3].transform.translation == Vec3(12, 20, 30));
    CHECK(*spec.obstacles[0].transform.rotation.euler == Vec3(0, 0, 90));
}

TEST_CASE("ipc script: DBC and NBC boxes are fractions of the mesh file's box and take surface vertices") {
    const IpcPlace place;
    // Turned by 90 degrees about z: the file's face x = 1 (vertices 1, 3, 5, 7) ends up on top.
    const auto [world, state] = place.compile(R"(time 1 0.1
shapes input 1
input/tetMeshes/cube.msh 0 0 0  0 0 90  2 2 2 \
    DBC 0.9 -0.1 -0.1  1.1 1.1 1.1  0 1 0  0 0 0  0.2 0.5 \
    DBC 0.9 -0.1 -0.1  1.1 1.1 1.1  0 0 0  0 0 0  0.5     \
    DBC -0.1 -0.1 -0.1  0.6 0.6 0.6  0 0 3  0 0 0 \
    NBC -0.1 -0.1 -0.1  1.1 0.1 1.1  5 6 7  0.3 # to the end
)");
    REQUIRE(world.motions.size() == 3);
    CHECK(world.motions[0].vertices == std::vector<Index>{1, 3, 5, 7});
    CHECK(world.motions[0].begin == 0.2);
    CHECK(world.motions[0].end == 0.5);
    CHECK(world.motions[1].begin == 0.5);
    CHECK(world.motions[1].end > 1e9);
    State now = state;
    for (const double t : {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6}) {
        now.t = t;
        const StepInput input = schedule(world, now, 0.1);
        const bool moves = t > 0.15 && t<0.45, holds = t> 0.45;
        CHECK(input.is_driven(1) == (moves || holds));
        CHECK((input.target - now.x).segment<3>(3)[1] == within(moves ? 0.1 : 0.0, 1e-15));
        CHECK((input.target - now.x).segment<3>(0)[2] == relative(0.3, 1e-13));
    }
    CHECK(world.motions[2].vertices == std::vector<Index>{0});  // 8, at the centre, is not on the surface
    REQUIRE(world.body_forces.size() == 1);
    CHECK(world.body_forces[0].vertices == std::vector<Index>{0, 1, 4, 5});
    CHECK(world.body_forces[0].acceleration == Vec3(5, 6, 7));
    CHECK(world.body_forces[0].begin == 0.3);
    CHECK(place.import(one_cube + "script DCOFix\n").bodies[0].boundary.empty());
}

TEST_CASE("ipc script: a start spin is about the centre of the bounding box") {
    const IpcPlace place;
    const auto [world, state] =
        place.compile("shapes input 1\ninput/tetMeshes/tet.msh 1 2 3  0 0 0  2 2 2 initVel 1 2 3  90 180 45\n");
    const Vec3 center(2, 3, 4),
        spin = Vec3(90, 180, 45) * pi / 180;  // the tet's centre of mass is elsewhere: (1.5, 2.5, 3.5)
    for (Index i = 0; i < 4; ++i) {
        const Vec3 x = state.x.segment<3>(3 * i), expected = Vec3(1, 2, 3) + spin.cross(x - center);
        CHECK((state.v.segment<3>(3 * i) - expected).norm() < 1e-13);
    }
}

TEST_CASE("ipc script: a velocity makes a tet shape kinematic, and its box counts for the limits") {
    const IpcPlace place;
    const SceneSpec spec = place.import(R"(shapes input 2
input/tetMeshes/cube.msh 0 0 0  0 0 0  1 1 1
input/tetMeshes/cube.msh 0 3 0  0 0 0  1 1 1  material 1 2 0.3 linearVelocity 1 2 3
)");
    CHECK(spec.bodies.size() == 1);
    REQUIRE(spec.obstacles.size() == 1);
    const double diagonal = std::sqrt(1 + 16 + 1);
    CHECK(spec.ipc.dhat == relative(1e-3 * diagonal, 1e-14));
    CHECK(spec.ipc.friction_velocity == relative(1e-3 * diagonal, 1e-14));
    CHECK(spec.ipc.velocity_tolerance == relative(1e-2 * diagonal, 1e-14));
    CHECK(contains(spec.imported->without_effect, "material of the kinematic shape on line 3"));
    const World world = compile_world(spec).first;
    REQUIRE(world.motions.size() == 1);
    CHECK((carried(world.motions[0], Vec3(0, 3, 0), 0.5) - Vec3(0.5, 4, 1.5)).norm() < 1e-14);
}

TEST_CASE("ipc script: a spinning shape turns step by step about the centre of its present box") {
    const IpcPlace place;
    const double h = 0.1;
    for (const std::string mesh : {"triMeshes/line.obj", "tetMeshes/cube.msh", "triMeshes/bent.obj"}) {
        for (const Vec3& spin : {Vec3(10, 90, 0), Vec3(0, 0, -50), Vec3(30, -20, 70)}) {
            for (const Vec3& velocity : {Vec3(0, 0, 0), Vec3(1, -2, 0.5)}) {
                const auto text = [](const Vec3& v) {
                    return std::to_string(v.x()) + ' ' + std::to_string(v.y()) + ' ' + std::to_string(v.z());
                };
                INFO(mesh, ", spin ", text(spin), ", velocity ", text(velocity));
                const World world = place
                                        .compile("time 3 0.1\n" + one_cube + "shapes input 1\ninput/" + mesh +
                                                 " 0 5 0  10 20 30  1 1 1 linearVelocity " + text(velocity) +
                                                 " angularVelocity " + text(spin) + '\n')
                                        .first;
                REQUIRE(world.motions.size() == 1);
                const std::vector<Index>& vertices = world.motions[0].vertices;
                std::vector<Vec3> x;
                for (const Index v : vertices) x.push_back(world.initial_positions.segment<3>(3 * v));
                State state = initial_state(world, VecX::Zero(world.initial_positions.size()));
                double worst = 0.0;
                for (int n = 1; n <= 30; ++n) {
                    make_step(world, state, h);
                    turn_in_box(x, spin, velocity, h);
                    for (std::size_t i = 0; i < x.size(); ++i)
                        worst = std::max(worst, (state.x.segment<3>(3 * vertices[i]) - x[i]).norm());
                }
                CHECK(worst < 1e-11);
            }
        }
    }
}

TEST_CASE("ipc script: several boxes add up on a vertex, begin late, and turn about where they are by then") {
    const IpcPlace place;
    const auto [world, start] = place.compile(R"(time 2 0.1
shapes input 2
input/tetMeshes/cube.msh 0 0 0  0 0 0  1 1 1 DBC 0.9 0 0  1 1 1  1 0 0  0 0 0 DBC 0 0.9 0  1 1 1  0 0 2  40 0 0 0.5 1.2
input/triMeshes/bent.obj 0 5 0  0 0 0  1 1 1 DBC 0.9 0 0  1 1 1  0 1 0  0 0 0  0 inf
)");
    REQUIRE(world.motions.size() == 3);
    State state = start;
    std::vector<Vec3> x;
    for (int i = 0; i < 8; ++i) x.push_back(corner(i));
    for (int n = 0; n < 20; ++n) {
        make_step(world, state, 0.1);
        const std::vector<Vec3> before = x;
        for (const int i : {1, 3, 5, 7}) x[static_cast<std::size_t>(i)] += Vec3(0.1, 0, 0);
        if (n >= 5 && n < 12) {
            std::vector<Vec3> top;
            for (const std::size_t i : {2u, 3u, 6u, 7u}) top.push_back(before[i]);
            const std::vector<Vec3> from = top;
            turn_in_box(top, Vec3(40, 0, 0), Vec3(0, 0, 2), 0.1);
            std::size_t k = 0;
            for (const std::size_t i : {2u, 3u, 6u, 7u}) x[i] += top[k] - from[k], ++k;
        }
        for (Index i = 0; i < 8; ++i)
            CHECK((state.x.segment<3>(3 * i) - x[static_cast<std::size_t>(i)]).norm() < 1e-13);
    }
    const Body& sheet = body_named(world, "bent");
    for (Index i = 0; i < 4; ++i)
        CHECK(state.x[3 * (sheet.first_vertex + i) + 1] - world.initial_positions[3 * (sheet.first_vertex + i) + 1] ==
              within(i % 2 == 1 ? 2.0 : 0.0, 1e-13));
}

TEST_CASE("ipc script: rotateModel turns the start about half of the extents, and the rest shape stays") {
    const IpcPlace place;
    const std::string shapes =
        "shapes input 2\ninput/tetMeshes/cube.msh 1 2 3  0 0 0  1 1 1\ninput/segMeshes/edge.seg 1 7 3  0 0 0  1 1 1\n";
    for (const double size : {-1.0, 3.0}) {
        INFO("size ", size);
        const SceneSpec spec = place.import(shapes + "rotateModel 0 0 2 90\n" + (size > 0 ? "size 3\n" : ""));
        const auto [world, state] = compile_world(spec);
        // The box of all shapes has the extents 1, 5, 1: the pivot is (0.5, 2.5, 0.5), and 90 degrees about z take
        // (x, y, z) to (3 - y, x + 2, z). The start reaches from (-4, 3, 3) to (1, 4, 4).
        const auto place_of = [&](const Vec3& x) {
            const Vec3 turned_x(3 - x.y(), x.x() + 2, x.z());
            return size > 0 ? Vec3((turned_x - Vec3(-4, 3, 3)) * 3.0 / 5.0) : turned_x;
        };
        const Index cube = body_named(world, "cube").first_vertex, edge = body_named(world, "edge").first_vertex;
        for (Index i = 0; i < 9; ++i)
            CHECK((state.x.segment<3>(3 * (cube + i)) - place_of(corner(i) + Vec3(1, 2, 3))).norm() < 1e-13);
        CHECK((state.x.segment<3>(3 * (edge + 1)) - place_of(Vec3(2, 7, 3))).norm() < 1e-13);
        CHECK(elastic_energy(world, state.x) < 1e-20);
        // The rest shape is not turned: with the file's axes the turn has an energy in no case, but F is the turn.
        const Mat3 F = deformation_gradient(world.elastic[0].elements, 0, state.x);
        CHECK((F * Vec3(1, 0, 0) - Vec3(0, 1, 0)).norm() < 1e-12);
        CHECK(std::any_of(spec.imported->notes.begin(), spec.imported->notes.end(), [](const std::string& note) {
            return note.find("rotateModel: the axis is made a unit one") != std::string::npos;
        }));
    }
}

TEST_CASE("ipc script: meshSeq goes from file to file, one a step, and stays at the last") {
    const IpcPlace place;
    // There is no edge.seg: the edges are those of the .obj, whose order does not matter to the files.
    place.folder.write("input/triMeshes/edge.obj", "v 0 0 0\nv 2 0 0\nv 9 9 9\nl 2 1\n");
    for (int k = 0; k < 3; ++k)
        place.folder.write("input/frames/" + std::to_string(k) + ".seg",
                           "v 0 " + std::to_string(k + 6) + " 0\nv 2 0 0\nv 0 0 0\ns 1 2\n");
    for (int k = 0; k < 2; ++k) place.folder.write("input/cubes/" + std::to_string(k) + ".msh", cube_msh());
    const auto [world, start] =
        place.compile("time 1 0.1\n" + one_cube +
                      "shapes input 2\ninput/triMeshes/edge.seg 0 5 0  0 0 0  1 1 1 meshSeq input/frames\n"
                      "input/tetMeshes/cube.msh 0 9 0  0 0 0  1 1 1 meshSeq input/cubes\n");
    State state = start;
    const Index edge = body_named(world, "edge").first_vertex, cube = body_named(world, "cube_2").first_vertex;
    CHECK(state.x.segment<3>(3 * edge) == Vec3(0, 5, 0));
    CHECK(state.x.segment<3>(3 * cube) == Vec3(0, 9, 0));
    for (int n = 1; n <= 5; ++n) {
        make_step(world, state, 0.1);
        CHECK((state.x.segment<3>(3 * edge) - Vec3(0, 5 + std::min(n, 3), 0)).norm() < 1e-12);
        CHECK((state.x.segment<3>(3 * (edge + 1)) - Vec3(2, 0, 0)).norm() < 1e-12);
        CHECK((state.x.segment<3>(3 * cube)).norm() < 1e-12);
    }
    CHECK(input_error([&] {
              place.import("shapes input 1\ninput/segMeshes/edge.seg 0 5 0  0 0 0  1 1 1 meshSeq none\n");
          }).find("line 2: meshSeq: expected a folder with none/0.seg") != std::string::npos);
}

TEST_CASE("ipc script: what another animation overrules is listed") {
    const IpcPlace place;
    const SceneSpec spec = place.import(
        "shapes input 1\ninput/tetMeshes/cube.msh 0 0 0  0 0 0  1 1 1 initVel 1 0 0  0 0 0  DBC 0 0 0 1 1 1 0 0 0 0 0 "
        "0\nscript fall\n");
    CHECK(spec.bodies[0].velocity == Vec3(0, 0, 0));
    CHECK(spec.bodies[0].boundary.empty());
    CHECK(contains(spec.imported->without_effect, "initVel on line 2: script fall overrules it"));
    CHECK(contains(spec.imported->without_effect, "DBC on line 2: script fall overrules it"));
    const auto notes = [&](const std::string& text) { return place.import(one_cube + text).imported->without_effect; };
    CHECK(contains(notes("DBCTimeRange 0 2\nscript fall\n"), "DBCTimeRange: script fall overrules it"));
    CHECK(notes("DBCTimeRange 0 2\n").empty());
    CHECK(notes("NBCTimeRange 0 2\nscript fall\n").empty());
}
