// Which 3x3 blocks of a symmetric matrix exist: an immutable value shared by the matrix and the scatters built for it.
#pragma once

#include "stiction/base/types.hpp"

#include <vector>

namespace stiction {

/// The non-zero blocks of a symmetric matrix of 3x3 blocks on a graph of nodes. A slot is the number of a stored block;
/// the lower triangle is stored (row >= column), column by column, rows ascending, so that the first slot of a column
/// is its diagonal block. Two patterns made of the same set of pairs are equal member by member, whatever the order the
/// pairs came in.
struct BlockPattern {
    /// One block of a full row. The stored block is A(row, column) when row >= column and its transpose otherwise.
    struct RowEntry {
        Index column;
        Index slot;
        bool operator==(const RowEntry&) const = default;
    };

    Index nodes = 0;
    /// nodes + 1 entries: slots of column j are [column_begin[j], column_begin[j + 1])
    std::vector<Index> column_begin = {0};
    std::vector<Index> rows;             ///< one entry a slot: its block row
    std::vector<Index> row_begin = {0};  ///< nodes + 1 entries into row_entries
    std::vector<RowEntry> row_entries;   ///< both triangles, row by row, columns ascending

    /// The union of all diagonal blocks and of `pairs` (any order, duplicates and i == i allowed).
    /// Throws InternalError when an index lies outside [0, nodes).
    static BlockPattern from_pairs(Index nodes, const std::vector<Edge>& pairs);

    /// Number of stored blocks: diagonal ones and one for each pair.
    Index slots() const { return static_cast<Index>(rows.size()); }

    /// Slot of block (i, j) or of its transpose (j, i); -1 when there is none or an index is out of range. Binary
    /// search.
    Index slot(Index i, Index j) const;

    bool operator==(const BlockPattern&) const = default;
};

}  // namespace stiction
