// Pairs of features for tests.
#pragma once

#include "stiction/collision/distance.hpp"

#include "collision/ccd_generator.hpp"

namespace stiction::testing {

inline constexpr std::array<PairKind, 4> all_kinds = {PairKind::point_point, PairKind::point_edge,
                                                      PairKind::point_triangle, PairKind::edge_edge};

inline std::array<Vec3, 4> random_stencil(Random& random) {
    std::array<Vec3, 4> x;
    for (Vec3& p : x) p = random.vector(1.0);
    return x;
}

}  // namespace stiction::testing
