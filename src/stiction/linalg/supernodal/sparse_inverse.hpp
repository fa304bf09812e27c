// The inverse of a sparse Cholesky factor, itself sparse.
#pragma once

#include "stiction/linalg/supernodal/factor.hpp"

namespace stiction::supernodal {

/// S = L^-1 with P A P^T = L L^T. S(i, j) can differ from zero only where i is j or an ancestor of j in the elimination
/// tree (Zeng et al. 2025, section 4.2): the columns of a supernode share the rows of its path, that is its own, those
/// of its parent, and so on to the root. No row is stored: the tree says which they are, and row i of supernode t
/// stands in the array of every descendant at the same distance from the end.
struct SparseInverse {
    Index unknowns = 0;
    std::vector<Index> order;  ///< order[k] = unknown at position k
    std::vector<Index>
        column_begin;           ///< supernodes + 1: positions of supernode s are [column_begin[s], column_begin[s + 1])
    std::vector<Index> parent;  ///< of a supernode; -1 at a root
    std::vector<Index> first_descendant;  ///< the descendants of s are [first_descendant[s], s)
    std::vector<Index> path_length;       ///< positions of s and of all its ancestors
    std::vector<std::size_t>
        value_begin;             ///< supernodes + 1: where the dense path_length x width array of s starts, row by row
    std::vector<double> values;  ///< of its first `width` rows the strictly upper triangle is zero

    std::size_t supernodes() const { return parent.size(); }
    Index width(std::size_t s) const { return column_begin[s + 1] - column_begin[s]; }
    const double* block(std::size_t s) const { return values.data() + value_begin[s]; }
    /// Row `row` of supernode t, an ancestor of s or s itself, in the array of s: `width(s)` numbers.
    const double* row(std::size_t s, std::size_t t, Index row) const {
        return block(s) +
               static_cast<std::size_t>(path_length[s] - path_length[t] + row) * static_cast<std::size_t>(width(s));
    }
    /// Of all arrays.
    std::size_t bytes() const;
};

/// From the root down: the rows of a supernode below its own are -S_aa L_a L_own^-1, where S_aa, the inverse at its
/// ancestors, is known by then. Parallel, same bits for any number of threads.
SparseInverse invert(const Factor& factor);

}  // namespace stiction::supernodal
