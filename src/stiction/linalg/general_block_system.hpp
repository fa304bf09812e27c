// A matrix of 3x3 blocks that is not symmetric, on a symmetric pattern: pattern, values and factor as one object.
#pragma once

#include "stiction/linalg/block_system.hpp"

#include <memory>
#include <span>
#include <vector>

namespace stiction {

/// A matrix with a symmetric pattern and values that are not: where block (i, j) is stored, so is (j, i), and the two
/// have nothing to do with each other. Factored by LU.
class GeneralBlockSystem final : public DirectBlockSystem {
public:
    GeneralBlockSystem();

    /// Makes room for all diagonal blocks and, for each pair {i, j}, the blocks (i, j) and (j, i), all values zero.
    /// When the pattern is already this one, nothing is touched and values and factor stay.
    /// @return true when the pattern is another than before: values are zero, symbolic and numeric factor are dropped
    /// Throws InternalError when an index lies outside [0, nodes).
    bool set_pattern(Index nodes, const std::vector<Edge>& pairs);
    /// The same with a pattern that exists already, which is then shared; it must not be null.
    bool set_pattern(std::shared_ptr<const BlockPattern> pattern);

    /// Number of stored blocks: diagonal ones and two a pair.
    Index entries() const { return static_cast<Index>(values_.size()); }
    bool contains(Index i, Index j) const { return entry(i, j) >= 0; }
    /// Number of the stored block (i, j); -1 if there is none. Binary search.
    Index entry(Index i, Index j) const;

    /// Replaces all values by those of a symmetric matrix. Throws InternalError when its pattern is another one.
    void copy_symmetric(const BlockSystem& symmetric);
    /// A(i, j) += block = dr_i / dx_j (rows belong to i, columns to j). (j, i) stays as it is; i == j is allowed.
    /// Throws InternalError when the pattern lacks the pair.
    void add(Index i, Index j, const Mat3& block);
    /// A(i, i) += block.
    void add_diagonal(Index i, const Mat3& block);
    /// Adds scale times the Jacobian of one element or contact, symmetric or not.
    /// @param stencil  its nodes; -1 = a node outside the system, whose rows and columns are left out and not read. A
    /// node may appear twice.
    /// @param local    3 n x 3 n for n nodes, rows and columns 3 a .. 3 a + 2 belonging to stencil[a]
    /// Throws InternalError when the sizes differ or the pattern lacks a pair.
    void add_stencil(std::span<const Index> stencil, const Eigen::Ref<const Eigen::MatrixXd>& local,
                     double scale = 1.0);
    /// A(i, j) with rows of i and columns of j; zero when the pattern lacks the pair.
    Mat3 block(Index i, Index j) const;

    // values() holds the blocks row by row, columns ascending: value(e) is A(row, column) of pattern()->row_entries[e].

    void multiply(const VecX& x, VecX& y) const override;

private:
    Edge place(Index entry) const override;
};

}  // namespace stiction
