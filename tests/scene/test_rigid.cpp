// Bodies with the key `rigid`: what the keys become.
#include "scene/scene_testing.hpp"
#include "support/compare.hpp"

using namespace stiction;
using namespace stiction::test;
using namespace scene_testing;

namespace {

SceneSpec parse(const std::string& body, const std::string& more = "") {
    return parse_scene_text(R"({"bodies": {)" + body + "}" + more + "}", "s.json", {});
}

const std::string box =
    R"("name": "block", "mesh": {"generate": "box", "size": [1, 2, 0.5], "cells": [1, 2, 1]}, "material": {"density": 300})";

}  // namespace

TEST_CASE("rigid: keys become mass, rigidity and velocity; tetrahedra and closed triangles alike") {
    const auto [world, state] = compile_world(parse(
        box +
        R"(, "rigid": {}, "velocity": [1, 0, 0], "angular_velocity": [0, 0, 2], "transform": {"translation": [0, 5, 0]}, "contact_thickness": 0.01)"));
    REQUIRE(world.rigid_bodies.size() == 1);
    CHECK(world.bodies[0].kind == BodyKind::rigid);
    CHECK(world.bodies[0].contact_thickness == 0.01);
    CHECK(world.rigid_bodies[0].mass == relative(300, 1e-13));
    CHECK(world.rigid_bodies[0].rigidity == standard_rigidity);
    CHECK((world.rigid_bodies[0].centre - Vec3(0, 5, 0)).norm() < 1e-14);
    const RigidVelocity velocity = rigid_velocity(world, world.rigid_bodies[0], state.x, state.v);
    CHECK((velocity.linear - Vec3(1, 0, 0)).norm() < 1e-13);
    CHECK((velocity.angular - Vec3(0, 0, 2)).norm() < 1e-13);
    const World shell = compile_world(parse(R"("mesh": {"generate": "icosphere", "radius": 0.5}, "rigid": 1e8)")).first;
    CHECK(shell.rigid_bodies[0].rigidity == 1e8);
    CHECK(shell.rigid_bodies[0].mass == relative(1000 * 4.0 / 3.0 * EIGEN_PI * 0.125, 0.02));
    // Rigid and consistent mass go together.
    CHECK(compile_world(parse(box + R"(, "rigid": {})", R"(, "mass": "consistent")")).first.rigid_bodies.size() == 1);
}

TEST_CASE("rigid: resolved scenes come back equal") {
    for (const char* rigid : {"{}", "2e8", R"({"rigidity": 3e10})"}) {
        const SceneSpec spec = parse(box + ", \"rigid\": " + rigid);
        REQUIRE(spec.bodies[0].rigid);
        CHECK(parse_scene_text(resolved_json(spec), "s.json", {}) == spec);
    }
    CHECK_FALSE(parse(box) == parse(box + R"(, "rigid": {})"));
}

TEST_CASE("rigid: what makes no sense is refused by its key") {
    const auto refusal = [](const std::string& keys, const std::string& more = "") {
        return input_error(
            [&] { compile_scene(parse(box + ", \"rigid\": {}" + (keys.empty() ? "" : ", ") + keys, more)); });
    };
    CHECK(refusal("").empty());
    CHECK(refusal(R"("shell": 0.01)").find("bodies[0].shell") != std::string::npos);
    CHECK(refusal(R"("volume": {})").find("bodies[0].volume") != std::string::npos);
    CHECK(refusal(R"("parts": [{"select": {"all": true}, "material": {}}])").find("bodies[0].parts") !=
          std::string::npos);
    CHECK(refusal(R"("boundary": {"select": {"all": true}, "fix": true})").find("bodies[0].boundary") !=
          std::string::npos);
    CHECK(refusal(R"("forces": {"select": {"sphere": {"center": [0, 0, 0], "radius": 1}}, "acceleration": [1, 0, 0]})")
              .find("accelerated as a whole") != std::string::npos);
    CHECK(refusal(R"("forces": {"select": {"all": true}, "acceleration": [1, 0, 0]})").empty());
    CHECK(refusal("", R"(, "contact": {"pairs": [{"bodies": ["block", "block"], "friction": 0.1}]})")
              .find("never collides with itself") != std::string::npos);
    CHECK(input_error([] {
              compile_scene(parse(R"("mesh": {"generate": "cloth"}, "rigid": {})"));
          }).find("a closed surface") != std::string::npos);
    CHECK(input_error([] {
              compile_scene(parse(R"("mesh": {"generate": "box"}, "material": {"mass_damping": 1}, "rigid": {})"));
          }).find("mass_damping") != std::string::npos);
}
