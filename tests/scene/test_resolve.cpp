// The resolved scene says everything and can be run again from its own folder.
#include "scene/scene_testing.hpp"

using namespace stiction;
using namespace scene_testing;

namespace {

/// A scene that uses every kind of key at least once.
const char* const rich_scene = R"json({
    "title": "rich \u00e4 \"quoted\"", "time": {"step": 0.1, "end": 0.95}, "gravity": [0, 0, -1.62], "mass": "consistent",
    "contact": {"friction": 0.1, "self_contact": false, "pairs": [{"bodies": ["a", "wall"], "friction": 0.30000000000000004}, {"bodies": ["a", "body1"], "enabled": false}]},
    "bodies": [
        {"name": "a", "mesh": "meshes/one.msh", "transform": {"center": true, "scale": [1, 2, 3], "rotation": {"axis": [1, 1, 0], "angle": 33.3}, "translation": [1, 2, 3]},
         "material": {"law": "arap", "youngs_modulus": 123456.789, "mass_damping": 0.1}, "parts": [{"select": {"file": "all.txt"}, "material": {"density": 7}}],
         "boundary": [{"select": {"file": "ids.txt"}, "fix": true, "end": 0.5},
                      {"select": {"sphere": {"center": [1, 2, 3], "radius": 9}}, "move": {"keyframes": [[0, [0, 0, 0]], [1, [0, 0.1, 0]]]}, "rotate": {"rpm": 7}},
                      {"select": {"half_space": {"point": [0, -9, 0]}}, "move": {"formula": ["x", "sin(t)", "0"]}, "axes": "y"},
                      {"select": {"box": {"min": [0, 0, 0], "max": [1, 1, 1], "relative": true}}, "fix": true},
                      {"select": {"surface_id": 7}, "fix": true}, {"select": {"vertices": [1, 2]}, "fix": true}],
         "forces": [{"force": [1, 0, 0]}, {"select": {"all": true}, "acceleration": [0, 1, 0], "begin": 0.1, "end": 0.2}]},
        {"mesh": {"generate": "ball", "vertices": 50}, "transform": {"dimensions": [1, 1, 2], "rotation": [1, 2, 3], "translation": [9, 0, 0]}},
        {"mesh": {"generate": "box", "cells": [1, 2, 3]}, "transform": {"translation": [19, 0, 0]}},
        {"mesh": "other/one.msh", "transform": {"translation": [29, 0, 0]}}, {"mesh": {"generate": "rod"}, "transform": {"translation": [39, 0, 0]}}],
    "obstacles": [{"name": "wall", "mesh": {"generate": "cylinder"}, "use": "edges", "motion": {"rotate": {"angular_velocity": 1, "center": [0, 0, 0]}}},
                  {"mesh": {"generate": "torus"}}, {"mesh": {"generate": "ring", "segments": 7, "sides": 5}}, {"mesh": {"generate": "cloth", "size": [1, 2]}}, {"mesh": {"generate": "icosphere"}}, {"mesh": {"generate": "hollow_ball", "thickness": 0.1, "divisions": 2}},
                  {"mesh": {"generate": "capsule", "divisions": 2, "layers": 3}}, {"mesh": {"generate": "tube", "around": 5, "along": 6}}, {"mesh": {"generate": "tire", "rim_radius": 0.1, "width": 0.2, "around": 7, "across": 9}},
                  {"half_space": {"point": [0, -50, 0]}}, {"sequence": {"folder": "frames", "interval": 0.1, "start": 0.2}}],
    "output": {"every": 3, "fields": ["stress", "velocity"], "ply": true},
    "ipc": {"dhat": 0.001, "friction_velocity": 0.0001}})json";

void write_files(const TemporaryFolder& folder) {
    folder.write("scene.json", rich_scene);
    folder.write("meshes/one.msh", one_tet_msh);
    std::string other = one_tet_msh;
    other.replace(other.find("4 0 0 1\n$EndN"), 7, "4 0 0 2");
    folder.write("other/one.msh", other);
    folder.write("ids.txt", "0 1 2\n");
    folder.write("all.txt", "0 1 2 3\n");
    folder.write("frames/k1.obj", "v 0 -9 0\nv 1 -9 0\nv 0 -9 1\nf 1 2 3\n");
    folder.write("frames/k2.obj", "v 0 -8 0\nv 1 -8 0\nv 0 -8 1\nf 1 2 3\n");
}

}  // namespace

TEST_CASE("parse, resolve, parse gives the same scene") {
    const SceneSpec spec = parse_scene_text(rich_scene, "scene.json", "folder");
    const std::string text = resolved_json(spec);
    const SceneSpec again = parse_scene_text(text, "scene.json", "folder");
    CHECK(again == spec);
    CHECK(resolved_json(again) == text);
    // members that come in several spellings, digits, and some that only exist as defaults
    CHECK(again.title == spec.title);
    CHECK(again.time.steps == 10);
    CHECK(*again.contact.pairs[0].friction == 0.30000000000000004);
    CHECK_FALSE(again.contact.pairs[1].enabled);
    CHECK(again.bodies[0].boundary[1].motion.rotate->angular_velocity ==
          spec.bodies[0].boundary[1].motion.rotate->angular_velocity);
    CHECK(*again.bodies[0].transform.scale == Vec3(1, 2, 3));
    CHECK((*again.bodies[0].boundary[1].motion.move->keyframes)[1].displacement == Vec3(0, 0.1, 0));
    CHECK(*again.bodies[1].mesh.vertices == 50);
    CHECK(text.find("\"poissons_ratio\": 0.4") != std::string::npos);
    CHECK(text.find("\"barrier_stiffness\": 0.0") != std::string::npos);
    CHECK(text.find("\"name\": \"body1\"") != std::string::npos);
    CHECK(text.find("\"edge_length\"") != std::string::npos);
}

TEST_CASE("scenes that differ in one value are not equal") {
    const SceneSpec spec = parse_scene_text(rich_scene, "scene.json", "folder");
    for (const char* change : {"time.step=0.2", "bodies[0].material.density=999", "bodies[1].mesh.vertices=60",
                               "obstacles[0].use=points", "ipc.ccd_slack=0.2", "contact.pairs[1].enabled=true",
                               "output.obj=true", "bodies[0].boundary[0].axes=x", "title=b"}) {
        CAPTURE(change);
        CHECK_FALSE(parse_scene_text(rich_scene, "scene.json", "folder", {change}) == spec);
    }
    CHECK_FALSE(parse_scene_text(rich_scene, "scene.json", "elsewhere") == spec);
}

TEST_CASE("a run's folder needs no other files") {
    const TemporaryFolder run;
    World original;
    State original_state;
    {
        const TemporaryFolder source;
        write_files(source);
        const SceneSpec spec = parse_scene(source.path() / "scene.json", {"bodies[0].material.density=800"});
        std::tie(original, original_state) = compile_world(spec);
        const SceneSpec stored = make_self_contained(spec, run.path());
        run.write("scene.json", resolved_json(stored));
        CHECK(read_text(run.path() / "meshes" / "one.msh") == one_tet_msh);
        CHECK(*stored.bodies[0].mesh.file == "meshes/one.msh");
        CHECK(*stored.bodies[3].mesh.file == "meshes/one_1.msh");
        CHECK(parse_scene(run.path() / "scene.json") == stored);
    }  // the source is gone now
    const SceneSpec again = parse_scene(run.path() / "scene.json");
    const auto [world, state] = compile_world(again);
    CHECK(state.x == original_state.x);
    CHECK(state.v == original_state.v);
    CHECK(world.mass == original.mass);
    CHECK(original.elastic[0].density[0] == 7);  // of the tet that all.txt holds
    REQUIRE(world.motions.size() == original.motions.size());
    for (std::size_t i = 0; i < world.motions.size(); ++i) {
        CHECK(world.motions[i].vertices == original.motions[i].vertices);
        const ScheduledVertex vertex{0, Vec3(0.1, 0.2, 0.3), Vec3(0.1, 0.2, 0.3), 0.0};
        CHECK(world.motions[i].trajectory->position(0.37, vertex) ==
              original.motions[i].trajectory->position(0.37, vertex));
    }
    CHECK(world.friction(0, 5) == 0.30000000000000004);
    CHECK_FALSE(world.contact_pairs.allowed(0, 1));

    // storing it again where it already lies changes nothing
    CHECK(make_self_contained(again, run.path()) == again);
    CHECK(read_text(run.path() / "meshes" / "one.msh") == one_tet_msh);
}

TEST_CASE("a copy takes no file's place, and a failure leaves none behind") {
    const TemporaryFolder source, run;
    source.write("one.msh", one_tet_msh);
    std::filesystem::create_directory(run.path() / "meshes");
    run.write("meshes/one.msh", "somebody else's");
    const SceneSpec spec = parse_scene_text(R"({"bodies": [{"mesh": "one.msh"}]})", "s.json", source.path());
    for (int again = 0; again < 2; ++again) {
        CHECK(*make_self_contained(spec, run.path()).bodies[0].mesh.file == "meshes/one_1.msh");
        CHECK(read_text(run.path() / "meshes" / "one.msh") == "somebody else's");
        CHECK(read_text(run.path() / "meshes" / "one_1.msh") == one_tet_msh);
    }
    const SceneSpec broken =
        parse_scene_text(R"({"bodies": [{"mesh": "one.msh"}, {"mesh": "none.msh"}]})", "s.json", source.path());
    CHECK(input_error([&] { make_self_contained(broken, run.path() / "new"); }).find("bodies[1].mesh.file") !=
          std::string::npos);
    CHECK_FALSE(std::filesystem::exists(run.path() / "new" / "meshes"));
    const auto files = input_files(broken);
    REQUIRE(files.size() == 2);
    CHECK(files[1].path == source.path() / "none.msh");
    CHECK(files[1].field == "bodies[1].mesh.file");
}

TEST_CASE("a file that cannot be stored is named") {
    const TemporaryFolder run;
    const SceneSpec spec = parse_scene_text(R"({"bodies": [{"mesh": "none.msh"}]})", "s.json", run.path());
    const std::string message = input_error([&] { make_self_contained(spec, run.path() / "out"); });
    CHECK(message.find("s.json: bodies[0].mesh.file") != std::string::npos);
    CHECK(message.find("none.msh") != std::string::npos);
}
