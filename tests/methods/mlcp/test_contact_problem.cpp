#include "stiction/mesh/generate.hpp"
#include "stiction/methods/mlcp/problem/contact_problem.hpp"
#include "stiction/methods/mlcp/velocity_problem.hpp"

#include "linalg/random_system.hpp"
#include "support/block_on_slope.hpp"
#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

using namespace stiction;
using namespace stiction::mlcp;
using namespace stiction::test;

TEST_CASE("the momentum error is the largest of that of all and those of the bodies, and not a number where r is not") {
    VelocityMatrix matrix;
    matrix.rigid.assign(9, Mat3::Identity());
    ContactProblem problem;
    problem.matrix = &matrix;
    problem.momentum_scale = 3.0;
    const std::vector<BodyMomentum> none, some{{0, 2, 0.5}, {4, 3, 2.0}}, all{{0, 2, 0.5}, {2, 4, 2.0}, {6, 3, 40.0}};
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        VecX r(27);
        for (double& entry : r) entry = uniform(random);
        for (const auto& bodies : {none, some, all}) {
            CAPTURE(bodies.size());
            problem.bodies = bodies;
            double expected = r.norm() / 3.0;
            for (const BodyMomentum& body : bodies)
                expected = std::max(expected, r.segment(3 * body.first_node, 3 * body.node_count).norm() / body.scale);
            CHECK(problem.momentum_error(r) == relative(expected, 1e-14));
            for (const Eigen::Index at : {0, 10, 26}) {
                VecX broken = r;
                broken[at] = std::numeric_limits<double>::quiet_NaN();
                CHECK_FALSE(problem.momentum_error(broken) <= 1e300);
            }
        }
    }
}

TEST_CASE("the first guess of velocities continues the last change, and no more than that after a shorter step") {
    Scene scene = block_on_slope({.material = {MaterialLaw::fixed_corotated, 1e6, 0.3, 1000}});
    State& state = scene.state;
    const Vec3 before(1, 2, 3), now(4, -4, 3.5);
    for (Eigen::Index at = 0; at < state.v.size(); at += 3) state.v.segment<3>(at) = now;
    state.previous_v.resize(state.v.size());
    for (Eigen::Index at = 0; at < state.v.size(); at += 3) state.previous_v.segment<3>(at) = before;
    constexpr double h = 1e-3;
    const StepInput input = schedule(scene.world, state, h);
    HessianAssembly assembly(scene.world);
    SinglePrecisionRows rounded;
    const auto guess = [&](double previous_h) {
        state.previous_h = previous_h;
        const VelocityProblem velocities(scene.world, state, input, assembly, rounded);
        return Vec3(velocities.predicted_velocity().head<3>());
    };
    CHECK(guess(0.0) == now);
    CHECK((guess(h) - (now + (now - before))).norm() == within(0.0, 1e-14));
    CHECK((guess(4 * h) - (now + 0.25 * (now - before))).norm() == within(0.0, 1e-14));
    CHECK((guess(h / 64) - (now + (now - before))).norm() == within(0.0, 1e-14));
}

TEST_CASE("the error of a body is bounded by ten times its share of all, and by its change where that is less") {
    // In free fall b - A v of the start is the impulse of the weights, in `fast` b is a thousand times that.
    constexpr double h = 1e-3, gravity = 9.81;
    for (const bool fast : {false, true}) {
        CAPTURE(fast);
        const Vec3 flight(fast ? 1e3 * gravity * h : 0.0, 0, 0);
        WorldBuilder builder;
        const Mesh cube = generate_box({0.1, 0.1, 0.1}, {2, 2, 2});
        builder.add_deformable("light", translated(cube, {0, 1, 0}), {MaterialLaw::fixed_corotated, 1e6, 0.3, 1});
        builder.add_rigid("rigid", translated(cube, {1, 1, 0}), 30);
        builder.add_deformable("heavy", translated(cube, {2, 1, 0}), {MaterialLaw::fixed_corotated, 1e6, 0.3, 1000},
                               flight);
        builder.add_deformable("held", translated(cube, {3, 1, 0}), {MaterialLaw::fixed_corotated, 1e6, 0.3, 1000});
        Motion hold{"hold", {}, 0.0, 1e300, 7, false, std::make_shared<HoldTrajectory>()};
        const auto nodes = static_cast<Index>(cube.vertices.size());
        for (Index v = 3 * nodes; v < 4 * nodes; ++v) hold.vertices.push_back(v);
        builder.add_motion(hold);
        builder.set_gravity({0, -gravity, 0});
        auto [world, state] = builder.build();
        const StepInput input = schedule(world, state, h);
        HessianAssembly assembly(world);
        SinglePrecisionRows rounded;
        VelocityProblem velocities(world, state, input, assembly, rounded);
        velocities.linearise(state.x);
        const double scale = velocities.momentum_scale(0.0);
        const std::vector<BodyMomentum> found = velocities.body_momenta(scale, 0.0);
        REQUIRE(found.size() == 3);  // no node of the fourth body is free
        const double light = world.mass.segment(0, nodes).norm(), heavy = 1e3 * light, rigid = 30.0 * 1e-3;
        const double all = std::sqrt(light * light + rigid * rigid + heavy * heavy);
        const double weight = gravity * h;
        CHECK(scale == relative(weight * (fast ? 100.0 * all : all), 1e-9));
        for (const auto& [k, mass] : {std::pair<std::size_t, double>{0, light}, {1, rigid}, {2, heavy}}) {
            CAPTURE(k);
            CHECK(found[k].body == k);
            CHECK(found[k].change_bound == relative(100.0 * weight * mass, 1e-9));
            CHECK(found[k].scale == relative((fast ? 100.0 : 10.0) * weight * mass, 1e-9));
        }
    }
}
