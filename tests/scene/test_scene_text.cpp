#include "stiction/scene/json_document.hpp"
#include "stiction/scene/scene_text.hpp"

#include "scene/scene_testing.hpp"

using namespace stiction;
using namespace scene_testing;

namespace {

const Vec3 shift(0.5, -1.0, 0.25);

/// Every body of the scene is moved by `shift` but the last one.
std::string all_but_last_moved(const std::string& text) {
    const SceneSpec spec = parse_scene_text(text);
    std::vector<Vec3> shifts(spec.bodies.size(), shift);
    shifts.back().setZero();
    return shifted_scene_text(text, spec, shifts);
}

/// Positions at t = 0 (stacked, m) of the same scene before and after.
std::pair<VecX, VecX> positions(const std::string& before, const std::string& after) {
    return {compile_world(parse_scene_text(before)).second.x, compile_world(parse_scene_text(after)).second.x};
}

const char* const two_bodies = R"({
  "title": "kept", "time": {"steps": 3, "step": 0.5},
  "bodies": [
    {"mesh": {"generate": "box", "cells": [1, 1, 1]}, BODY},
    {"mesh": {"generate": "box", "cells": [1, 1, 1]}, "transform": {"scale": 2, "translation": [9, 0, 0]}}
  ]})";

std::string with(const std::string& body) {
    std::string text = two_bodies;
    return text.replace(text.find("BODY"), 4, body);
}

}  // namespace

TEST_CASE("a body that is moved has another translation, and nothing else in the text changes") {
    const std::string before = with(R"("transform": {"rotation": [0, 0, 30], "translation": [1, 2, 3]})");
    const std::string after = all_but_last_moved(before);
    scene::Json expected = scene::parse_json(before, "");
    expected["bodies"][0]["transform"]["translation"] = {1.5, 1.0, 3.25};
    CHECK(after == expected.dump(2) + "\n");
    const auto [x, moved] = positions(before, after);
    for (Index v = 0; v < 8; ++v) CHECK((moved.segment<3>(3 * v) - x.segment<3>(3 * v) - shift).norm() < 1e-14);
    CHECK(moved.tail(24) == x.tail(24));
}

TEST_CASE("a body without a transform gets one, also where it is the only one and no list") {
    const std::string one = R"({"bodies": {"mesh": {"generate": "box", "cells": [1, 1, 1]}}})";
    const std::string after = shifted_scene_text(one, parse_scene_text(one), {shift});
    CHECK(parse_scene_text(after).bodies[0].transform.translation == shift);
}

TEST_CASE("a body with a start is moved by its start, and its stress-free shape stays") {
    const std::string turned =
        with(R"("start": {"matrix": [[0, -2, 0], [1, 0, 0], [0, 0, 1]], "translation": [1, 1, 1]})");
    const auto [x, moved] = positions(turned, all_but_last_moved(turned));
    for (Index v = 0; v < 8; ++v) CHECK((moved.segment<3>(3 * v) - x.segment<3>(3 * v) - shift).norm() < 1e-14);
    CHECK(parse_scene_text(all_but_last_moved(turned)).bodies[0].transform.translation == Vec3::Zero());

    const std::string listed = with(R"("start": {"positions": [[0,0,0], [1,0,0], [0,1,0], [1,1,0], [0,0,1], [1,0,1],
        [0,1,1], [1,1.5,1]]})");
    const auto after = parse_scene_text(all_but_last_moved(listed)).bodies[0].start;
    REQUIRE(after.has_value());
    REQUIRE(after->positions.has_value());
    CHECK(after->positions->back() == Vec3(1.5, 0.5, 1.25));
}

TEST_CASE("selections by place move with their body and hold the same vertices") {
    const std::string before = with(R"("parts": [{"select": {"box": {"min": [-1, -1, -1], "max": [1, 1, 1]}},
                                                  "material": {"density": 77}}],
        "forces": [{"select": {"sphere": {"center": [0.5, 0.5, 0.5], "radius": 0.1}}, "force": [1, 0, 0]},
                   {"select": {"half_space": {"normal": [0, 1, 0]}}, "force": [0, 1, 0]},
                   {"select": {"box": {"min": [0, 0, 0], "max": [1, 1, 0.5], "relative": true}}, "force": [0, 0, 1]},
                   {"force": [0, 0, 2]}])");
    const World old_world = compile_world(parse_scene_text(before)).first;
    const World new_world = compile_world(parse_scene_text(all_but_last_moved(before))).first;
    REQUIRE(old_world.point_loads.size() == 4);
    REQUIRE(new_world.point_loads.size() == 4);
    for (std::size_t k = 0; k < 4; ++k) CHECK(new_world.point_loads[k].vertices == old_world.point_loads[k].vertices);
    CHECK(old_world.point_loads[0].vertices.size() == 1);
    CHECK(old_world.point_loads[1].vertices.size() == 4);
}

TEST_CASE("paths of a scene lead to the same files from another folder") {
    const TemporaryFolder folder;
    folder.write("meshes/tet.msh", one_tet_msh);
    folder.write("meshes/frames/tet_0.msh", one_tet_msh);
    folder.write("meshes/frames/tet_1.msh", one_tet_msh);
    folder.write("ids.txt", "0\n");
    const std::string text = R"({"bodies": [
        {"mesh": "meshes/tet.msh", "boundary": {"select": {"file": "ids.txt"}, "fix": true}},
        {"mesh": {"file": "meshes/tet.msh"}, "transform": {"translation": [3, 0, 0]}}],
      "obstacles": [{"sequence": {"folder": "meshes/frames"}, "transform": {"translation": [6, 0, 0]}},
                    {"sequence": {"files": ["meshes/frames/tet_1.msh", "meshes/frames/tet_0.msh"]},
                     "transform": {"translation": [9, 0, 0]}}]})";
    const auto file = folder.write("scene.json", text);
    CHECK(relocated_scene_text(text, folder.path(), folder.path() / ".") == text);
    const std::string moved = relocated_scene_text(text, folder.path(), folder.path() / "deep/er");
    const auto before = input_files(parse_scene(file));
    const auto after = input_files(parse_scene(folder.write("deep/er/new.json", moved)));
    REQUIRE(before.size() == 7);
    REQUIRE(after.size() == before.size());
    for (std::size_t i = 0; i < before.size(); ++i) CHECK(after[i].path == before[i].path);
    CHECK(moved.find("\"../../meshes/tet.msh\"") != std::string::npos);
}
