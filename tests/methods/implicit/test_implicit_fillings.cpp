// The method `implicit` with a filled region: its rank-one term beside the LU factor.
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/implicit/method.hpp"

#include "support/run.hpp"

using namespace stiction;
using namespace stiction::test;

TEST_CASE("implicit: a balloon is dropped on a slope, rubs, and keeps its gas") {
    WorldBuilder builder;
    ShellMaterial material;
    material.youngs_modulus = 1e6;
    material.poissons_ratio = 0.3;
    material.areal_density = 1.0;
    material.mass_damping = 1.0;
    const Index balloon =
        builder.add_shell("balloon", translated(generate_icosphere(0.1, 2), {0, 0.1012, 0}), material);
    builder.add_filling(balloon, FilledPart::surface,
                        {VolumeLawKind::nearly_incompressible, 1e-8, standard_atmosphere, 0.0},
                        {{0.0, 0.0}, {0.1, 300.0}});
    builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({2.0, -9.81, 0});
    builder.set_default_friction(0.4);
    auto [world, state] = builder.build();
    implicit::Implicit implicit(implicit::Options{});
    int rubbing = 0;
    state = run_steps(implicit, world, state, 0.01, 20, [&](const State&, const StepResult& result) {
        CHECK(result.report.status == Status::converged);
        rubbing += result.friction_force.norm() > 1e-4;
    });
    CHECK(rubbing > 10);
    const FilledRegion& filling = world.fillings[0];
    const double volume = filling.energy.zone.volume(state.x),
                 pressure = filling.law(300.0).pressure(volume, filling.energy.rest_volume);
    MESSAGE("volume changed by ", volume / filling.energy.rest_volume - 1.0, ", pressure ", pressure, " Pa");
    CHECK(std::abs(volume / filling.energy.rest_volume - 1.0) < 1e-4);
    CHECK(pressure > 0.0);
}
