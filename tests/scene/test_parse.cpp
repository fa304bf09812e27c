// Reading scenes: defaults, values, overrides.
#include "scene/scene_testing.hpp"
#include "support/compare.hpp"

#include <numbers>

using namespace stiction;
using namespace stiction::test;
using namespace scene_testing;

TEST_CASE("a minimal scene gets every default") {
    const SceneSpec spec =
        parse_scene_text(R"({"bodies": [{"mesh": {"generate": "ball"}}], "obstacles": [{"half_space": {}}]})");
    CHECK(spec.method == "ipc");
    CHECK(spec.time.step == 0.01);
    CHECK(spec.time.steps == 100);
    CHECK(spec.gravity == Vec3(0.0, -9.81, 0.0));
    CHECK(spec.mass == "lumped");
    REQUIRE(spec.bodies.size() == 1);
    CHECK(spec.bodies[0].name == "body0");
    CHECK(*spec.bodies[0].mesh.generate == "ball");
    CHECK(*spec.bodies[0].mesh.edge_length == relative(0.1, 1e-13));
    CHECK(spec.bodies[0].material.law == "neo_hookean");
    CHECK(spec.bodies[0].material.youngs_modulus == 1e5);
    REQUIRE(spec.obstacles.size() == 1);
    CHECK(spec.obstacles[0].name == "obstacle0");
    CHECK(spec.obstacles[0].half_space->normal == Vec3::UnitY());
    CHECK(spec.ipc.dhat_relative == ipc::Options{}.dhat_relative);
    CHECK(spec.output.fields.size() == 7);
}

TEST_CASE("every kind of value arrives") {
    const SceneSpec spec = parse_scene_text(R"json({
        "$schema": "x", "title": "all", "method": "ipc", "time": {"step": 0.1, "end": 0.95, "max_substeps": 8}, "gravity": [0, 0, -1.62], "mass": "consistent",
        "contact": {"friction": 0.3, "self_contact": false, "pairs": [{"bodies": ["a", "wall"], "friction": 0.7}, {"bodies": ["a", "a"], "enabled": false}]},
        "bodies": {"name": "a", "mesh": "a.msh",
            "transform": {"center": true, "scale": 2, "rotation": [90, 0, 0], "translation": [1, 2, 3]},
            "material": {"law": "arap", "youngs_modulus": 2e6, "poissons_ratio": 0.3, "density": 1200, "mass_damping": 0.5, "stiffness_damping": 0.01},
            "velocity": [1, 0, 0], "angular_velocity": [0, 2, 0],
            "boundary": [{"select": {"box": {"min": [0, 0, 0], "max": [1, 0.1, 1], "relative": true}}, "fix": true, "end": 0.5},
                         {"select": {"vertices": [0, 3]}, "move": {"keyframes": [[0, [0, 0, 0]], [1, [0, 1, 0]]], "velocity": [1, 0, 0]}, "rotate": {"rpm": 30, "axis": [0, 0, 1]}, "axes": "yx", "begin": 0.5}],
            "forces": {"total_force": [1, 2, 3], "begin": 0.1}},
        "obstacles": [{"name": "wall", "mesh": {"file": "w.obj"}, "use": "edges", "motion": {"move": {"formula": ["0", "sin(t)", "x*y"]}}},
                      {"sequence": {"files": ["a.obj", "b.obj"], "interval": 0.5}}],
        "output": {"every": 5, "fields": ["velocity"], "obj": true, "checkpoint_every": 0},
        "ipc": {"dhat": 1e-3, "friction_iterations": 0}})json");
    CHECK(spec.title == "all");
    CHECK(spec.time.steps == 10);
    CHECK(spec.time.max_substeps == 8);
    CHECK(spec.mass == "consistent");
    CHECK(*spec.contact.pairs[0].friction == 0.7);
    CHECK(spec.contact.pairs[0].enabled);
    CHECK_FALSE(spec.contact.pairs[1].enabled);
    const BodySpec& body = spec.bodies.at(0);
    CHECK(*body.mesh.file == "a.msh");
    CHECK(body.transform.center);
    CHECK(*body.transform.scale == Vec3(2, 2, 2));
    CHECK(*body.transform.rotation.euler == Vec3(90, 0, 0));
    CHECK(body.transform.translation == Vec3(1, 2, 3));
    CHECK(body.material.law == "arap");
    CHECK(body.material.density == 1200);
    CHECK(body.material.stiffness_damping == 0.01);
    CHECK(body.angular_velocity == Vec3(0, 2, 0));
    CHECK(body.boundary[0].select.box->relative);
    CHECK(*body.boundary[0].motion.end == 0.5);
    CHECK(body.boundary[0].motion.fix);
    CHECK((*body.boundary[1].motion.move->keyframes)[1].displacement == Vec3(0, 1, 0));
    CHECK(body.boundary[1].motion.rotate->angular_velocity == relative(std::numbers::pi, 1e-13));
    CHECK(body.boundary[1].motion.axes == "yx");
    CHECK(*body.forces[0].total_force == Vec3(1, 2, 3));
    CHECK(spec.obstacles[0].use == "edges");
    CHECK((*spec.obstacles[0].motion[0].move->formula)[2] == "x*y");
    CHECK(spec.obstacles[1].sequence->interval == 0.5);
    CHECK(spec.output.fields == std::vector<std::string>{"velocity"});
    CHECK(spec.output.obj);
    CHECK(spec.ipc.dhat == 1e-3);
    CHECK(spec.ipc.friction_iterations == 0);
}

TEST_CASE("the end of a run gives the number of steps") {
    CHECK(steps_until(1.0, 0.01) == 100);
    CHECK(steps_until(0.3, 0.1) == 3);
    CHECK(steps_until(0.31, 0.1) == 4);
    CHECK(steps_until(0.0, 0.1) == 0);
}

TEST_CASE("overrides") {
    const std::string text =
        R"({"time": {"end": 5}, "bodies": [{"mesh": {"generate": "ball"}}, {"mesh": {"generate": "box"}}]})";
    const auto parse = [&](std::vector<std::string> overrides) {
        return parse_scene_text(text, "s.json", "", overrides);
    };

    CHECK(parse({"bodies[1].material.density=900"}).bodies[1].material.density == 900);
    CHECK(parse({"contact.friction=0.25"}).contact.friction == 0.25);
    CHECK(parse({"gravity=[0,0,0]"}).gravity == Vec3::Zero());
    CHECK(parse({"bodies[0].material.law=arap"}).bodies[0].material.law == "arap");
    CHECK(parse({"bodies[0].material={\"density\": 7}"}).bodies[0].material.density == 7);
    CHECK(parse({"title=a=b"}).title == "a=b");
    CHECK(parse({"time.step=0.5", "time.step=0.25"}).time.step == 0.25);
    SUBCASE("steps and end replace each other") {
        CHECK(parse({"time.steps=3"}).time.steps == 3);
        CHECK(parse({"time.steps=3", "time.end=0.5"}).time.steps == 50);
    }
    SUBCASE("what cannot be applied is refused by name") {
        const auto message = [&](const char* entry) { return input_error([&] { parse({entry}); }); };
        CHECK(message("bodies[2].name=c").find("index below 2") != std::string::npos);
        CHECK(message("time[0]=1").find("a list before [0]") != std::string::npos);
        CHECK(message("bodies[0].mesh.generate.x=1").find("an object that can hold 'x'") != std::string::npos);
        CHECK(message("no value").find("PATH=VALUE") != std::string::npos);
        CHECK(message("=1").find("a path such as") != std::string::npos);
        CHECK(message("a..b=1").find("a path such as") != std::string::npos);
        CHECK(message("a.=1").find("a key after the last '.'") != std::string::npos);
        CHECK(message("bodies[x]=1").find("an index such as [0]") != std::string::npos);
        CHECK(message("bodies[0=1").find("an index such as [0]") != std::string::npos);
        CHECK(message("time.stp=1").find("time.stp: unknown key: expected 'step'") != std::string::npos);
        CHECK(message("time.step=nan").find("time.step: \"nan\"") != std::string::npos);
    }
}

TEST_CASE("the examples are valid and compile") {
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(STICTION_SOURCE_DIR) / "examples")) {
        if (entry.path().extension() != ".json") continue;
        CAPTURE(entry.path().string());
        const SceneSpec spec = parse_scene(entry.path());
        const CompiledScene scene = compile_scene(spec);
        CHECK(scene.world.bodies.size() == spec.bodies.size() + spec.obstacles.size());
        CHECK(scene.method->name() == spec.method);
    }
}
