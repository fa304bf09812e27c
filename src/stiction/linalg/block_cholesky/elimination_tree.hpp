// Elimination tree of a matrix of 3x3 blocks, and how many blocks each column of its factor has.
#pragma once

#include "stiction/linalg/block_pattern.hpp"

#include <vector>

namespace stiction::block_cholesky {

/// A fill-reducing order made a postorder of its elimination tree, which changes neither fill nor arithmetic.
struct EliminationTree {
    std::vector<Index> order;     ///< order[k] = node eliminated at position k
    std::vector<Index> position;  ///< its inverse
    std::vector<Index> parent;    ///< of a position: that of the first block below the diagonal; -1 at a root
    std::vector<Index> count;     ///< blocks of the column of L, the diagonal one counted
};

/// Tree: Liu, "The role of elimination trees in sparse factorization" (1990). Counts: Gilbert, Ng, Peyton, "An
/// efficient algorithm to compute row and column counts for sparse Cholesky factorization" (1994). Among siblings the
/// one with the longest column comes last, next to its parent.
/// @param order  a permutation of the pattern's nodes
EliminationTree make_elimination_tree(const BlockPattern& pattern, const std::vector<Index>& order);

}  // namespace stiction::block_cholesky
