// The given PolyFEM scenes import: counts, and what distinguishes each. Skipped where the data are not.
#include "stiction/world/start_check.hpp"

#include "scene/import/polyfem_testing.hpp"
#include "support/compare.hpp"

#include <cmath>
#include <map>
#include <numbers>

using namespace polyfem_testing;
using namespace stiction::test;

namespace {

namespace fs = std::filesystem;

const fs::path examples = fs::path(STICTION_SHARED_DATA) / "polyfem/contact/examples";

struct Expected {
    int bodies, obstacles;
    Index vertices;  ///< of the world
    int steps;
    double step;
};

const std::map<std::string, Expected> scenes{
    {"3D/codimensional/mat-knives.json", {1, 9, 3200 + 27, 150, 0.04}},
    {"3D/codimensional/pin-cushion-ball.json", {1, 882, 7034 + 1764, 200, 0.04}},
    {"3D/friction/arch.json", {27, 0, 216, 2000, 0.01}},
    {"3D/friction/ball-rollers.json", {1, 5, 7034 + 612, 1000, 0.01}},
    {"3D/friction/high-school-physics-slopetest-mu=0.49.json", {2, 0, 16, 100, 0.025}},
    {"3D/friction/high-school-physics-slopetest-mu=0.50.json", {2, 0, 16, 100, 0.025}},
    {"3D/large-ratios/large-mass-ratio.json", {3, 0, 24, 120, 0.025}},
    {"3D/pile/cubes.json", {64, 1, 512 + 1321, 500, 0.01}},
    {"3D/stress-tests/mat-twist.json", {1, 0, 3200, 2500, 0.04}},
    {"3D/stress-tests/rod-twist.json", {4, 0, 2520, 4000, 0.025}},
    {"3D/unit-tests/2-cubes.json", {2, 0, 670, 10, 0.1}},
    {"3D/unit-tests/5-cubes.json", {5, 1, 44, 200, 0.025}},
    {"3D/unit-tests/edge-edge.json", {1, 1, 8, 200, 0.025}},
    {"3D/unit-tests/face-vertex.json", {1, 1, 8, 200, 0.025}},
    {"3D/unit-tests/vertex-face.json", {1, 1, 8, 200, 0.025}},
    {"3D/unit-tests/vertex-vertex.json", {1, 2, 12, 120, 0.025}},
    {"3D/unit-tests/erleben/internal-edges.json", {1, 1, 8 + 14, 200, 0.025}},
    {"3D/unit-tests/erleben/sliding-spike.json", {1, 1, 5 + 4, 40, 0.025}},
    {"3D/unit-tests/erleben/spike-and-wedge.json", {1, 1, 5 + 6, 50, 0.025}},
    {"3D/unit-tests/erleben/spike-in-crack.json", {1, 1, 5 + 20, 200, 0.025}},
    {"3D/unit-tests/erleben/spike-in-hole.json", {1, 1, 5 + 41, 200, 0.025}},
    {"3D/unit-tests/erleben/wedges.json", {1, 1, 6 + 6, 50, 0.025}},
};

bool have_data() {
    if (fs::is_directory(examples)) return true;
    MESSAGE("skipped: no data at ", examples.string());
    return false;
}

SceneSpec scene(const std::string& name) {
    return parse_scene(examples / name);
}

Vec3 middle(const Body& body) {
    Vec3 sum = Vec3::Zero();
    for (const Vec3& x : body.mesh.vertices) sum += x;
    return sum / static_cast<double>(body.mesh.vertices.size());
}

}  // namespace

TEST_CASE("every given PolyFEM scene imports, with nothing touching at the start") {
    if (!have_data()) return;
    std::size_t found = 0;
    for (const auto& entry : fs::recursive_directory_iterator(examples)) {
        if (entry.path().extension() != ".json" || entry.path().filename() == "common.json") continue;
        ++found;
        CHECK_MESSAGE(scenes.count(fs::relative(entry.path(), examples).generic_string()) == 1, entry.path().string());
    }
    CHECK(found == scenes.size());
    for (const auto& [name, expected] : scenes) {
        CAPTURE(name);
        const SceneSpec spec = scene(name);
        CHECK(spec.bodies.size() == static_cast<std::size_t>(expected.bodies));
        CHECK(spec.obstacles.size() == static_cast<std::size_t>(expected.obstacles));
        CHECK(spec.time.steps == expected.steps);
        CHECK(spec.time.step == relative(expected.step, 1e-12));
        CHECK(spec.mass == "lumped");
        CHECK(spec.contact.self_contact);
        CHECK(spec.time.integrator == "backward_euler");
        CHECK(spec.imported->format == "polyfem");
        const bool twists = name.find("stress-tests") != std::string::npos;
        CHECK(spec.gravity == Vec3(0, twists ? 0 : -9.81, 0));
        CHECK(spec.ipc.dhat == (spec.title == "arch" ? 1e-6 : 1e-3));
        for (const auto& body : spec.bodies) CHECK(body.material.law == "neo_hookean");
        const auto& effectless = spec.imported->without_effect;
        CHECK(std::find(effectless.begin(), effectless.end(), "solver.linear.solver") != effectless.end());
        const auto [world, state] = compile_world(spec);
        CHECK(world.vertex_count() == expected.vertices);
        CHECK(start_problems(world, state).empty());
    }
}

TEST_CASE("given PolyFEM scenes: selections and motions") {
    if (!have_data()) return;
    // the ends of the twisted mat turn about the x axis by 0.4 pi t, against each other
    for (const std::string name : {"3D/stress-tests/mat-twist.json", "3D/stress-tests/rod-twist.json"}) {
        CAPTURE(name);
        const SceneSpec spec = scene(name);
        const World world = compile_world(spec).first;
        const double t = 0.3, angle = 0.4 * std::numbers::pi * t;
        const auto x = targets(spec, t);
        Index left = 0, right = 0;
        for (const Body& body : world.bodies) {
            for (std::size_t v = 0; v < body.mesh.vertices.size(); ++v) {
                const Vec3 rest = body.mesh.vertices[v];
                const int end = rest.x() > 0.49999 ? -1 : rest.x() < -0.49999 ? 1 : 0;
                (end < 0 ? right : left) += end != 0;
                const double c = std::cos(end * angle), s = std::sin(end * angle);
                const Vec3 expected(rest.x(), c * rest.y() - s * rest.z(), s * rest.y() + c * rest.z());
                CHECK((x[static_cast<std::size_t>(body.first_vertex) + v] - expected).norm() < 1e-13);
            }
        }
        const bool rods = world.bodies.size() == 4;
        CHECK(left == (rods ? 4 * 16 : 80));
        CHECK(right == (rods ? 4 * 15 : 80));
    }
    // rollers turn about their own axes: every vertex keeps its distance from the axis
    const SceneSpec rollers = scene("3D/friction/ball-rollers.json");
    const World world = compile_world(rollers).first;
    const auto x = targets(rollers, 0.5);
    const Body& first = world.bodies[1];
    for (std::size_t v = 0; v < first.mesh.vertices.size(); ++v) {
        const Vec3 rest = first.mesh.vertices[v], moved = x[static_cast<std::size_t>(first.first_vertex) + v];
        const double c = std::cos(std::numbers::pi / 4), s = std::sin(std::numbers::pi / 4);
        const double y = rest.y() + 1, z = rest.z() + 0.5;
        CHECK((moved - Vec3(rest.x(), c * y - s * z - 1, s * y + c * z - 0.5)).norm() < 1e-13);
    }
    CHECK(rollers.obstacles[4].motion.empty());
    CHECK(rollers.contact.friction == 0.5);
    CHECK(rollers.ipc.friction_velocity == 0.004);
    // the upper needles come down by 8.9 m in 7 s and stay there
    const SceneSpec needles = scene("3D/codimensional/pin-cushion-ball.json");
    const World pins = compile_world(needles).first;
    const auto late = targets(needles, 7.5);
    for (std::size_t b = 1; b < pins.bodies.size(); ++b) {
        const Body& needle = pins.bodies[b];
        const double shift = b <= 441 ? 0.0 : -8.9;
        CHECK(
            (late[static_cast<std::size_t>(needle.first_vertex)] - needle.mesh.vertices[0] - Vec3(0, shift, 0)).norm() <
            1e-12);
        CHECK((needle.mesh.vertices[1] - needle.mesh.vertices[0] - Vec3(0, 1, 0)).norm() < 1e-15);
    }
    CHECK((pins.bodies[441].mesh.vertices[0] - Vec3(20, 0, 20)).norm() < 1e-14);
    // the feet of the arch are held
    const SceneSpec arch = scene("3D/friction/arch.json");
    CHECK(arch.ipc.friction_velocity == 1e-5);
    CHECK(arch.ipc.friction_iterations == 10);
    for (std::size_t b = 0; b < 27; ++b) CHECK(arch.bodies[b].boundary.size() == (b >= 25 ? 1 : 0));
    CHECK(arch.bodies[25].boundary[0].select.vertices->size() == 8);
    CHECK(scene("3D/friction/high-school-physics-slopetest-mu=0.49.json").ipc.friction_iterations == 0);
    CHECK(scene("3D/unit-tests/2-cubes.json").bodies[1].boundary[0].motion.fix);
    CHECK(scene("3D/pile/cubes.json").output.every == 5);
}

TEST_CASE("given PolyFEM scenes: where things lie") {
    if (!have_data()) return;
    const World pile = compile_world(scene("3D/pile/cubes.json")).first;
    CHECK((middle(pile.bodies[0]) - Vec3(-0.375, 0, -0.375)).norm() < 1e-14);
    CHECK((middle(pile.bodies[63]) - (Vec3(-0.375, 0, -0.375) + Vec3::Constant(3 * 1.01 * 0.25))).norm() < 1e-13);
    // the two cubes of the slope lie along it: the upper one rests on the lower one's top
    const World slope = compile_world(scene("3D/friction/high-school-physics-slopetest-mu=0.49.json")).first;
    const double angle = 26.565 * std::numbers::pi / 180;
    const Vec3 up(std::sin(angle), std::cos(angle), 0);
    double lowest = 1e9, highest = -1e9;
    for (const Vec3& x : slope.bodies[0].mesh.vertices) lowest = std::min(lowest, up.dot(x));
    for (const Vec3& x : slope.bodies[1].mesh.vertices) highest = std::max(highest, up.dot(x));
    CHECK(lowest == relative(-0.5, 1e-13));
    CHECK(lowest - highest > 0);
    CHECK(lowest - highest < 2e-3);
    // knives: two rows that point at each other
    const World knives = compile_world(scene("3D/codimensional/mat-knives.json")).first;
    REQUIRE(knives.bodies.size() == 10);
    CHECK((knives.bodies[1].mesh.vertices[1] - Vec3(0.2, 0.9, -0.7)).norm() < 1e-14);
    CHECK((knives.bodies[1].mesh.vertices[2] - Vec3(0.2, -0.1, 0.3)).norm() < 1e-14);
    CHECK((knives.bodies[5].mesh.vertices[1] - Vec3(0.1, 0.9, 0.3)).norm() < 1e-14);
    CHECK((knives.bodies[5].mesh.vertices[2] - Vec3(0.1, -0.1, -0.7)).norm() < 1e-14);
}
