// A block on a plane that is a slope: gravity is tilted in place of it, so that x runs down.
#pragma once

#include "stiction/mesh/generate.hpp"

#include "support/run.hpp"

#include <array>
#include <cmath>
#include <functional>

namespace stiction::test {

/// m/s^2
constexpr double gravity = 9.81;

struct Scene {
    World world;
    State state;
};

struct SlopedBlock {
    double tangent = 0.0;  ///< of the slope
    double mu = 0.0;
    BodyMaterial material;
    double gap = 0.0;  ///< under the block at the start (m)
    double kinetic_ratio = 1.0;
    Vec3 velocity = Vec3::Zero();
    std::array<int, 3> cells{2, 1, 2};
};

/// 0.2 x 0.1 x 0.2 m, body 0.
/// @param add_more  adds what else there is, after the block and before the slope
inline Scene block_on_slope(const SlopedBlock& block, const std::function<void(WorldBuilder&)>& add_more = {}) {
    WorldBuilder builder;
    builder.add_deformable("block", translated(generate_box({0.2, 0.1, 0.2}, block.cells), {0, 0.05 + block.gap, 0}),
                           block.material, block.velocity);
    if (add_more) add_more(builder);
    builder.add_half_space("slope", {0, 0, 0}, {0, 1, 0});
    const double angle = std::atan(block.tangent);
    builder.set_gravity({gravity * std::sin(angle), -gravity * std::cos(angle), 0});
    builder.set_default_friction(block.mu, block.kinetic_ratio * block.mu);
    auto [world, state] = builder.build();
    return {std::move(world), std::move(state)};
}

}  // namespace stiction::test
