// Symbolic Cholesky factorisation of a scalar matrix: elimination tree, supernodes, and where their rows go.
#pragma once

#include "stiction/base/types.hpp"

#include <Eigen/SparseCore>

#include <cstddef>
#include <vector>

namespace stiction::supernodal {

/// Memory of an array's entries.
template <class Value>
std::size_t array_bytes(const std::vector<Value>& array) {
    return array.size() * sizeof(Value);
}

/// The pattern of L with P A P^T = L L^T. A supernode is a run of columns that are stored as one dense trapezoid: its
/// own w rows, then r rows below that all its columns share. Its front is the list of these w + r rows. Supernodes are
/// numbered in postorder of their tree, so that the descendants of one come right before it.
struct Pattern {
    Index unknowns = 0;
    std::vector<Index> order;             ///< order[k] = unknown eliminated at position k
    std::vector<Index> position;          ///< its inverse
    std::vector<Index> column_begin;      ///< supernodes + 1: columns (positions) of supernode s are [column_begin[s],
                                          ///< column_begin[s + 1])
    std::vector<Index> supernode_of;      ///< of every position
    std::vector<Index> parent;            ///< supernode of the first row below; -1 at a root
    std::vector<Index> first_descendant;  ///< the descendants of s are [first_descendant[s], s)
    std::vector<std::size_t> row_begin;   ///< supernodes + 1, into `rows`
    std::vector<Index> rows;              ///< rows (positions) below the own ones, ascending
    std::vector<Index> in_parent;         ///< for each entry of `rows`: its index in the parent's front
    std::vector<std::size_t>
        value_begin;  ///< supernodes + 1: where the dense front x width array of s starts, column by column

    std::size_t supernodes() const { return parent.size(); }
    Index width(std::size_t s) const { return column_begin[s + 1] - column_begin[s]; }
    Index below(std::size_t s) const { return static_cast<Index>(row_begin[s + 1] - row_begin[s]); }
    Index front(std::size_t s) const { return width(s) + below(s); }
    /// Start of the front of s in an array that holds one number for each row of each front.
    std::size_t front_begin(std::size_t s) const { return static_cast<std::size_t>(column_begin[s]) + row_begin[s]; }
    std::size_t front_rows() const { return static_cast<std::size_t>(unknowns) + rows.size(); }
    /// Of all arrays of this pattern.
    std::size_t bytes() const;
};

/// Supernodes of a chain of the elimination tree are merged where that adds few zeros to L.
/// @param matrix  its lower triangle is read; it must be square
Pattern analyze(const Eigen::SparseMatrix<double>& matrix);

}  // namespace stiction::supernodal
