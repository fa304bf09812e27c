// The method `implicit`: how it gets from lagged friction to that of the end of the step.
#include "stiction/mesh/generate_hollow.hpp"
#include "stiction/methods/implicit/method.hpp"

#include "support/compare.hpp"
#include "support/run.hpp"

using namespace stiction;
using namespace stiction::test;

namespace {

/// A hollow ball that strikes a table askew at 20 m/s, a hundred thousand times the speed below which friction sticks.
std::pair<World, State> fast_ball() {
    WorldBuilder builder;
    builder.add_deformable("ball", translated(generate_hollow_ball(0.03, 0.006, 3, 1), {0, 0.0325, 0}),
                           {MaterialLaw::neo_hookean, 5e6, 0.4, 900}, {3, -20, 1});
    builder.add_half_space("table", {0, 0, 0}, {0, 1, 0});
    builder.set_default_friction(0.5);
    return builder.build();
}

struct Impact {
    int touching = 0, iterations = 0, lagged = 0;
    double largest_lagged_residual = 0.0;
};

Impact strike(const implicit::Options& options) {
    const auto [world, start] = fast_ball();
    implicit::Implicit implicit(options, Integrator::sdirk2);
    Impact impact;
    run_steps(implicit, world, start, 1e-4, 12, [&](const State&, const StepResult& result) {
        if (result.report.contacts == 0) return;
        ++impact.touching;
        impact.iterations += result.report.iterations;
        if (result.report.status != Status::friction_not_converged) return;
        ++impact.lagged;
        impact.largest_lagged_residual = std::max(impact.largest_lagged_residual, result.report.residual);
    });
    return impact;
}

}  // namespace

TEST_CASE("implicit: a fast impact takes few iterations, because lagged friction is not solved for to the last digit") {
    const Impact impact = strike({});
    MESSAGE(impact.iterations, " iterations in ", impact.touching, " steps of two stages");
    CHECK(impact.touching >= 8);
    CHECK(impact.lagged == 0);
    CHECK(impact.iterations <= 32 * impact.touching);
}

TEST_CASE("implicit: a lagged solution that stands is solved for to the tolerance") {
    implicit::Options options;
    options.implicit_tolerance = 1e-15;
    options.max_implicit_iterations = 1;
    options.lagged_restarts = 2;
    options.friction_velocity = 1e-3;
    const Impact impact = strike(options);
    CHECK(impact.lagged >= 8);
    CHECK(impact.largest_lagged_residual <= 0.1 * options.friction_velocity);
}
