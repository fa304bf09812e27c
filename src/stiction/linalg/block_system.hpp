// A symmetric positive definite matrix of 3x3 blocks: pattern, values and factor as one object.
#pragma once

#include "stiction/linalg/direct_block_system.hpp"

#include <memory>
#include <vector>

namespace stiction {

/// A symmetric positive definite matrix; stores its lower triangle and factors it by Cholesky.
class BlockSystem final : public DirectBlockSystem {
public:
    BlockSystem();

    /// Makes room for all diagonal blocks and the given pairs (any order, duplicates and i == i allowed), all values
    /// zero. When the pattern is already this one, nothing is touched and values and factor stay.
    /// @return true when the pattern is another than before: values are zero, symbolic and numeric factor are dropped
    /// Throws InternalError when an index lies outside [0, nodes).
    bool set_pattern(Index nodes, const std::vector<Edge>& pairs);
    /// The same with a pattern that exists already, which is then shared; it must not be null.
    bool set_pattern(std::shared_ptr<const BlockPattern> pattern);

    /// Number of stored blocks: diagonal ones and one a pair.
    Index slots() const { return pattern()->slots(); }
    bool contains(Index i, Index j) const { return slot(i, j) >= 0; }
    /// Number of the stored block of pair (i, j), in either order; -1 if there is none.
    Index slot(Index i, Index j) const { return pattern()->slot(i, j); }

    /// Adds block = d2E / dx_i dx_j (rows belong to i, columns to j) and its transpose at (j, i). Call it once per
    /// unordered pair, i != j. Throws InternalError when the pattern lacks the pair.
    void add(Index i, Index j, const Mat3& block);
    /// Adds a symmetric block at (i, i).
    void add_diagonal(Index i, const Mat3& block);
    /// A(i, j) with rows of i and columns of j; zero when the pattern lacks the pair.
    Mat3 block(Index i, Index j) const;

    // values() holds A(row, column) with row >= column, one block a slot (see BlockPattern).

    void multiply(const VecX& x, VecX& y) const override;

private:
    Edge place(Index slot) const override;
};

}  // namespace stiction
