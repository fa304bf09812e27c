// Contact in steps of `local_global`: slopes, stacks, rest, penetration, sheets, certified steps.
#include "stiction/audit/audit.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/local_global/contact_pairs.hpp"
#include "stiction/methods/local_global/method.hpp"
#include "support/run.hpp"

#include <Eigen/Geometry>

using namespace stiction;
using namespace stiction::test;

namespace {

constexpr double gravity = 9.81;

struct Scene {
    World world;
    State state;
};

/// A block on a plane; gravity is tilted instead of the plane, so that x runs down the slope. It starts at the distance that surfaces keep.
Scene block_on_slope(double tangent, double mu, double youngs_modulus, double gap) {
    WorldBuilder builder;
    builder.add_deformable("block", translated(generate_box({0.2, 0.1, 0.2}, {2, 1, 2}), {0, 0.05 + gap, 0}), {MaterialLaw::arap, youngs_modulus, 0.3, 1000});
    builder.add_half_space("slope", {0, 0, 0}, {0, 1, 0});
    const double angle = std::atan(tangent);
    builder.set_gravity({gravity * std::sin(angle), -gravity * std::cos(angle), 0});
    builder.set_default_friction(mu);
    auto [world, state] = builder.build();
    return {std::move(world), std::move(state)};
}

LocalGlobalOptions slope_options() {
    LocalGlobalOptions options;
    options.iterations = 10;
    options.contact.linear_iterations = 24;
    options.thickness = 1e-4;
    return options;
}

}  // namespace

TEST_CASE("local_global: a stiff block on a slope sticks just above mu = tan(theta) and slides just below") {
    const double tangent = 0.17632698, h = 0.01, angle = std::atan(tangent);
    {
        Scene scene = block_on_slope(tangent, tangent + 0.001, 1e8, 1e-4);
        LocalGlobal method(slope_options());
        const State settled = run_steps(method, scene.world, scene.state, h, 50);
        const State end = run_steps(method, scene.world, settled, h, 100);
        const double crept = centre_of_mass(scene.world, end, 0).first.x() - centre_of_mass(scene.world, settled, 0).first.x();
        CHECK(std::abs(crept) < 1e-6);
    }
    {
        Scene scene = block_on_slope(tangent, tangent - 0.001, 1e8, 1e-4);
        LocalGlobal method(slope_options());
        const State settled = run_steps(method, scene.world, scene.state, h, 50);
        const State end = run_steps(method, scene.world, settled, h, 100);
        const double gained = centre_of_mass(scene.world, end, 0).second.x() - centre_of_mass(scene.world, settled, 0).second.x();
        CHECK(gained == doctest::Approx(gravity * 0.001 * std::cos(angle) * 100 * h).epsilon(0.05));
    }
}
