// Scenes become worlds: placement, selections, motions, forces, contact tables.
#include "stiction/mesh/topology.hpp"
#include "stiction/scene/placement.hpp"
#include "stiction/scene/selection.hpp"

#include "scene/scene_testing.hpp"
#include "support/compare.hpp"

#include <cmath>
#include <numbers>
#include <random>
#include <set>

using namespace stiction;
using namespace stiction::test;
using namespace scene_testing;

namespace {

const double pi = std::numbers::pi;

World world_of(const std::string& text, const std::filesystem::path& directory = {}) {
    return compile_world(parse_scene_text(text, "s.json", directory)).first;
}

TransformSpec transform_of(const std::string& text) {
    return parse_scene_text(R"({"bodies": [{"mesh": "a.msh", "transform": )" + text + "}]}").bodies[0].transform;
}

/// Turns about x, y and z by hand.
Vec3 turned(Vec3 v, double x, double y, double z) {
    const auto turn = [](double& a, double& b, double angle) {
        const double c = std::cos(angle * pi / 180), s = std::sin(angle * pi / 180), old = a;
        a = c * a - s * b;
        b = s * old + c * b;
    };
    turn(v.y(), v.z(), x);
    turn(v.z(), v.x(), y);
    turn(v.x(), v.y(), z);
    return v;
}

}  // namespace

TEST_CASE("a transform scales, then rotates, then translates") {
    const std::vector<Vec3> box{{-1, 0, 2}, {3, 1, 2}, {0, 0.5, 6}};  // extents 4, 1, 4; centre (1, 0.5, 4)
    const unsigned seed = 7;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-2.0, 2.0);
    const auto place = [&](const std::string& text) { return make_placement(transform_of(text), box, "s.json", "t"); };
    for (int i = 0; i < 20; ++i) {
        const Vec3 v(number(random), number(random), number(random));
        CHECK((place("{}")(v) - v).norm() == 0.0);
        CHECK((place(R"({"scale": 3})")(v) - 3 * v).norm() < 1e-14);
        const Vec3 scaled(2 * v.x(), 3 * v.y(), 0.5 * v.z());
        CHECK((place(R"({"scale": [2, 3, 0.5], "rotation": [10, 20, 30], "translation": [1, 2, 3]})")(v) -
               (turned(scaled, 10, 20, 30) + Vec3(1, 2, 3)))
                  .norm() < 1e-13);
        CHECK((place(R"({"rotation": {"axis": [0, 0, 5], "angle": 90}})")(v) - Vec3(-v.y(), v.x(), v.z())).norm() <
              1e-14);
        CHECK((place(R"({"center": true, "scale": 2})")(v) - 2 * (v - Vec3(1, 0.5, 4))).norm() < 1e-13);
        CHECK((place(R"({"dimensions": [8, 0, 1]})")(v) - Vec3(2 * v.x(), v.y(), 0.25 * v.z())).norm() < 1e-13);
    }
}

TEST_CASE("selections against a test by hand") {
    const World world = world_of(
        R"({"bodies": [{"mesh": {"generate": "box", "size": [1, 2, 3], "cells": [2, 4, 6]}, "transform": {"translation": [0.5, 1, 1.5]}}]})");
    const Mesh& mesh = world.bodies[0].mesh;  // corners (0, 0, 0) and (1, 2, 3), grid spacing 0.5
    const auto selected = [&](const std::string& text) {
        const auto spec =
            parse_scene_text(R"({"bodies": [{"mesh": "a.msh", "boundary": {"fix": true, "select": )" + text + "}}]}");
        return select_vertices(spec.bodies[0].boundary[0].select, mesh, {}, spec.origin, "select");
    };
    const auto expected = [&](const std::function<bool(const Vec3&)>& test) {
        std::vector<Index> result;
        for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
            if (test(mesh.vertices[i])) result.push_back(static_cast<Index>(i));
        }
        return result;
    };
    CHECK(selected(R"({"all": true})").size() == mesh.vertices.size());
    CHECK(mesh.vertices.size() == 3 * 5 * 7);
    CHECK(selected(R"({"box": {"min": [0, 0, 0], "max": [1, 0.5, 3]}})") ==
          expected([](const Vec3& v) { return v.y() < 0.6; }));
    CHECK(selected(R"({"box": {"min": [0, 0, 0], "max": [1, 0.25, 1], "relative": true}})") ==
          expected([](const Vec3& v) { return v.y() < 0.6; }));
    CHECK(selected(R"({"box": {"min": [0, 1, 0], "max": [1, 1, 1], "relative": true}})").size() == 3 * 7);
    CHECK(selected(R"({"sphere": {"center": [0, 0, 0], "radius": 0.5}})").size() == 4);
    CHECK(selected(R"({"half_space": {"point": [0, 0, 2.2], "normal": [0, 0, 3]}})") ==
          expected([](const Vec3& v) { return v.z() > 2.2; }));
    CHECK(selected(R"({"vertices": [5, 2, 5]})") == std::vector<Index>{2, 5});
}

TEST_CASE("surface ids and files select by the numbering of the mesh file") {
    const TemporaryFolder folder;
    folder.write("one.msh", one_tet_msh);
    folder.write("lists/ids.txt", "# two\n3,\n0 # and a comment\n");
    const World world = world_of(R"({"bodies": [{"mesh": "one.msh", "boundary": [
        {"select": {"surface_id": 7}, "fix": true}, {"select": {"file": "lists/ids.txt"}, "fix": true, "axes": "xz", "begin": 1, "end": 2}]}]})",
                                 folder.path());
    CHECK(world.motions[0].vertices == std::vector<Index>{0, 1, 2});
    CHECK(world.motions[0].axes == 7);
    CHECK(world.motions[1].vertices == std::vector<Index>{0, 3});
    CHECK(world.motions[1].axes == 5);
    CHECK(world.motions[1].begin == 1.0);
    CHECK(world.motions[1].end == 2.0);
    CHECK(world.motions[1].name == "bodies[0].boundary[1]");
}

TEST_CASE("unused vertices are dropped and ids still mean those of the file") {
    const TemporaryFolder folder;
    // vertex 0 of this file belongs to no element
    folder.write(
        "gap.msh",
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 9 9 9\n2 0 0 0\n3 1 0 0\n4 0 1 0\n5 0 0 1\n$EndNodes\n"
        "$Elements\n1\n1 4 2 1 1 2 3 4 5\n$EndElements\n");
    const auto text = [](int id) {
        return R"({"bodies": [{"mesh": "gap.msh", "boundary": {"fix": true, "select": {"vertices": [)" +
               std::to_string(id) + "]}}}]}";
    };
    const World world = world_of(text(4), folder.path());
    CHECK(world.vertex_count() == 4);
    CHECK(world.motions[0].vertices == std::vector<Index>{3});
    CHECK(input_error([&] { world_of(text(0), folder.path()); }).find("a vertex that an element of the mesh uses") !=
          std::string::npos);
}

TEST_CASE("inverted tets of a file are turned over") {
    const TemporaryFolder folder;
    std::string text = one_tet_msh;
    text.replace(text.find("1 2 3 4\n$End"), 7, "2 1 3 4");
    folder.write("inverted.msh", text);
    const World world = world_of(R"({"bodies": [{"mesh": "inverted.msh"}]})", folder.path());
    CHECK(signed_volume(world.bodies[0].mesh, world.bodies[0].mesh.tets[0]) == relative(1.0 / 6.0, 1e-13));
}

TEST_CASE("motions become trajectories") {
    const World world = world_of(R"json({
        "bodies": [{"mesh": {"generate": "ball", "edge_length": 0.5}}],
        "obstacles": [
            {"mesh": {"generate": "cloth"}, "transform": {"translation": [3, 4, 5]}, "motion": [
                {"move": {"keyframes": [[0, [0, 0, 0]], [2, [0, 1, 0]]], "velocity": [1, 0, 0]}},
                {"rotate": {"axis": [0, 0, 2], "degrees_per_second": 90}, "begin": 3},
                {"move": {"formula": ["t*x", "0", "pi"]}, "begin": 5, "end": 6}]},
            {"half_space": {"point": [0, -1, 0], "normal": [0, 2, 0]}, "motion": {"move": {"velocity": [0, 1, 0]}}}]})json");
    REQUIRE(world.motions.size() == 4);
    ScheduledVertex vertex{0, Vec3(4, 4, 5), Vec3(4, 4, 5), 0.0};
    CHECK((world.motions[0].trajectory->position(1.0, vertex) - Vec3(5, 4.5, 5)).norm() < 1e-14);
    vertex.anchor_time = 3.0;
    // a quarter turn about the z axis through the centre of the cloth, (3, 4, 5)
    CHECK((world.motions[1].trajectory->position(4.0, vertex) - Vec3(3, 5, 5)).norm() < 1e-14);
    CHECK((world.motions[2].trajectory->position(0.5, vertex) - Vec3(6, 4, 5 + pi)).norm() < 1e-14);
    CHECK(world.motions[2].end == 6.0);
    CHECK(world.motions[3].vertices == std::vector<Index>{world.half_spaces[0].origin_vertex});
    CHECK(world.half_spaces[0].normal == Vec3::UnitY());
    CHECK(world.motions[0].vertices.size() == world.bodies[1].mesh.vertices.size());
    CHECK(world.motions[0].vertices.front() == world.bodies[1].first_vertex);
}

TEST_CASE("what collides of an obstacle") {
    const auto mesh_of = [](const std::string& use) {
        return world_of(
                   R"({"bodies": [{"mesh": {"generate": "ball", "edge_length": 0.5}}], "obstacles": [{"mesh": {"generate": "box", "cells": [2, 2, 2]}, "use": ")" +
                   use + R"("}]})")
            .bodies[1]
            .mesh;
    };
    // 27 grid points, one of them inside; 6 faces of 8 triangles; Euler: edges = 26 + 48 - 2
    const Mesh surface = mesh_of("surface");
    CHECK(surface.vertices.size() == 26);
    CHECK(surface.triangles.size() == 48);
    CHECK(surface.tets.empty());
    CHECK(mesh_of("triangles").triangles.size() == 48);
    const Mesh edges = mesh_of("edges");
    CHECK(edges.edges.size() == 72);
    CHECK(edges.triangles.empty());
    const Mesh points = mesh_of("points");
    CHECK(points.points.size() == 26);
    CHECK(points.edges.empty());
    CHECK(points.triangles.empty());
}

TEST_CASE("a sequence moves through its meshes") {
    const TemporaryFolder folder;
    const auto frame = [](int y) { return "v 0 " + std::to_string(y) + " 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n"; };
    folder.write("frames/f10.obj", frame(30));
    folder.write("frames/f2.obj", frame(10));
    folder.write("frames/f1.obj", frame(0));
    folder.write("frames/notes.txt", "no mesh");
    const World world = world_of(R"({"bodies": [{"mesh": {"generate": "ball", "edge_length": 0.5}}],
        "obstacles": [{"sequence": {"folder": "frames", "interval": 0.5}, "transform": {"scale": 2}}]})",
                                 folder.path());
    const ScheduledVertex vertex{0, Vec3::Zero(), Vec3::Zero(), 0.0};
    const auto& path = *world.motions.at(0).trajectory;
    CHECK(path.position(0.0, vertex) == Vec3(0, 0, 0));
    CHECK(path.position(0.25, vertex) == Vec3(0, 10, 0));
    CHECK(path.position(0.75, vertex) == Vec3(0, 40, 0));
    CHECK(path.position(9.0, vertex) == Vec3(0, 60, 0));
}

TEST_CASE("forces, contact tables and initial velocities") {
    const auto [world, state] = compile_world(parse_scene_text(R"({
        "gravity": [0, 0, 0], "mass": "consistent",
        "bodies": [
            {"name": "a", "mesh": {"generate": "box", "cells": [1, 1, 1]}, "velocity": [1, 2, 3], "forces": [
                {"select": {"vertices": [0, 1]}, "force": [5, 0, 0]}, {"total_force": [0, 8, 0], "begin": 1, "end": 2}, {"acceleration": [0, 0, 1]}]},
            {"name": "b", "mesh": {"generate": "box", "cells": [1, 1, 1]}, "transform": {"translation": [3, 0, 0]}, "angular_velocity": [0, 0, 2]}],
        "obstacles": [{"name": "c", "half_space": {"point": [0, -2, 0]}}],
        "contact": {"friction": 0.1, "self_contact": false,
                    "pairs": [{"bodies": ["a", "c"], "friction": 0.4}, {"bodies": ["b", "b"]}, {"bodies": ["b", "a"], "enabled": false}]}})"));
    CHECK(world.consistent_mass);
    CHECK(world.gravity == Vec3::Zero());
    CHECK(world.point_loads[0].force == Vec3(5, 0, 0));
    CHECK(world.point_loads[0].vertices == std::vector<Index>{0, 1});
    CHECK(world.point_loads[1].force == Vec3(0, 1, 0));
    CHECK(world.point_loads[1].begin == 1.0);
    CHECK(world.body_forces[0].vertices.size() == 8);
    CHECK(world.friction(0, 1) == 0.1);
    CHECK(world.friction(2, 0) == 0.4);
    CHECK_FALSE(world.contact_pairs.allowed(0, 0));
    CHECK(world.contact_pairs.allowed(1, 1));
    CHECK_FALSE(world.contact_pairs.allowed(0, 1));
    CHECK(world.contact_pairs.allowed(0, 2));
    CHECK(Vec3(state.v.segment<3>(0)) == Vec3(1, 2, 3));
    for (Index i = 8; i < 16; ++i) {
        const Vec3 arm = world.bodies[1].mesh.vertices[static_cast<std::size_t>(i - 8)] - Vec3(3, 0, 0);
        CHECK((Vec3(state.v.segment<3>(3 * i)) - Vec3(-2 * arm.y(), 2 * arm.x(), 0)).norm() < 1e-12);
    }
}

TEST_CASE("the generated ball has about as many vertices as asked for") {
    const World world = world_of(R"({"bodies": [{"mesh": {"generate": "ball", "radius": 0.25, "vertices": 2000}}]})");
    CHECK(world.vertex_count() == 2057);
    double farthest = 0.0;
    for (const Vec3& x : world.bodies[0].mesh.vertices) farthest = std::max(farthest, x.norm());
    CHECK(farthest == relative(0.25, 1e-13));
}

TEST_CASE("every generator makes an obstacle of the size that was asked for") {
    const auto extent = [](const std::string& mesh) {
        const World world =
            world_of(R"({"bodies": [{"mesh": {"generate": "ball", "edge_length": 0.5}}], "obstacles": [{"mesh": )" +
                     mesh + "}]}");
        const auto [low, high] = bounding_box(world.bodies[1].mesh.vertices);
        return Vec3(high - low);
    };
    CHECK((extent(R"({"generate": "box", "size": [1, 2, 3]})") - Vec3(1, 2, 3)).norm() < 1e-12);
    CHECK((extent(R"({"generate": "rod", "length": 2, "width": 0.3})") - Vec3(2, 0.3, 0.3)).norm() < 1e-12);
    CHECK((extent(R"({"generate": "cloth", "size": [2, 3]})") - Vec3(2, 0, 3)).norm() < 1e-12);
    CHECK(extent(R"({"generate": "cylinder", "radius": 0.5, "height": 3})").y() == relative(3.0, 1e-13));
    CHECK(extent(R"({"generate": "torus", "major_radius": 1, "minor_radius": 0.25})").x() == relative(2.5, 0.02));
    CHECK(extent(R"({"generate": "ring", "major_radius": 1, "minor_radius": 0.25})").y() ==
          relative(0.25 * std::sqrt(2.0), 1e-13));
    CHECK(extent(R"({"generate": "icosphere", "radius": 2})").y() == relative(4.0, 1e-13));
    CHECK(
        (extent(R"({"generate": "capsule", "radius": 0.5, "height": 3, "divisions": 2, "layers": 3})") - Vec3(1, 4, 1))
            .norm() < 1e-12);
    CHECK((extent(R"({"generate": "tube", "radius": 0.5, "height": 3, "around": 8, "along": 4})") - Vec3(1, 3, 1))
              .norm() < 1e-12);
    CHECK((extent(R"({"generate": "tire", "radius": 0.5, "rim_radius": 0.2, "width": 0.3, "around": 8, "across": 9})") -
           Vec3(1, 0.3, 1))
              .norm() < 1e-12);
    CHECK(extent(R"({"generate": "hollow_ball", "radius": 2, "divisions": 6})").y() == relative(4.0, 0.02));
}

TEST_CASE("hollow_ball: tets as many and a wall as thick as asked for, and its cavity can be filled") {
    const World world = world_of(
        R"({"bodies": {"mesh": {"generate": "hollow_ball", "radius": 0.3, "thickness": 0.1, "divisions": 2, "layers": 3}, "volume": {}}})");
    CHECK(world.bodies[0].mesh.tets.size() == 60 * 4 * 3);
    double nearest = 1.0;
    for (const Vec3& x : world.bodies[0].mesh.vertices) nearest = std::min(nearest, x.norm());
    CHECK(nearest == relative(0.2, 1e-13));
    REQUIRE(world.fillings.size() == 1);
    CHECK(world.fillings[0].energy.rest_volume < 4.0 / 3.0 * 3.14159 * 0.008);  // a polyhedron within the sphere
    CHECK(world.fillings[0].energy.rest_volume > 0.8 * 4.0 / 3.0 * 3.14159 * 0.008);
}

TEST_CASE("extrapolate_below: a group of its own, also for a part, and written back") {
    const std::string text = R"({"bodies": {
        "mesh": {"generate": "box", "size": [3, 1, 1], "cells": [3, 1, 1]}, "material": {"extrapolate_below": 0.7},
        "parts": [{"select": {"half_space": {"point": [-0.5, 0, 0], "normal": [1, 0, 0]}}, "material": {}},
                  {"select": {"half_space": {"point": [0.5, 0, 0], "normal": [1, 0, 0]}}, "material": {"extrapolate_below": 0.25}}]}})";
    const World world = world_of(text);
    REQUIRE(world.elastic.size() == 3);
    for (const ElasticGroup& group : world.elastic) {
        CHECK(group.elements.law == MaterialLaw::neo_hookean);
        CHECK(group.elements.size() == 6);
        CHECK(group.elements.invertible() == (group.elements.extrapolate_below > 0.0));
    }
    CHECK(world.elastic[0].elements.extrapolate_below == 0.7);
    CHECK(world.elastic[1].elements.extrapolate_below == 0.0);
    CHECK(world.elastic[2].elements.extrapolate_below == 0.25);
    const SceneSpec spec = parse_scene_text(text);
    CHECK(parse_scene_text(resolved_json(spec)).bodies[0].material.extrapolate_below == 0.7);
}

TEST_CASE(
    "parts: tets with all vertices selected are of their material, the later entry first, all others of the body's") {
    const World world = world_of(R"({"bodies": {
        "mesh": {"generate": "box", "size": [3, 1, 1], "cells": [3, 1, 1]}, "material": {"density": 10},
        "parts": [{"select": {"half_space": {"point": [-0.5, 0, 0], "normal": [1, 0, 0]}}, "material": {"density": 20, "law": "arap", "youngs_modulus": 7e3, "poissons_ratio": 0}},
                  {"select": {"half_space": {"point": [0.5, 0, 0], "normal": [1, 0, 0]}}, "material": {"density": 40, "stiffness_damping": 0.1}}]}})");
    REQUIRE(world.elastic.size() == 2);
    const auto cell_of = [&](const ElasticGroup& group, std::size_t e) {
        double x = 0.0;
        for (const Index vertex : group.elements.vertices[e]) x += world.initial_positions[3 * vertex] / 4.0;
        return static_cast<int>(std::floor(x + 1.5));
    };
    std::set<Index> seen;
    for (const ElasticGroup& group : world.elastic) {
        for (std::size_t e = 0; e < group.elements.size(); ++e) {
            const int cell = cell_of(group, e);
            CHECK(group.density[e] == (cell == 0 ? 10 : cell == 1 ? 20 : 40));
            CHECK(group.elements.law == (cell == 1 ? MaterialLaw::arap : MaterialLaw::neo_hookean));
            CHECK(group.elements.mu[e] == relative(cell == 1 ? 3500 : 1e5 / 2.8, 1e-13));
            CHECK(group.damping[e].beta == (cell == 2 ? 0.1 : 0.0));
            CHECK(group.elements.vertices[e] ==
                  world.bodies[0].mesh.tets[static_cast<std::size_t>(group.body_element[e])]);
            seen.insert(group.body_element[e]);
        }
    }
    CHECK(seen.size() == world.bodies[0].mesh.tets.size());
    CHECK(world.mass.sum() == relative(70, 1e-13));
}
