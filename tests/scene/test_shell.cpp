// Bodies with the key `shell`: what the keys become.
#include "stiction/materials/membrane_moduli.hpp"
#include "stiction/scene/scales.hpp"

#include "scene/scene_testing.hpp"
#include "support/compare.hpp"

#include <algorithm>
#include <cmath>
#include <set>

using namespace stiction;
using namespace stiction::test;
using namespace scene_testing;

namespace {

SceneSpec parse(const std::string& shell, const std::string& more = "", const std::string& edge_length = "0.5") {
    return parse_scene_text(
        R"({"bodies": {"mesh": {"generate": "cloth", "size": [2, 1], "edge_length": )" + edge_length +
            R"(}, "material": {"youngs_modulus": 1000, "poissons_ratio": 0.25, "density": 300, "mass_damping": 2}, "shell": )" +
            shell + "}" + more + "}",
        "s.json", {});
}

double total(const VecX& values) {
    return values.size() == 0 ? 0.0 : values.sum();
}

}  // namespace

TEST_CASE("shell: keys become membranes, hinges, masses and damping") {
    const World world =
        compile_world(parse(R"({"thickness": 0.01, "rest_angles": "flat", "strain_limit": {"limit": 1.2}})")).first;
    REQUIRE(world.sheets.size() == 2);
    CHECK(world.elastic.empty());
    CHECK(world.bodies[0].is_shell());
    CHECK(world.bodies[0].thickness == 0.01);
    CHECK(total(world.mass) == relative(300 * 0.01 * 2, 1e-13));
    CHECK(total(world.sheet_damping) == relative(2 * 300 * 0.01 * 2, 1e-13));
    const auto& triangles = std::get<TriangleElements>(world.sheets[0].elements);
    REQUIRE(triangles.size() == 16);
    CHECK(triangles.law == MembraneLaw::neo_hookean);
    CHECK(triangles.thickness[3] == 0.01);
    CHECK(triangles.mu[3] == relative(1000 / 2.5, 1e-13));
    CHECK(triangles.strain_limit[3].start == relative(1.1, 1e-13));
    CHECK(triangles.strain_limit[3].limit == 1.2);
    CHECK(triangles.strain_limit[3].stiffness == 1000);
    const auto& hinges = std::get<HingeBending>(world.sheets[1].elements);
    CHECK(hinges.size() == (3 * 16 - 12) / 2);  // sides of triangles but for the 12 at the border, two an edge
    CHECK(world.surface.triangles.size() == 16);
}

TEST_CASE("shell: a bare number is the thickness; stiffness of the homogeneous sheet or the given one") {
    const SceneSpec bare = parse("0.01");
    CHECK(bare.bodies[0].shell->thickness == 0.01);
    // A square cell's diagonal of length e between areas A: w = k e^2 / (2 A).
    const auto diagonal_stiffness = [](const SceneSpec& spec) {
        const World world = compile_world(spec).first;
        const auto& hinges = std::get<HingeBending>(world.sheets[1].elements);
        return *std::max_element(hinges.stiffness.begin(), hinges.stiffness.end());
    };
    CHECK(diagonal_stiffness(bare) == relative(2 * flexural_rigidity(1000, 0.25, 0.01), 1e-13));
    CHECK(diagonal_stiffness(parse(R"({"thickness": 0.01, "bending_stiffness": 0.7})")) == relative(1.4, 1e-13));
    const World isometric = compile_world(parse(R"({"thickness": 0.01, "bending": "isometric"})")).first;
    CHECK(std::holds_alternative<IsometricBending>(isometric.sheets[1].elements));
    const World laplacian = compile_world(parse(R"({"thickness": 0.01, "bending": "laplacian"})")).first;
    const auto& pairs = std::get<IsometricBending>(laplacian.sheets[1].elements);
    CHECK(pairs.size() > 0);
    CHECK(pairs.vertices[0][2] == -1);
    const World none = compile_world(parse(R"({"thickness": 0.01, "bending": "none", "areal_density": 5})")).first;
    CHECK(none.sheets.size() == 1);
    CHECK(total(none.mass) == relative(10, 1e-13));
}

TEST_CASE("shell: resolved scenes come back equal") {
    for (
        const char* shell :
        {"0.01",
         R"({"thickness": 0.02, "bending": "isometric", "bending_stiffness": 1e-3, "areal_density": 0.3, "strain_limit": {"limit": 1.3, "start": 1.1, "stiffness": 5}})"}) {
        const SceneSpec spec = parse(shell);
        CHECK(parse_scene_text(resolved_json(spec), "s.json", {}) == spec);
    }
}

TEST_CASE(
    "shell: parts are of their own material, the later entry first; an edge between two bends as the softer does") {
    // three cells of 1 m along x: the body's, the first part's, the second part's where it takes a cell from the first
    const std::string text = R"({"bodies": {"mesh": {"generate": "cloth", "size": [3, 1], "edge_length": 1},
        "material": {"youngs_modulus": 1000, "poissons_ratio": 0.25, "density": 300, "mass_damping": 2}, "shell": {"thickness": 0.01, "bending_stiffness": 5},
        "parts": [{"select": {"half_space": {"point": [-0.5, 0, 0], "normal": [1, 0, 0]}}, "material": {"youngs_modulus": 2000, "law": "arap", "mass_damping": 7},
                   "shell": {"thickness": 0.02, "areal_density": 8, "bending_stiffness": 3}},
                  {"select": {"half_space": {"point": [0.5, 0, 0], "normal": [1, 0, 0]}}, "material": {"youngs_modulus": 3000, "poissons_ratio": 0, "density": 100}}]}})";
    const SceneSpec spec = parse_scene_text(text, "s.json", {});
    CHECK(parse_scene_text(resolved_json(spec), "s.json", {}) == spec);
    const World world = compile_world(spec).first;
    std::set<Index> seen;
    std::size_t hinges = 0;
    const auto cell_of = [&](const auto& vertices) {
        double x = 0.0;
        for (const Index v : vertices) x += world.initial_positions[3 * v] / static_cast<double>(vertices.size());
        return x + 1.5;
    };
    for (const SheetGroup& group : world.sheets) {
        if (const auto* triangles = std::get_if<TriangleElements>(&group.elements)) {
            for (std::size_t e = 0; e < triangles->size(); ++e) {
                const auto cell = static_cast<int>(cell_of(triangles->vertices[e]));
                CHECK(triangles->law == (cell == 1 ? MembraneLaw::arap : MembraneLaw::neo_hookean));
                CHECK(triangles->thickness[e] == (cell == 1 ? 0.02 : 0.01));
                CHECK(triangles->mu[e] == relative(cell == 0 ? 400 : cell == 1 ? 1000 / 1.4 : 1500, 1e-13));
                CHECK(triangles->vertices[e] ==
                      world.bodies[0].mesh.triangles[static_cast<std::size_t>(group.body_element[e])]);
                seen.insert(group.body_element[e]);
            }
        } else {
            const auto& bending = std::get<HingeBending>(group.elements);
            hinges += bending.size();
            for (std::size_t e = 0; e < bending.size(); ++e) {
                const Tet& h = bending.vertices[e];
                const auto position = [&](Index v) { return Vec3(world.initial_positions.segment<3>(3 * v)); };
                const double edge = (position(h[1]) - position(h[0])).norm(),
                             stiffness = bending.stiffness[e] / (edge * edge);  // areas add up to 1
                // diagonals lie in a cell, the edges between cells at x = -0.5 and 0.5
                const double x = 0.5 * (position(h[0]) + position(h[1])).x();
                CHECK(stiffness == relative(std::abs(x) > 0.6 ? 5 : 3, 1e-13));
            }
        }
    }
    CHECK(seen.size() == 6);
    CHECK(hinges == 5);
    CHECK(total(world.mass) == relative(3 + 8 + 1, 1e-13));
    CHECK(total(world.sheet_damping) == relative(2 * 3 + 7 * 8, 1e-13));
}

TEST_CASE("shell: parts of a generated tire by surface id, and its inside can be filled") {
    const SceneSpec spec = parse_scene_text(
        R"({"bodies": {"mesh": {"generate": "tire", "radius": 0.45, "rim_radius": 0.2, "width": 0.4, "around": 24, "across": 16}, "shell": {"thickness": 0.01, "areal_density": 200},
        "parts": [{"select": {"surface_id": 2}, "material": {}, "shell": {"thickness": 0.01, "areal_density": 50}}], "boundary": {"select": {"surface_id": 3}, "fix": true}, "volume": {}}})",
        "s.json", {});
    const World world = compile_world(spec).first;
    const double pi = 3.14159265358979, band = 2 * pi * 0.4, walls = 2 * pi * (0.45 * 0.45 - 0.2 * 0.2);
    CHECK(total(world.mass) == relative(200 * band * (0.45 + 0.2) + 50 * walls, 0.02));
    REQUIRE(world.fillings.size() == 1);
    CHECK(world.fillings[0].energy.rest_volume == relative(0.4 * walls / 2, 0.05));
    REQUIRE(world.motions.size() == 1);
    for (const Index v : world.motions[0].vertices)
        CHECK(std::hypot(world.initial_positions[3 * v], world.initial_positions[3 * v + 2]) == relative(0.2, 1e-13));
}

TEST_CASE("shell: a barrier that reaches beyond the edges is warned of") {
    const auto warnings = [](const SceneSpec& spec) { return scale_warnings(spec, compile_world(spec).first); };
    CHECK(warnings(parse("0.01", R"(, "ipc": {"dhat": 0.1})")).empty());
    const auto found = warnings(parse("0.01", R"(, "ipc": {"dhat": 0.6})"));
    REQUIRE(found.size() == 1);
    CHECK(found[0].find("shortest edge of shell 'body0'") != std::string::npos);
    SceneSpec thick = parse("0.01", R"(, "ipc": {"dhat": 0.1})");
    thick.bodies[0].contact_thickness = 0.45;
    REQUIRE(warnings(thick).size() == 1);
    CHECK(warnings(thick)[0].find("contact thickness of 0.45 m") != std::string::npos);
    thick.contact.self_contact = false;
    CHECK(warnings(thick).empty());
}

TEST_CASE("volume: keys become filled regions, and come back equal when resolved") {
    const auto scene = [](const std::string& body) {
        return parse_scene_text(R"({"bodies": {)" + body + "}}", "s.json", {});
    };
    const SceneSpec balloon = scene(
        R"("mesh": {"generate": "icosphere"}, "shell": 0.001, "volume": {"law": "quadratic", "compressibility_per_atm": 2, "inflation": [[0, 1], [2, 5]]})");
    CHECK(parse_scene_text(resolved_json(balloon), "s.json", {}) == balloon);
    const World world = compile_world(balloon).first;
    REQUIRE(world.fillings.size() == 1);
    const FilledRegion& filling = world.fillings[0];
    CHECK(filling.energy.law.kind == VolumeLawKind::quadratic);
    CHECK(filling.energy.law.compressibility == relative(2 / 101325.0, 1e-13));
    CHECK(filling.overpressure(-1) == 1);
    CHECK(filling.overpressure(1) == 3);
    CHECK(filling.overpressure(9) == 5);
    CHECK(filling.exact_matrix);
    CHECK(filling.energy.rest_volume == relative(4.0 / 3.0 * 3.14159 * 0.125, 0.02));
    const World solid =
        compile_world(
            scene(
                R"("mesh": {"generate": "box", "cells": [1, 1, 1]}, "volume": {"region": "tets", "pressure_at_rest_volume": 7, "exact_matrix": false})"))
            .first;
    REQUIRE(solid.fillings.size() == 1);
    CHECK(solid.fillings[0].energy.rest_volume == relative(1.0, 1e-13));
    CHECK(solid.fillings[0].overpressure(3) == 7);
    CHECK_FALSE(solid.fillings[0].exact_matrix);
}
