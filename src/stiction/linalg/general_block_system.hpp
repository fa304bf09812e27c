// A matrix of 3x3 blocks that is not symmetric, on a symmetric pattern: pattern, values and factor as one object.
#pragma once

#include "stiction/linalg/block_system.hpp"
#include "stiction/linalg/lu.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace stiction {

/// A on a graph of nodes; node i owns scalar rows and columns 3 i .. 3 i + 2. Where block (i, j) is stored, so is
/// (j, i), and the two have nothing to do with each other. Use and guarantees are those of BlockSystem: the factor is
/// that of the values at the last factorize(); results depend on pattern and values alone, never on what the object
/// held before, nor on the number of threads. Not thread safe: one caller at a time.
class GeneralBlockSystem {
public:
    GeneralBlockSystem();
    ~GeneralBlockSystem();
    GeneralBlockSystem(GeneralBlockSystem&&) noexcept;
    GeneralBlockSystem& operator=(GeneralBlockSystem&&) noexcept;

    /// Makes room for all diagonal blocks and, for each pair {i, j}, the blocks (i, j) and (j, i), all values zero.
    /// When the pattern is already this one, nothing is touched and values and factor stay.
    /// @return true when the pattern is another than before: values are zero, symbolic and numeric factor are dropped
    /// Throws InternalError when an index lies outside [0, nodes).
    bool set_pattern(Index nodes, const std::vector<Edge>& pairs);
    /// The same with a pattern that exists already, which is then shared; it must not be null.
    bool set_pattern(std::shared_ptr<const BlockPattern> pattern);

    /// The pattern; block (row, column) of pattern()->row_entries[e] is value(e).
    const std::shared_ptr<const BlockPattern>& pattern() const { return pattern_; }
    Index nodes() const { return pattern_->nodes; }
    /// Number of stored blocks: diagonal ones and two a pair.
    Index entries() const { return static_cast<Index>(values_.size()); }
    bool contains(Index i, Index j) const { return entry(i, j) >= 0; }
    /// Number of the stored block (i, j); -1 if there is none. Binary search.
    Index entry(Index i, Index j) const;

    void set_zero();
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

    /// The stored blocks row by row, columns ascending (see BlockPattern::row_entries).
    const std::vector<Mat3>& values() const { return values_; }
    /// One stored block, to be added to. Different entries may be written from different threads.
    Mat3& value(Index entry) { return values_[entry]; }

    /// y = A x, both of size 3 nodes; y must not be x. Parallel over rows, each summed in column order.
    void multiply(const VecX& x, VecX& y) const;

    /// Factors the present values; the symbolic part is computed at the first call after the pattern changed.
    /// @return false when A is singular to working precision, has an entry that is not finite, or memory ran out: see
    /// failure()
    bool factorize();
    /// Which row, column or block the last factorize() failed at, in one line; "" when it succeeded.
    const std::string& failure() const { return failure_; }
    /// Whether solve() may be called.
    bool has_factor() const { return has_factor_; }

    /// x = A^-1 b with the last factor; b has size 3 nodes and may be x. Throws InternalError without a factor.
    void solve(const VecX& b, VecX& x);
    /// solve(), then up to `steps` steps of iterative refinement against the present values; stops early when a step no
    /// longer helps, and keeps the best x. b must not be x.
    /// @return |b - A x| / |b| in the Euclidean norm of the x that is returned (0 when b is zero)
    double solve_refined(const VecX& b, VecX& x, int steps = 1);

    /// As of BlockSystem; `nonzeros` counts L and U.
    const FactorStatistics& statistics() const { return statistics_; }

private:
    bool has_finite_values();

    std::shared_ptr<const BlockPattern> pattern_;
    std::vector<Mat3> values_;  // one an entry of pattern_->row_entries
    std::unique_ptr<Lu> lu_;
    bool is_analyzed_ = false;
    bool has_factor_ = false;
    std::string failure_;
    FactorStatistics statistics_;
};

}  // namespace stiction
