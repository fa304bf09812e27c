// Embedded vertices: they have no unknowns of their own and hang on other vertices with fixed weights.
#pragma once

#include "stiction/base/types.hpp"

#include <array>
#include <span>

namespace stiction {

/// A vertex that others carry along: its move is the weighted sum of the moves of four other vertices of the body.
/// Those are the frame of a rigid body, which is an affine one, or the corners of the tet that a vertex of a collision
/// mesh is in.
struct EmbeddedVertex {
    Index vertex = -1;
    Tet frame{};                      ///< global ids of vertices that carry it; unknowns, or of a tet driven
    std::array<double, 4> weights{};  ///< barycentric coordinates at t = 0, of a tet at rest; sum 1, of any sign
};

/// Sets what a stacked vector of positions, moves or velocities says of these vertices to the weighted sums of what it
/// says of those that carry them.
void carry(std::span<const EmbeddedVertex> embedded, VecX& u);
/// The transpose: adds what a stacked vector of forces has at these vertices, weighted, to those that carry them.
void add_to_carriers(std::span<const EmbeddedVertex> embedded, VecX& forces);

}  // namespace stiction
