// Closest points of two primitives: plain doubles, for distances that are reported and directions that are tried.
#pragma once

#include "stiction/base/types.hpp"

namespace stiction::audit {

/// The first feature's vertices come first in `vertices` of everything below.
enum class PairKind : std::uint8_t { point_triangle, edge_edge, point_edge, point_point };

inline std::size_t first_size(PairKind kind) {
    return kind == PairKind::edge_edge ? 2 : 1;
}
inline std::size_t pair_size(PairKind kind) {
    return kind == PairKind::point_point ? 2 : (kind == PairKind::point_edge ? 3 : 4);
}

struct ClosestPoints {
    Vec3 difference =
        Vec3::Zero();  ///< from the second feature's closest point to the first's; its norm is the distance
    // Which features are closest, by positions in the pair; none of both: a point and the inside of a triangle, or the
    // insides of two edges.
    std::array<int, 2> points{-1, -1};  ///< a vertex and the edge below, or two vertices
    std::array<int, 2> edge{-1, -1};    ///< the edge that the difference is at right angles to
};

/// @param x  positions of the pair's vertices
ClosestPoints closest_points(PairKind kind, const std::array<Vec3, 4>& x);

}  // namespace stiction::audit
