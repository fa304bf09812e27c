// The scripts that come with the IPC reference code, where they are at hand.
#include "stiction/world/start_check.hpp"

#include "scene/scene_testing.hpp"
#include "support/compare.hpp"

#include <algorithm>
#include <cmath>
#include <map>

using namespace stiction;
using namespace stiction::test;
using namespace scene_testing;

namespace {

namespace fs = std::filesystem;

const fs::path input = fs::path(STICTION_SHARED_DATA) / "ipc" / "input";

bool at_hand() {
    if (fs::is_directory(input)) return true;
    MESSAGE("skipped: no scripts of the IPC reference code in " << input.string());
    return false;
}

std::vector<fs::path> all_scripts() {
    std::vector<fs::path> scripts;
    for (const auto& entry : fs::recursive_directory_iterator(input))
        if (entry.path().extension() == ".txt") scripts.push_back(entry.path());
    std::sort(scripts.begin(), scripts.end());
    return scripts;
}

/// Vertices and tets of the shapes: mesh obstacles and planes do not count.
std::pair<std::size_t, std::size_t> size_of(const SceneSpec& spec, const World& world) {
    std::size_t vertices = 0, tets = 0;
    for (const Body& body : world.bodies) {
        tets += body.mesh.tets.size();
        const auto obstacle = std::find_if(spec.obstacles.begin(), spec.obstacles.end(),
                                           [&](const auto& o) { return o.name == body.name; });
        const bool shape = obstacle == spec.obstacles.end() || !obstacle->half_space;
        if (shape) vertices += body.mesh.vertices.size();
    }
    return {vertices, tets};
}

}  // namespace

TEST_CASE("ipc scripts: all that come with the reference code import, compile and start without a fault") {
    if (!at_hand()) return;
    const auto scripts = all_scripts();
    CHECK(scripts.size() == 58);
    for (const fs::path& script : scripts) {
        INFO(script.string());
        SceneSpec spec;
        const std::string error = input_error([&] { spec = parse_scene(script); });
        CHECK(error == "");
        if (!error.empty()) continue;
        const auto [world, state] = compile_world(spec);
        CHECK(spec.time.steps > 0);
        CHECK(start_problems(world, state).empty());
    }
}

TEST_CASE("ipc scripts: sizes, steps and step lengths") {
    if (!at_hand()) return;
    struct Expected {
        const char* script;
        std::size_t vertices, tets;
        double step;
        int steps;
    };
    const Expected scripts[] = {{"paperExamples/10_cubeStack.txt", 40, 30, 0.025, 200},
                                {"otherExamples/friction/slopeTest_highSchoolPhysics_0.49.txt", 8, 6, 0.025, 100},
                                {"paperExamples/7_masonryArch.txt", 216, 150, 0.01, 2000},
                                {"paperExamples/tb1_diffDt/rodsTwist_E1e4_dt0.025.txt", 2520, 6888, 0.025, 240},
                                {"paperExamples/tb1_diffDt/rodsTwist_E1e4_dt2.txt", 2520, 6888, 2.0, 3},
                                {"paperExamples/21_scalability/mat40x40_twist.txt", 3200, 9126, 0.04, 250},
                                {"paperExamples/2_matKnives.txt", 3227, 9126, 0.04, 150},
                                {"otherExamples/typical/sphere1K_DCORotCylinders.txt", 2368, 6851, 0.04, 250},
                                {"paperExamples/8_rollerBall.txt", 7642, 27792, 0.01, 1000},
                                {"paperExamples/17_pinCushionBall.txt", 8798, 27792, 0.04, 200},
                                {"tutorialExamples/2cubesFall.txt", 16, 12, 0.025, 200},
                                {"tutorialExamples/2cubesFall_largerDt.txt", 16, 12, 1.0, 5}};
    for (const Expected& expected : scripts) {
        INFO(expected.script);
        const SceneSpec spec = parse_scene(input / expected.script);
        const auto [vertices, tets] = size_of(spec, compile_world(spec).first);
        CHECK(vertices == expected.vertices);
        CHECK(tets == expected.tets);
        CHECK(spec.time.step == expected.step);
        CHECK(spec.time.steps == expected.steps);
    }
}

TEST_CASE("ipc scripts: bodies start where the scene means them to") {
    if (!at_hand()) return;
    const auto box = [](const World& world, const std::string& name) {
        const auto body =
            std::find_if(world.bodies.begin(), world.bodies.end(), [&](const Body& b) { return b.name == name; });
        REQUIRE(body != world.bodies.end());
        Eigen::AlignedBox3d result;
        for (const Vec3& x : body->mesh.vertices) result.extend(x);
        return result;
    };
    const World arch = compile_world(parse_scene(input / "paperExamples/7_masonryArch.txt")).first;
    Eigen::AlignedBox3d all;
    for (const Body& body : arch.bodies)
        if (body.kind != BodyKind::half_space)
            for (const Vec3& x : body.mesh.vertices) all.extend(x);
    CHECK(all.sizes().maxCoeff() == relative(20, 1e-12));
    CHECK(all.min().norm() < 1e-12);  // on the plane y = -0.001
    const World rollers = compile_world(parse_scene(input / "paperExamples/8_rollerBall.txt")).first;
    for (const char* roller : {"cylinder", "cylinder_2", "cylinder_3", "cylinder_4"})
        CHECK(box(rollers, "sphere5K").center().y() > box(rollers, roller).max().y());
    const World pins = compile_world(parse_scene(input / "paperExamples/17_pinCushionBall.txt")).first;
    CHECK(box(pins, "sphere5K").min().y() > box(pins, "edge").max().y());
    CHECK(box(pins, "sphere5K").max().y() < box(pins, "edge_882").min().y());
    const World knives = compile_world(parse_scene(input / "paperExamples/2_matKnives.txt")).first;
    for (const char* knife : {"triangle", "triangle_5", "triangle_9"})
        CHECK(box(knives, "mat40x40").min().y() > box(knives, knife).max().y());
}
