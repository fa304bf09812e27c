// Embedded vertices: they have no unknowns of their own and hang on other vertices with fixed weights.
#pragma once

#include "stiction/base/types.hpp"

#include <array>

namespace stiction {

/// A vertex that an affine body carries along: its move is the weighted sum of the moves of four other vertices of the
/// body.
struct EmbeddedVertex {
    Index vertex = -1;
    Tet frame{};                      ///< global ids of vertices that are unknowns
    std::array<double, 4> weights{};  ///< barycentric coordinates in the frame at t = 0; sum 1, of any sign
};

}  // namespace stiction
