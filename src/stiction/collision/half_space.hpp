// A plane obstacle as the collision code sees it.
#pragma once

#include "stiction/base/types.hpp"

namespace stiction {

/// The half-space n . (x - o) >= 0 in which everything else must stay. o is a vertex of the world, so that it can be
/// scheduled like any other obstacle vertex; n does not turn.
struct HalfSpace {
    Index body = -1;
    Index origin_vertex = -1;     ///< global vertex id of o
    Vec3 normal = Vec3::UnitY();  ///< unit length, points to the allowed side
};

}  // namespace stiction
