// Groups of strongly coupled nodes, from which the next coarser level of a multigrid hierarchy is made.
#pragma once

#include "stiction/base/types.hpp"

#include <cstddef>
#include <vector>

namespace stiction {

/// Couplings of a graph of nodes, row by row; symmetric, without the diagonal.
struct StrengthGraph {
    std::vector<std::size_t> begin = {0};  ///< nodes + 1 entries
    std::vector<Index> column;
    std::vector<double> strength;  ///< > 0

    std::size_t nodes() const { return begin.size() - 1; }
};

/// A partition of nodes.
struct Aggregates {
    std::vector<Index> of_node;  ///< number of the aggregate of each node; -1 for a node without couplings
    Index count = 0;
};

/// Greedy aggregation (Vanek, Mandel, Brezina, Computing 56, 1996, algorithm 5.1): whole neighbourhoods first, then
/// nodes that are left join the neighbour they couple to most strongly, then what remains. Nodes are visited by number.
Aggregates aggregate(const StrengthGraph& graph);

}  // namespace stiction
