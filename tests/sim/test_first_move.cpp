// How far the first step moves bodies at rest, and what explains it.
#include "stiction/methods/ipc/method.hpp"
#include "stiction/sim/first_move.hpp"
#include "stiction/sim/simulator.hpp"

#include "support/block_on_slope.hpp"
#include "support/compare.hpp"

using namespace stiction;
using namespace stiction::test;

namespace {

constexpr double first_step_size = 0.01;

FirstMove move_in_step(Scene scene, int steps = 1, double dhat = 1e-2) {
    ipc::Options options;
    options.dhat = dhat;
    Simulator simulator(std::move(scene.world), std::move(scene.state), std::make_unique<ipc::Ipc>(options),
                        {.h = first_step_size, .max_halvings = 0});
    for (int step = 0; step < steps; ++step) REQUIRE(simulator.advance());
    return simulator.last_result()->report.first_move;
}

/// Two cubes of 0.1 m without gravity, a gap apart, the second one at a speed along x.
Scene two_cubes(double gap, double speed = 0.0) {
    WorldBuilder builder;
    const BodyMaterial soft{MaterialLaw::neo_hookean, 1e5, 0.3};
    builder.add_deformable("still", generate_box({0.1, 0.1, 0.1}, {1, 1, 1}), soft);
    builder.add_deformable("next", translated(generate_box({0.1, 0.1, 0.1}, {1, 1, 1}), {0.1 + gap, 0, 0}), soft,
                           {speed, 0, 0});
    auto [world, state] = builder.build();
    return {std::move(world), std::move(state)};
}

/// The first move where all vertices of a block at rest are shifted in a static step.
FirstMove static_shift(const Vec3& by) {
    const Scene scene = block_on_slope({.material = {MaterialLaw::neo_hookean, 1e5, 0.3}, .gap = 1e-3});
    State after = scene.state;
    for (Index v = 0; v < scene.world.vertex_count(); ++v) {
        if (!scene.world.is_obstacle(v)) after.x.segment<3>(3 * v) += by;
    }
    return first_move(scene.world, scene.state, schedule(scene.world, scene.state, 1.0), after, true);
}

}  // namespace

TEST_CASE("first move: free fall is explained by g h^2, in the first step alone") {
    const BodyMaterial soft{MaterialLaw::neo_hookean, 1e5, 0.3};
    const double fall = gravity * first_step_size * first_step_size;
    const FirstMove first = move_in_step(block_on_slope({.material = soft, .gap = 0.1}));
    CHECK(first.distance == relative(fall, 1e-6));
    CHECK(first.explained == relative(fall + 1e-5 * 0.3, 1e-6));
    CHECK(first.body == 0);
    CHECK(move_in_step(block_on_slope({.material = soft, .gap = 0.1}), 2).body == -1);
}

TEST_CASE(
    "first move: cubes at rest that start within the contact distance are pushed apart, and nothing explains it") {
    const FirstMove pushed = move_in_step(two_cubes(2e-3));
    CHECK(pushed.distance > 1e-4);
    CHECK(pushed.explained == relative(1e-5 * 0.1 * std::sqrt(3.0), 1e-6));
    CHECK(pushed.share() > 50.0);
    // Further apart than the contact distance nothing moves.
    CHECK(move_in_step(two_cubes(1.1e-2)).distance <= 1e-12);
    // One that moves explains what it does to the other.
    const FirstMove hit = move_in_step(two_cubes(2e-3, -1.0));
    CHECK(hit.body == 0);
    CHECK(hit.explained > 1.0 * first_step_size);
    CHECK(hit.share() < 1.0);
}

TEST_CASE("first move: a static step explains a fall, and no rigid move across it") {
    CHECK(static_shift({0, -1e-3, 0}).share() == within(0.0, 1e-9));
    // Of 1 mm, against 1e-5 of the size of 0.3 m.
    const FirstMove aside = static_shift({1e-3, -1e-3, 0});
    CHECK(aside.distance == relative(1e-3, 1e-9));
    CHECK(aside.share() == relative(1e-3 / (1e-5 * 0.3), 1e-6));
}
