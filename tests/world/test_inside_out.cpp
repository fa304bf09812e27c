// Closed surfaces that are meant as solids and face inwards.
#include "stiction/mesh/components.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/mesh/topology.hpp"
#include "stiction/world/world_builder.hpp"

#include "support/compare.hpp"
#include <doctest/doctest.h>

using namespace stiction;
using namespace stiction::test;

namespace {

/// The surface of a box, and the same inside out.
std::pair<Mesh, Mesh> boxes() {
    const Mesh outward = surface_mesh(generate_box({1, 2, 3}, {1, 1, 1}));
    Mesh inward = outward;
    inward.triangles = turned_over(outward.triangles);
    return {outward, inward};
}

}  // namespace

TEST_CASE("rigid body: a surface that faces inwards is turned over") {
    const auto [outward, inward] = boxes();
    WorldBuilder builder;
    builder.add_rigid("out", outward, 700.0);
    builder.add_rigid("in", inward, 700.0);
    const auto [world, state] = builder.build();
    CHECK(world.rigid_bodies[1].mass == world.rigid_bodies[0].mass);
    CHECK(world.bodies[1].mesh.triangles == world.bodies[0].mesh.triangles);
    CHECK(world.bodies[1].surface == world.bodies[0].surface);
}

TEST_CASE("filling: a closed sheet that faces inwards is filled as one that faces outwards") {
    const auto [outward, inward] = boxes();
    ShellMaterial material;
    material.youngs_modulus = 1e6;
    material.poissons_ratio = 0.3;
    material.areal_density = 1.0;
    WorldBuilder builder;
    for (const Mesh& mesh : {outward, inward}) {
        const Index sheet = builder.add_shell("balloon", mesh, material);
        builder.add_filling(sheet, FilledPart::surface, {VolumeLawKind::ideal_gas, 1.0, 1e5, 5000.0});
    }
    const auto [world, state] = builder.build();
    REQUIRE(world.fillings.size() == 2);
    CHECK(world.fillings[1].energy.rest_volume == world.fillings[0].energy.rest_volume);
    CHECK(world.fillings[1].energy.rest_volume == relative(6.0, 1e-14));
    CHECK(world.bodies[1].surface == inward.triangles);  // the sheet itself stays
}
