// A symmetric positive definite matrix of 3x3 blocks: pattern, values and factor as one object.
#pragma once

#include "stiction/linalg/block_pattern.hpp"
#include "stiction/linalg/cholesky.hpp"

#include <memory>
#include <string>
#include <vector>

namespace stiction {

/// What the factorisations of a BlockSystem cost so far. Times are reported, never decided on.
struct FactorStatistics {
    double nonzeros = 0.0;  ///< scalar entries of L with the present pattern; 0 before the first analysis
    int analyses = 0;
    int factorizations = 0;
    int solves = 0;
    double analyze_ms = 0.0;  ///< totals: ordering and symbolic factorisation,
    double factor_ms = 0.0;   ///< numeric factorisation,
    double solve_ms = 0.0;    ///< triangular solves
};

/// A on a graph of nodes; node i owns scalar rows and columns 3 i .. 3 i + 2. Use: set_pattern once per pattern, then
/// set_zero and add... per assembly, factorize, solve. The factor is that of the values at the last factorize(): values
/// may change while it is used on, e.g. as a preconditioner. Results depend on pattern and values alone, never on what
/// the object held before, nor on the number of threads. Not thread safe: one caller at a time.
class BlockSystem {
public:
    BlockSystem();
    ~BlockSystem();
    BlockSystem(BlockSystem&&) noexcept;
    BlockSystem& operator=(BlockSystem&&) noexcept;

    /// Makes room for all diagonal blocks and the given pairs (any order, duplicates and i == i allowed), all values
    /// zero. When the pattern is already this one, nothing is touched and values and factor stay.
    /// @return true when the pattern is another than before: values are zero, symbolic and numeric factor are dropped
    /// Throws InternalError when an index lies outside [0, nodes).
    bool set_pattern(Index nodes, const std::vector<Edge>& pairs);

    /// The pattern, shared with scatters and preconditioners.
    const std::shared_ptr<const BlockPattern>& pattern() const { return pattern_; }
    Index nodes() const { return pattern_->nodes; }
    /// Number of stored blocks: diagonal ones and one a pair.
    Index slots() const { return pattern_->slots(); }
    bool contains(Index i, Index j) const { return slot(i, j) >= 0; }
    /// Number of the stored block of pair (i, j), in either order; -1 if there is none.
    Index slot(Index i, Index j) const { return pattern_->slot(i, j); }

    void set_zero();
    /// Adds block = d2E / dx_i dx_j (rows belong to i, columns to j) and its transpose at (j, i). Call it once per
    /// unordered pair, i != j. Throws InternalError when the pattern lacks the pair.
    void add(Index i, Index j, const Mat3& block);
    /// Adds a symmetric block at (i, i).
    void add_diagonal(Index i, const Mat3& block);
    /// A(i, j) with rows of i and columns of j; zero when the pattern lacks the pair.
    Mat3 block(Index i, Index j) const;

    /// The stored blocks, A(row, column) with row >= column, one a slot (see BlockPattern).
    const std::vector<Mat3>& values() const { return values_; }
    /// One stored block, to be added to. Different slots may be written from different threads.
    Mat3& value(Index slot) { return values_[slot]; }

    /// y = A x, both of size 3 nodes; y must not be x. Parallel over rows, each summed in column order.
    void multiply(const VecX& x, VecX& y) const;

    /// Factors the present values; the symbolic part is computed at the first call after the pattern changed.
    /// @return false when A is not positive definite to working precision, has an entry that is not finite, or memory
    /// ran out: see failure()
    bool factorize();
    /// Which column or block the last factorize() failed at, in one line; "" when it succeeded.
    const std::string& failure() const { return failure_; }
    /// Whether solve() may be called.
    bool has_factor() const { return has_factor_; }

    /// x = A^-1 b with the last factor; b has size 3 nodes and may be x. Throws InternalError without a factor.
    void solve(const VecX& b, VecX& x);
    /// solve(), then up to `steps` steps of iterative refinement against the present values; stops early when a step no
    /// longer helps, and keeps the best x. b must not be x.
    /// @return |b - A x| / |b| in the Euclidean norm of the x that is returned (0 when b is zero)
    double solve_refined(const VecX& b, VecX& x, int steps = 1);

    const FactorStatistics& statistics() const { return statistics_; }

private:
    bool has_finite_values();

    std::shared_ptr<const BlockPattern> pattern_;
    std::vector<Mat3> values_;
    std::unique_ptr<Cholesky> cholesky_;
    bool is_analyzed_ = false;
    bool has_factor_ = false;
    std::string failure_;
    FactorStatistics statistics_;
};

}  // namespace stiction
