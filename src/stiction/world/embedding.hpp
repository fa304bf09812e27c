// Embedded vertices: they have no unknowns of their own and hang on other vertices with fixed weights.
#pragma once

#include "stiction/base/types.hpp"

#include <array>
#include <span>

namespace stiction {

/// A vertex that carries another one, and with what weight.
struct Carrier {
    Index vertex;
    double weight;
};

/// A vertex that others carry along: its move is the weighted sum of the moves of other vertices of the body. Those are
/// the frame of a rigid body, which is an affine one, or the nodes of the tet that a vertex of a collision mesh is in.
struct EmbeddedVertex {
    static constexpr std::size_t most_carriers = 10;

    Index vertex = -1;

    EmbeddedVertex() = default;
    /// @param nodes    global ids of vertices that carry it; unknowns, or of a tet driven
    /// @param weights  values of the nodes' shape functions at t = 0, of a tet at rest; sum 1, of any sign. Nodes of
    ///                 weight 0 are left out
    EmbeddedVertex(Index embedded, std::span<const Index> nodes, std::span<const double> weights) : vertex(embedded) {
        for (std::size_t k = 0; k < nodes.size(); ++k)
            if (weights[k] != 0.0) list_[count_++] = {nodes[k], weights[k]};
    }
    std::span<const Carrier> carriers() const { return {list_.data(), count_}; }
    /// Counts all ids from another first vertex.
    void shift(Index offset, Index own_offset) {
        vertex += own_offset;
        for (std::size_t k = 0; k < count_; ++k) list_[k].vertex += offset;
    }

private:
    std::size_t count_ = 0;
    std::array<Carrier, most_carriers> list_{};
};

/// Sets what a stacked vector of positions, moves or velocities says of these vertices to the weighted sums of what it
/// says of those that carry them.
void carry(std::span<const EmbeddedVertex> embedded, VecX& u);
/// The transpose: adds what a stacked vector of forces has at these vertices, weighted, to those that carry them.
void add_to_carriers(std::span<const EmbeddedVertex> embedded, VecX& forces);

}  // namespace stiction
