// Bodies with the key `collision_mesh`: what the key becomes, and what it does not go with.
#include "stiction/mesh/generate.hpp"
#include "stiction/mesh/write.hpp"
#include "stiction/scene/scene_text.hpp"

#include "scene/scene_testing.hpp"
#include "support/compare.hpp"

using namespace stiction;
using namespace stiction::test;
using namespace scene_testing;

namespace {

const std::string ball_hull = R"("collision_mesh": {"generate": "icosphere", "radius": 0.45, "subdivisions": 1})";

SceneSpec parse_hull(const std::string& body, const std::string& more = "") {
    return parse_scene_text(
        R"({"bodies": {"name": "cage", "mesh": {"generate": "box", "cells": [2, 2, 2]}, )" + body + "}" + more + "}",
        "s.json", {});
}

}  // namespace

TEST_CASE("collision_mesh: it is placed as the mesh is, and hangs in its tets") {
    const auto [world, state] = compile_world(
        parse_hull(ball_hull + R"(, "transform": {"scale": 0.1, "rotation": [0, 30, 0], "translation": [0, 2, 0]},
                  "boundary": {"select": {"box": {"min": [0, 0, 0], "max": [0, 1, 1], "relative": true}}, "fix": true})"));
    const Body& body = world.bodies[0];
    CHECK(body.has_collision_mesh());
    CHECK(body.first_carried == 27);
    CHECK(world.carried.size() == 42);
    CHECK(world.surface.triangles.size() == 80);
    for (const EmbeddedVertex& entry : world.carried)
        CHECK((state.x.segment<3>(3 * entry.vertex) - Vec3(0, 2, 0)).norm() == relative(0.045, 1e-12));
    CHECK(world.mass.sum() == relative(1.0, 1e-12));
    REQUIRE(world.motions.size() == 1);
    CHECK(world.motions[0].vertices.size() == 3);  // of the tets alone: an edge of the turned box
}

TEST_CASE("collision_mesh: a file, also of tets, whose surface it is then; refined and started deformed") {
    const TemporaryFolder folder;
    write_msh(folder.path() / "cage.msh", generate_box({1, 1, 1}, {2, 2, 2}));
    write_msh(folder.path() / "inner.msh", generate_box({0.8, 0.8, 0.8}, {1, 1, 1}));
    const auto file = folder.write("s.json", R"({"bodies": {"mesh": "cage.msh", "collision_mesh": "inner.msh",
        "start": {"matrix": [[1.5, 0, 0], [0, 1, 0], [0, 0, 1]], "translation": [0, 1, 0]}}})");
    const auto [world, state] = compile_world(parse_scene(file));
    CHECK(world.carried.size() == 8);
    for (const EmbeddedVertex& entry : world.carried) {
        CHECK(std::abs(state.x[3 * entry.vertex]) == relative(0.6, 1e-12));
        CHECK(std::abs(state.x[3 * entry.vertex + 1] - 1.0) == relative(0.4, 1e-12));
    }
}

TEST_CASE("collision_mesh: resolved scenes come back equal") {
    for (const std::string& keys : {ball_hull, std::string(R"("collision_mesh": "hull.obj")")}) {
        const SceneSpec spec = parse_hull(keys);
        REQUIRE(spec.bodies[0].collision_mesh);
        CHECK(parse_scene_text(resolved_json(spec), "s.json", {}) == spec);
        CHECK_FALSE(spec == parse_hull(R"("velocity": [0, 0, 0])"));
    }
}

TEST_CASE("collision_mesh: its file goes where the scene goes") {
    const TemporaryFolder source, target;
    write_msh(source.path() / "cage.msh", generate_box({1, 1, 1}, {2, 2, 2}));
    write_obj(source.path() / "hull.obj", generate_icosphere(0.4, 1));
    const std::string text = R"({"bodies": {"mesh": "cage.msh", "collision_mesh": "hull.obj"}})";
    const SceneSpec spec = parse_scene(source.write("s.json", text));
    const State state = compile_world(spec).second;
    const std::vector<InputFile> files = input_files(spec);
    REQUIRE(files.size() == 2);
    CHECK(files[1].path == source.path() / "hull.obj");
    CHECK(files[1].field == "bodies[0].collision_mesh.file");
    const SceneSpec moved = move_scene(spec, target.path() / "deep");
    CHECK(compile_world(parse_scene(target.write("deep/s.json", resolved_json(moved)))).second.x == state.x);
    const std::string repaired = relocated_scene_text(text, source.path(), target.path() / "deep");
    CHECK(compile_world(parse_scene(target.write("deep/r.json", repaired))).second.x == state.x);
    const SceneSpec stored = make_self_contained(spec, target.path());
    CHECK(*stored.bodies[0].collision_mesh->file == "meshes/hull.obj");
    std::filesystem::remove(source.path() / "hull.obj");
    CHECK(compile_world(parse_scene(target.write("scene.json", resolved_json(stored)))).second.x == state.x);
}

TEST_CASE("collision_mesh: one in memory is written beside the scene, and is no input file") {
    const TemporaryFolder target;
    SceneOrigin origin{"s.json", target.path()};
    origin.meshes["hull.msh"] = std::make_shared<Mesh>(generate_icosphere(0.4, 1));
    SceneSpec spec = parse_hull(R"("collision_mesh": "hull.msh")");
    spec.origin = origin;
    const State state = compile_world(spec).second;
    CHECK(input_files(spec).empty());
    const SceneSpec stored = make_self_contained(spec, target.path());
    CHECK(*stored.bodies[0].collision_mesh->file == "meshes/hull.msh");
    CHECK(compile_world(parse_scene(target.write("scene.json", resolved_json(stored)))).second.x == state.x);
}

TEST_CASE("collision_mesh: what makes no sense is refused by its key") {
    const auto refusal = [](const std::string& body, const std::string& more = "") {
        return input_error([&] { compile_scene(parse_hull(body, more)); });
    };
    const auto says = [](const std::string& text, const std::string& part) {
        INFO(text);
        CHECK(text.find(part) != std::string::npos);
    };
    CHECK(refusal(ball_hull).empty());
    CHECK(refusal(ball_hull, R"(, "method": "implicit")").empty());
    says(refusal(ball_hull + R"(, "rigid": {})"), "bodies[0].collision_mesh: expected no such key but in a solid");
    says(refusal(R"("collision_mesh": {"generate": "icosphere", "radius": 2})"),
         "s.json: bodies[0].collision_mesh: cage: collision mesh: vertex 0: more than 0.0866 m outside");
    says(refusal(R"("collision_mesh": {"generate": "polyline"})"), "triangles and nothing else");
    says(refusal(R"("collision_mesh": "none.obj")"), "bodies[0].collision_mesh");
    CHECK(refusal(ball_hull, R"(, "method": "mlcp")").empty());
    CHECK(refusal(ball_hull, R"(, "method": "local_global")").empty());
    says(refusal(ball_hull, R"(, "method": "implicit", "implicit": {"contact": "penalty"})"),
         "'cage' has a collision mesh");
}
