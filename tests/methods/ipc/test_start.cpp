// Where a step of ipc begins.
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/ipc/method.hpp"
#include "stiction/world/world_builder.hpp"

#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

using namespace stiction;
using namespace stiction::test;

namespace {

struct MoveList : MoveSink {
    std::vector<std::pair<VecX, VecX>> made;
    void accepted_move(const VecX& x0, const VecX& x1) override { made.emplace_back(x0, x1); }
};

/// A block of 0.2 m at rest on a floor that moves up under it.
struct Lift {
    World world;
    State state;
    StepInput input;
    VecX prediction;

    /// @param height  by which the floor moves in the step (m)
    Lift(double youngs_modulus, double height) {
        WorldBuilder builder;
        Mesh block = generate_box({0.2, 0.2, 0.2}, {6, 6, 6});
        for (Vec3& vertex : block.vertices) vertex.z() += 0.1 + 3e-4;
        Mesh floor = generate_box({1, 1, 0.2}, {1, 1, 1});
        for (Vec3& vertex : floor.vertices) vertex.z() -= 0.1;
        builder.add_deformable("block", block, {.youngs_modulus = youngs_modulus});
        builder.add_obstacle("floor", floor);
        std::tie(world, state) = builder.build();
        input = schedule(world, state, 0.01);
        prediction = VecX::Zero(state.x.size());
        for (Index v = 0; v < world.vertex_count(); ++v) {
            if (!world.is_obstacle(v)) continue;
            input.driven_axes[at(v)] = 7;
            input.target.segment<3>(3 * v) = state.x.segment<3>(3 * v) + Vec3(0, 0, height);
            prediction[3 * v + 2] = height;
        }
    }

    /// The first moves of the step.
    std::vector<std::pair<VecX, VecX>> moves() {
        MoveList list;
        input.moves = &list;
        ipc::Options options;
        options.dhat = 1e-3;
        ipc::Ipc ipc(options);
        StepResult result;
        ipc.step(world, state, input, result);
        REQUIRE(is_accepted(result.report.status));
        for (Index v = 0; v < world.vertex_count(); ++v) {
            if (world.is_obstacle(v)) CHECK((result.state.x - input.target).segment<3>(3 * v).norm() == 0.0);
        }
        return list.made;
    }
};

}  // namespace

TEST_CASE("ipc: a step begins at the cleared prediction where the potential is lower there") {
    // The bottom of the block gives way, which costs little; pulling the floor up under the block would cost more.
    Lift lift(1e4, 5e-3);
    const auto moves = lift.moves();
    const auto& [from, to] = moves.front();
    CHECK((from.array() == lift.state.x.array()).all());
    double lifted = 0.0;
    for (Index v = 0; v < lift.world.vertex_count(); ++v) {
        const Vec3 move = (to - from).segment<3>(3 * v);
        if (lift.world.is_obstacle(v)) {
            CHECK((to - lift.input.target).segment<3>(3 * v).norm() == 0.0);
        } else {
            lifted = std::max(lifted, move.z());
        }
    }
    // From a gap of 0.3 mm to half of it.
    CHECK(lifted == within(5e-3 - 1.5e-4, 1e-5));
}

TEST_CASE("ipc: a step begins at the part of the prediction that is free where the potential is lower there") {
    Lift lift(1e11, 1e-3);
    const auto moves = lift.moves();
    const VecX move = moves.front().second - moves.front().first;
    // Until 0.3 of the gap of 0.3 mm is left.
    const double fraction = 0.7 * 3e-4 / 1e-3;
    CHECK((move - fraction * lift.prediction).lpNorm<Eigen::Infinity>() < 1e-6 * 1e-3);
}
