// Pairs whose gap prescribed motions alone decide: they rest as near as they like, and where they meet the step ends
// with its cause.
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/mlcp/method.hpp"

#include "support/block_on_slope.hpp"
#include "support/compare.hpp"
#include "support/run.hpp"
#include <doctest/doctest.h>

#include <algorithm>

using namespace stiction;
using namespace stiction::mlcp;
using namespace stiction::test;

namespace {

constexpr double h = 1e-3, gap = 1e-6;

/// A block a micrometre above the ground, beside one a thousand times as heavy that falls. Vertices of the first block
/// with y at most `top` (m) are driven along `axes` with `velocity` (m/s).
Scene driven_block(std::uint8_t axes, double top, const Vec3& velocity = Vec3::Zero(), double height = gap) {
    WorldBuilder builder;
    const Mesh block = translated(generate_box({0.2, 0.1, 0.2}, {2, 1, 2}), {0, 0.05 + height, 0});
    builder.add_deformable("block", block, {MaterialLaw::fixed_corotated, 1e6, 0.3, 1000});
    builder.add_deformable("heavy", translated(generate_box({1, 1, 1}, {1, 1, 1}), {0, 10, 3}),
                           {MaterialLaw::fixed_corotated, 1e7, 0.3, 4000});
    builder.add_half_space("ground", Vec3::Zero(), Vec3::UnitY());
    builder.set_gravity({0, -9.81, 0});
    auto path = std::make_shared<RigidTrajectory>();
    path->velocity = velocity;
    Motion motion;
    motion.name = "driven";
    motion.axes = axes;
    motion.trajectory = path;
    for (std::size_t v = 0; v < block.vertices.size(); ++v) {
        if (block.vertices[v].y() <= top) motion.vertices.push_back(static_cast<Index>(v));
    }
    builder.add_motion(motion);
    auto [world, state] = builder.build();
    return {std::move(world), std::move(state)};
}

}  // namespace

TEST_CASE("mlcp: what is fixed rests a micrometre above the ground, and no step takes it for an unsolved contact") {
    struct Case {
        const char* name;
        std::uint8_t axes;
        double top;
    };
    // The last one is free to slide: its contacts could have tangents, but no normal force would do anything.
    for (const Case& c :
         {Case{"all vertices", 7, 1.0}, Case{"the lower ones", 7, 0.01}, Case{"their height", 2, 0.01}}) {
        INFO(c.name);
        const Scene scene = driven_block(c.axes, c.top);
        Mlcp method({});
        const State end = run_steps(method, scene.world, scene.state, h, 20, [&](const State&, const StepResult& step) {
            CHECK(step.report.status == Status::converged);
            CHECK(step.report.iterations <= 30);
            CHECK(step.report.contacts == 0);
        });
        for (Index v = 0; v < 18; ++v) {
            if (scene.state.x[3 * v + 1] < 0.01) CHECK(end.x[3 * v + 1] == relative(gap, 1e-9));
        }
    }
}

TEST_CASE("mlcp: what is driven goes to within a micrometre of the ground, and further down it names the pair") {
    const Scene down = driven_block(7, 1.0, {0, -1, 0}, 0.005 + gap);
    Mlcp method({});
    const State near = run_steps(method, down.world, down.state, h, 5);
    CHECK(near.x[1] == relative(gap, 1e-6));
    StepResult result;
    method.step(down.world, near, schedule(down.world, near, h), result);
    CHECK(result.report.status == Status::targets_not_reached);
    CHECK(result.report.cause.find("prescribed motions lead into each other") != std::string::npos);
    CHECK(result.report.cause.find("block vertex") != std::string::npos);
    CHECK(result.report.cause.find("ground") != std::string::npos);
}

TEST_CASE("mlcp: a block of which half is fixed lies a tenth of a micrometre above a box, and the free half rests") {
    // Pairs of both halves: rounding lets some follow the free half by 1e-16 of its motion, others by half of it.
    constexpr double near = 1e-7;
    WorldBuilder builder;
    const Mesh block = translated(generate_box({0.4, 0.1, 0.4}, {8, 2, 8}), {0, 0.05 + near, 0});
    builder.add_deformable("block", block, {MaterialLaw::fixed_corotated, 1e6, 0.3, 1000});
    builder.add_obstacle("box", translated(generate_box({0.6, 0.1, 0.6}, {6, 1, 6}), {0, -0.05, 0}));
    builder.set_gravity({0, -9.81, 0});
    Motion held;
    held.trajectory = std::make_shared<HoldTrajectory>();
    for (std::size_t v = 0; v < block.vertices.size(); ++v) {
        if (block.vertices[v].x() < 1e-9) held.vertices.push_back(static_cast<Index>(v));
    }
    builder.add_motion(held);
    const auto [world, state] = builder.build();
    Mlcp method({});
    const double eps_2 = resolve_limits({}, world.diagonal).for_step(0.005, 9.81).distance;
    const State end = run_steps(method, world, state, 0.005, 20,
                                [](const State&, const StepResult& step) { CHECK(step.report.iterations <= 2000); });
    double lowest = 1.0, furthest = 0.0;
    for (std::size_t v = 0; v < block.vertices.size(); ++v) {
        const auto at = static_cast<Eigen::Index>(3 * v);
        lowest = std::min(lowest, end.x[at + 1]);
        furthest = std::max(furthest, (end.x.segment<3>(at) - state.x.segment<3>(at)).norm());
    }
    CHECK(lowest > 0.0);
    // Its weight compresses it by rho g H^2 / (2 E) = 4.9e-5 m, by twice that at most while it vibrates. Its lower side
    // opens by half of eps_2 at most.
    CHECK(furthest < 1000 * 9.81 * 0.1 * 0.1 / 1e6 + eps_2);
    CHECK(end.v.norm() < 0.1);
}
