// From element vectors to vertices, in a fixed order.
#pragma once

#include "stiction/base/types.hpp"

#include <cstddef>

namespace stiction {

/// Incidence vertex -> (element, corner), precomputed; sums per-element vectors at vertices in parallel, each vertex in
/// the order of its elements, so the bits do not depend on the number of threads. Elements have N nodes.
template <int N>
class NodeGather {
public:
    using Nodes = std::array<Index, N>;
    using ElementVector = Eigen::Matrix<double, 3 * N, 1>;

    NodeGather() = default;
    /// @param elements      global vertex ids of the elements; -1 = unused
    /// @param vertex_count  number of ALL vertices (the stacked vectors have 3 entries for each)
    NodeGather(const std::vector<Nodes>& elements, Index vertex_count);

    /// out += sum of element vectors (one per element, node by node).
    void add(const std::vector<ElementVector>& element_vectors, VecX& out) const;

private:
    std::size_t element_count_ = 0;
    Index vertex_count_ = 0;
    std::vector<Index> touched_;        // vertices that have elements
    std::vector<std::size_t> first_;    // touched vertex i owns corners_[first_[i]] .. corners_[first_[i + 1]]
    std::vector<std::size_t> corners_;  // N element + corner, ascending within a vertex
};

extern template class NodeGather<4>;
extern template class NodeGather<10>;
using VertexGather = NodeGather<4>;

}  // namespace stiction
