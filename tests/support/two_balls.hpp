// Two balls of the same size side by side.
#pragma once

#include "stiction/mesh/generate.hpp"
#include "stiction/world/world_builder.hpp"

#include <utility>

namespace stiction::test {

/// Deformable balls of radius 0.5 m about the origin and about (1 + gap, 0, 0). Their meshes have flat faces, so that
/// the surfaces are further apart than `gap` (m).
inline std::pair<World, State> two_balls(double gap) {
    WorldBuilder builder;
    Mesh right = generate_ball(0.5, 2);
    for (Vec3& vertex : right.vertices) vertex.x() += 1.0 + gap;
    builder.add_deformable("left", generate_ball(0.5, 2), {});
    builder.add_deformable("right", right, {});
    return builder.build();
}

}  // namespace stiction::test
