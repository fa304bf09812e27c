// Solids with the key `order`: what the mesh becomes, what selections hold, and what the key does not go with.
#include "stiction/mesh/generate.hpp"
#include "stiction/mesh/second_order.hpp"
#include "stiction/mesh/write.hpp"
#include "stiction/scene/scene_text.hpp"

#include "scene/scene_testing.hpp"
#include "support/compare.hpp"

#include <algorithm>

using namespace stiction;
using namespace stiction::test;
using namespace scene_testing;

namespace {

/// A box of eight cells: 27 vertices and 98 edges.
SceneSpec parse_box(const std::string& keys, const std::string& more = "") {
    return parse_scene_text(
        R"({"bodies": {"name": "box", "mesh": {"generate": "box", "cells": [2, 2, 2]}, )" + keys + "}" + more + "}",
        "s.json", {});
}

}  // namespace

TEST_CASE("order: a node in the middle of each edge, and a proxy that collides") {
    const auto [world, state] = compile_world(parse_box(R"("order": 2, "proxy_subdivisions": 3)"));
    const Body& body = world.bodies[0];
    CHECK(body.is_quadratic());
    CHECK(body.first_carried == 27 + 98);
    CHECK(world.surface.triangles.size() == 48 * 9);
    CHECK(world.quadratic[0].elements.size() == 48);
    CHECK(world.mass.sum() == relative(1000.0, 1e-12));
    const auto [linear, start] = compile_world(parse_box(R"("order": 1)"));
    CHECK_FALSE(linear.bodies[0].is_quadratic());
    CHECK(linear.quadratic.empty());
    CHECK(start.x.size() == 81);
}

TEST_CASE("order: selections by place and by ids hold the nodes of edges") {
    const auto held = [](const std::string& select) {
        const auto [world, state] =
            compile_world(parse_box(R"("order": 2, "boundary": {"select": )" + select + R"(, "fix": true})"));
        for (const Index v : world.motions[0].vertices) CHECK(state.x[3 * v] == relative(-0.5, 1e-12));
        return world.motions[0].vertices.size();
    };
    // A side has 9 vertices and 16 edges.
    CHECK(held(R"({"box": {"min": [0, 0, 0], "max": [0, 1, 1], "relative": true}})") == 25);
    const Mesh box = generate_box({1, 1, 1}, {2, 2, 2});
    std::string ids;
    for (std::size_t v = 0; v < box.vertices.size(); ++v)
        if (box.vertices[v][0] == -0.5) ids += (ids.empty() ? "" : ", ") + std::to_string(v);
    CHECK(held(R"({"vertices": [)" + ids + "]}") == 25);
    CHECK(held(R"({"vertices": [)" + ids.substr(0, ids.find(',')) + "]}") == 1);
}

TEST_CASE("order: a file of second order keeps its curved edges, or becomes linear") {
    const TemporaryFolder folder;
    Mesh curved = generate_box({1, 1, 1}, {1, 1, 1});
    add_mid_nodes(curved);
    for (std::size_t v = 8; v < curved.vertices.size(); ++v) curved.vertices[v] *= 1.05;
    write_msh(folder.path() / "curved.msh", curved);
    const auto file = folder.write("s.json", R"({"bodies": {"mesh": "curved.msh"}})");
    const auto [world, state] = compile_world(parse_scene(file));
    CHECK(world.bodies[0].first_carried == static_cast<Index>(curved.vertices.size()));
    CHECK(world.mass.sum() > 1000.0);  // bulges add volume
    const auto flat = folder.write("f.json", R"({"bodies": {"mesh": "curved.msh", "order": 1}})");
    const auto [linear, start] = compile_world(parse_scene(flat));
    CHECK(start.x.size() == 24);
    CHECK(linear.mass.sum() == relative(1000.0, 1e-12));
}

TEST_CASE("order: a start of the vertices moves the nodes between, and a collision mesh takes the place of the proxy") {
    const State plain = compile_world(parse_box(R"("order": 2)")).second;
    const auto [world, state] = compile_world(
        parse_box(R"("order": 2, "start": {"matrix": [[1.5, 0, 0], [0, 1, 0], [0, 0, 1]], "translation": [0, 2, 0]})"));
    for (Index v = 0; v < world.bodies[0].first_carried; ++v) {
        const Vec3 rest = plain.x.segment<3>(3 * v);
        CHECK((state.x.segment<3>(3 * v) - Vec3(1.5 * rest[0], rest[1] + 2.0, rest[2])).norm() < 1e-14);
    }
    const auto [hull, at] = compile_world(
        parse_box(R"("order": 2, "collision_mesh": {"generate": "icosphere", "radius": 0.45, "subdivisions": 1})"));
    CHECK(hull.surface.triangles.size() == 80);
    for (const EmbeddedVertex& entry : hull.carried)
        CHECK(at.x.segment<3>(3 * entry.vertex).norm() == relative(0.45, 1e-12));
}

TEST_CASE("order: refused where there are no tetrahedra that bend, by name") {
    const std::string sheet = R"({"bodies": {"mesh": {"generate": "cloth"}, "shell": 1e-3, "order": 2}})";
    CHECK(input_error([&] { compile_world(parse_scene_text(sheet, "s.json", {})); }) ==
          "s.json: bodies[0].order: 2: expected 1, or no such key, but in a solid");
    CHECK(input_error([&] { parse_box(R"("order": 3)"); }) == "s.json: bodies.order: 3: expected an integer in [1, 2]");
}
