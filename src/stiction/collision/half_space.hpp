// A half-space obstacle.
#pragma once

#include "stiction/base/types.hpp"

namespace stiction {

/// All other bodies stay in n . (x - o) >= 0. o is a vertex of the world, so it moves like any other obstacle vertex. n
/// is constant.
struct HalfSpace {
    Index body = -1;
    Index origin_vertex = -1;     ///< global vertex id of o
    Vec3 normal = Vec3::UnitY();  ///< unit length, points to the allowed side
};

}  // namespace stiction
