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
