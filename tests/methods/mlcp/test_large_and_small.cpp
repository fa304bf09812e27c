// Bodies of very different sizes: a pair is looked for as far as the smaller one asks, however the larger one moves.
#include "stiction/audit/audit.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/mlcp/method.hpp"

#include "support/run.hpp"

using namespace stiction;
using namespace stiction::test;

TEST_CASE("mlcp: a plate that a hammer drives does not pass into a cube a hundredth of its size, a few microns off") {
    for (const double gap : {1e-6, 3e-6, 1e-5}) {
        CAPTURE(gap);
        WorldBuilder builder;
        builder.add_rigid("plate", generate_box({1, 0.1, 1}, {1, 1, 1}), 1000.0);
        builder.add_rigid("hammer", translated(generate_box({0.5, 0.5, 0.5}, {1, 1, 1}), {0, 0.3 + 5e-7, 0}), 1000.0,
                          {0, -0.01, 0});
        builder.add_rigid("small", translated(generate_box({0.01, 0.01, 0.01}, {1, 1, 1}), {0, -0.055 - gap, 0}),
                          1000.0);
        const auto [world, state] = builder.build();
        mlcp::Mlcp method(mlcp::Options{});
        run_steps(method, world, state, 1e-3, 5, [&world = world](const State& at, const StepResult&) {
            CHECK(audit::audit_state(world, at.x).ok());
        });
    }
}
