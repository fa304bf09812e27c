// The method `implicit` with sheets: sticking and sliding cloth, no fallback, balance without lag.
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/implicit/method.hpp"

#include "support/compare.hpp"
#include "support/run.hpp"

#include <cmath>

using namespace stiction;
using namespace stiction::test;

namespace {

/// A patch of cloth just above a plane; gravity is tilted instead of the plane, x runs down the slope.
std::pair<World, State> cloth_on_slope(double angle, double friction, BendingModel bending) {
    ShellMaterial material;
    material.youngs_modulus = 1e6;
    material.poissons_ratio = 0.3;
    material.areal_density = 0.3;
    material.bending = bending;
    material.mass_damping = 0.0;
    WorldBuilder builder;
    builder.add_shell("cloth", translated(generate_cloth(0.2, 0.2, 4, 4), {0, 1.5e-4, 0}), material);
    builder.add_half_space("slope", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({9.81 * std::sin(angle), -9.81 * std::cos(angle), 0});
    builder.set_default_friction(friction);
    return builder.build();
}

}  // namespace

TEST_CASE("implicit: a sliding cloth slows down as Coulomb's law says, and one with more friction than slope stays") {
    const double angle = 10.0 * M_PI / 180.0, h = 0.01;
    for (const BendingModel bending : {BendingModel::hinge, BendingModel::isometric}) {
        for (const double mu : {0.1, 0.4}) {
            CAPTURE(mu);
            auto [world, state] = cloth_on_slope(angle, mu, bending);
            implicit::Options options;
            options.friction_velocity = 1e-4;
            implicit::Implicit implicit(options);
            state = run_steps(implicit, world, state, h, 10);
            const Vec3 before = centre_of_mass(world, state, 0).second;
            const int steps = 15;
            state = run_steps(implicit, world, state, h, steps, [&](const State&, const StepResult& result) {
                CHECK(result.report.status == Status::converged);
                Vec3 normal = Vec3::Zero(), friction = Vec3::Zero();
                for (Index v = 0; v < world.bodies[0].vertex_count(); ++v) {
                    normal += result.contact_force.segment<3>(3 * v);
                    friction += result.friction_force.segment<3>(3 * v);
                }
                CHECK(friction.norm() <= mu * normal.norm() * (1 + 1e-9));
            });
            const Vec3 after = centre_of_mass(world, state, 0).second;
            const double acceleration = 9.81 * (std::sin(angle) - mu * std::cos(angle));
            if (mu < std::tan(angle))
                CHECK((after.x() - before.x()) / (steps * h) == relative(acceleration, 1e-5));
            else
                CHECK(std::abs(after.x()) < 1e-4);
        }
    }
}

TEST_CASE("implicit: cloth falls on a ball and rubs, without falling back to lagged friction") {
    WorldBuilder builder;
    ShellMaterial material;
    material.youngs_modulus = 1e4;
    material.poissons_ratio = 0.3;
    material.areal_density = 0.2;
    material.bending_stiffness = 1e-5;
    material.mass_damping = 0.5;
    builder.add_shell("cloth", translated(generate_cloth(0.5, 0.5, 8, 8), {0.02, 0.205, 0.01}), material);
    builder.add_obstacle("ball", generate_icosphere(0.2, 2));
    builder.set_gravity({0, -9.81, 0});
    builder.set_default_friction(0.3);
    auto [world, state] = builder.build();
    implicit::Implicit implicit(implicit::Options{});
    int rubbing = 0, fallbacks = 0;
    state = run_steps(implicit, world, state, 0.01, 20, [&](const State&, const StepResult& result) {
        rubbing += result.friction_force.norm() > 1e-6;
        fallbacks += result.report.status != Status::converged;
    });
    MESSAGE(rubbing, " steps rub, ", fallbacks, " fall back");
    CHECK(rubbing > 15);
    CHECK(fallbacks == 0);
}
