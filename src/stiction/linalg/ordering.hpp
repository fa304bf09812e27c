// Fill-reducing elimination orders.
#pragma once

#include "stiction/linalg/block_pattern.hpp"

namespace stiction {

/// Nested dissection (METIS) of the graph of nodes, one connected component after the other. A function of the pattern
/// alone: the same on every call and for every number of threads.
/// @return order[k] = the node eliminated at position k, a permutation of [0, nodes)
std::vector<Index> nested_dissection(const BlockPattern& pattern);

}  // namespace stiction
