// A matrix of 3x3 blocks with its direct factor: what BlockSystem and GeneralBlockSystem have in common.
#pragma once

#include "stiction/base/background_task.hpp"
#include "stiction/linalg/block_pattern.hpp"
#include "stiction/linalg/ordering.hpp"
#include "stiction/linalg/sparse_factor.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stiction {

/// What the factorisations of a system cost so far. Times are reported, never decided on.
struct FactorStatistics {
    double nonzeros = 0.0;  ///< scalar entries of the factors with the present pattern; 0 before the first analysis
    int analyses = 0;
    int factorizations = 0;
    int solves = 0;
    int rescues = 0;          ///< factorisations by another code, where single precision did not suffice
    double analyze_ms = 0.0;  ///< totals: ordering and symbolic factorisation, also where other work goes on beside it,
    double factor_ms = 0.0;   ///< numeric factorisation,
    double solve_ms = 0.0;    ///< triangular solves
};

/// A on a graph of nodes; node i owns scalar rows and columns 3 i .. 3 i + 2. Use: set a pattern once, then set_zero
/// and add... per assembly, factorize, solve. The factor is that of the values at the last factorize(): values may
/// change while it is used on, e.g. as a preconditioner. Results depend on pattern and values (but: keep_order()),
/// never on what the object held before, nor on the number of threads. Not thread safe: one caller at a time.
class DirectBlockSystem {
public:
    virtual ~DirectBlockSystem() = default;
    DirectBlockSystem(const DirectBlockSystem&) = delete;
    DirectBlockSystem& operator=(const DirectBlockSystem&) = delete;

    /// The pattern, shared with scatters and preconditioners.
    const std::shared_ptr<const BlockPattern>& pattern() const { return pattern_; }
    Index nodes() const { return pattern_->nodes; }

    /// The stored blocks; the class says which.
    const std::vector<Mat3>& values() const { return values_; }
    /// One stored block, to be added to. Different blocks may be written from different threads.
    Mat3& value(Index number) { return values_[number]; }
    void set_zero();

    /// y = A x, both of size 3 nodes; y must not be x. Parallel over rows, each summed in column order.
    virtual void multiply(const VecX& x, VecX& y) const = 0;

    /// From now on the elimination order may stay when the pattern changes, see KeptOrder; begins with `first`, made
    /// for a part of the pattern with all its nodes, or null. Results then depend, by rounding, on patterns analysed
    /// and factorisations made since this call, too. Without it every pattern gets an order of its own.
    void keep_order(std::shared_ptr<const EliminationOrder> first);

    /// After the pattern changed: starts the symbolic part of the next factorize() beside what the caller does
    /// meanwhile, e.g. fill in values.
    void analyze_ahead();
    /// Factors the present values; the symbolic part is computed first where the pattern changed or a new order is due.
    /// @return false when A is not positive definite (BlockSystem) or singular (GeneralBlockSystem) to working
    /// precision, has an entry that is not finite, or memory ran out: see failure()
    /// @param precision  of the factor: with a single one, solve() is a preconditioner
    bool factorize(Precision precision = Precision::full);
    /// Which row, column or block the last factorize() failed at, in one line; "" when it succeeded.
    const std::string& failure() const { return failure_; }
    /// Whether solve() may be called.
    bool has_factor() const { return has_factor_; }

    /// x = A^-1 b with the last factor; b has size 3 nodes and may be x. Throws InternalError without a factor.
    /// @param accuracy  part of the length of x that may be wrong; 0: as little as the factor can
    void solve(const VecX& b, VecX& x, double accuracy = 0.0);

    const FactorStatistics& statistics() const {
        analysis_.wait();
        return statistics_;
    }

protected:
    explicit DirectBlockSystem(std::unique_ptr<SparseFactor> factor);

    /// Takes the pattern, which must not be null. When it differs from the present one, there are `blocks` values, all
    /// zero, and the symbolic and numeric factor are dropped.
    /// @return whether it differs
    bool adopt_pattern(std::shared_ptr<const BlockPattern> pattern, std::size_t blocks);
    /// Row and column of a stored block, for messages.
    virtual Edge place(Index number) const = 0;

    std::vector<Mat3> values_;

private:
    bool has_finite_values();
    void analyze();

    std::shared_ptr<const BlockPattern> pattern_;
    std::unique_ptr<SparseFactor> factor_;
    std::optional<KeptOrder> order_;
    bool is_analyzed_ = false;  ///< a running analysis writes this, the factor's analysis, the order and statistics_
    bool has_factor_ = false;
    std::string failure_;
    FactorStatistics statistics_;
    mutable BackgroundTask analysis_;  ///< last: it is waited for first
};

}  // namespace stiction
