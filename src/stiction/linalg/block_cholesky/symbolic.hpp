// Symbolic Cholesky factorisation of a matrix of 3x3 blocks: supernodes, fronts, and where every entry goes.
#pragma once

#include "stiction/linalg/block_pattern.hpp"

#include <cstddef>
#include <vector>

namespace stiction::block_cholesky {

/// The pattern of L with P A P^T = L L^T, in nodes: one is three rows and columns. A supernode is a run of `width`
/// nodes whose columns are stored as one dense array; its front is the list of its own nodes, then those `below` that
/// all its columns share. Supernodes are numbered in postorder of their tree: the descendants of one come right before
/// it.
struct Symbolic {
    /// `length` rows below a supernode in a row that stand in a row in the front of its parent, too.
    struct Run {
        Index below;   ///< first of them, counted from the first row below
        Index parent;  ///< the same in the front of the parent
        Index length;
    };
    /// Where a stored block of A goes: into the columns of its first eliminated node.
    struct Entry {
        std::size_t target;  ///< of its upper left number in the values of L
        Index slot;          ///< of the pattern; ~slot when the transpose goes there
    };
    /// A subtree that one thread does alone: supernodes [begin, end), the last is its root.
    struct Subtree {
        Index begin, end;
    };

    std::vector<Index> order;            ///< order[k] = node eliminated at position k
    std::vector<Index> column_begin;     ///< supernodes + 1: positions of s are [column_begin[s], column_begin[s + 1])
    std::vector<Index> parent;           ///< -1 at a root
    std::vector<std::size_t> row_begin;  ///< supernodes + 1, into `rows`
    std::vector<Index> rows;             ///< positions below, ascending
    std::vector<std::size_t> run_begin;  ///< supernodes + 1, into `runs`
    std::vector<Run> runs;               ///< of the rows below, ascending
    std::vector<std::size_t> entry_begin;  ///< positions + 1, into `entries`
    std::vector<Entry> entries;
    std::vector<std::size_t> value_begin;  ///< supernodes + 1: where the array of s starts, 3 front rows x 3 width
    std::vector<std::size_t> child_begin;  ///< supernodes + 1, into `children`
    std::vector<Index> children;           ///< ascending
    std::vector<Subtree> subtrees;         ///< ascending, of about equal work at most
    std::vector<Index> above;              ///< all other supernodes, ascending
    /// Whether a supernode is an odd number of steps below its root.
    std::vector<bool> is_odd;
    /// The most numbers that the update matrices of one subtree take, but for that of its root.
    std::size_t most_update_numbers = 0;
    /// All other update matrices together.
    std::size_t update_numbers = 0;

    std::size_t supernodes() const { return parent.size(); }
    Index nodes() const { return static_cast<Index>(order.size()); }
    Index width(std::size_t s) const { return column_begin[s + 1] - column_begin[s]; }
    Index below(std::size_t s) const { return static_cast<Index>(row_begin[s + 1] - row_begin[s]); }
    Index front(std::size_t s) const { return width(s) + below(s); }
    /// Entries of L that are stored, without the strictly upper triangles.
    double nonzeros() const;
};

/// Supernodes are fundamental ones, merged with the last of their children where that adds few zeros to L.
/// @param order  of elimination, a permutation of the pattern's nodes
Symbolic analyze(const BlockPattern& pattern, const std::vector<Index>& order);

}  // namespace stiction::block_cholesky
