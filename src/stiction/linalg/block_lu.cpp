// LU of our own, in single precision with refinement; MUMPS where that is not enough.
#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/linalg/blas.hpp"
#include "stiction/linalg/block_cholesky/numeric.hpp"
#include "stiction/linalg/block_cholesky/triangular_solves.hpp"
#include "stiction/linalg/lu_codes.hpp"
#include "stiction/linalg/lu_scaling.hpp"
#include "stiction/linalg/mumps_driver.hpp"
#include "stiction/linalg/row_products.hpp"

#include <algorithm>
#include <limits>
#include <new>

namespace stiction {
namespace {

/// A factor is good enough if each refinement leaves at most this part of the error that was there.
constexpr double good_contraction = 1e-2;
/// Refinement ends where the next correction would be less than this part of the solution.
constexpr double smallest_correction = 1e-14;
/// ... or does not shrink, and is less than this.
constexpr double rounding = 1e-10;
constexpr int most_refinements = 20;

class BlockLu final : public SparseFactor {
public:
    bool analyze(const BlockPattern& pattern, const std::vector<Index>& order) override;
    bool factorize(const BlockPattern& pattern, const std::vector<Mat3>& values, Precision precision) override;
    void solve(const VecX& b, VecX& x) override { solve_to(0.0, b, x); }
    void solve_to(double accuracy, const VecX& b, VecX& x) override;
    double factor_nonzeros() const override { return 2.0 * symbolic_.nonzeros() - 3.0 * symbolic_.nodes(); }
    int rescues() const override { return rescues_; }

private:
    float* factor() const { return reinterpret_cast<float*>(factor_.bytes.get()); }
    void scale(const std::vector<Mat3>& values);
    bool factorize_in_single_precision();
    /// How a solve with refinement went: whether it got there, and which part of the error a refinement left at worst.
    struct Refined {
        bool is_good = false;
        double contraction = 0.0;
    };
    /// Solves the scaled system.
    Refined refine(double accuracy, const VecX& b, VecX& x);
    /// Factors the scaled matrix.
    bool factorize_by_mumps();

    BlockPattern pattern_;
    std::vector<Index> order_, transposed_;
    block_cholesky::Symbolic symbolic_;
    block_cholesky::SlotEntries entries_;
    block_cholesky::MemoryPool pool_;
    LuScaling scaling_;
    std::vector<Mat3> scaled_;
    block_cholesky::Memory factor_;
    std::vector<float> fronts_;
    std::vector<int> pivots_;
    std::unique_ptr<SparseFactor> mumps_;       ///< analysed for this pattern, where there is one
    bool has_own_ = false, has_mumps_ = false;  ///< factors of the present values
    int rescues_ = 0;
    double contraction_ = 1.0;  ///< of the factor, measured on one right-hand side
    VecX right_, residual_, product_, correction_;
};

bool BlockLu::analyze(const BlockPattern& pattern, const std::vector<Index>& order) {
    failure_.clear();
    mumps_.reset();
    has_own_ = has_mumps_ = false;
    try {
        pattern_ = pattern;
        order_ = order;
        transposed_ = transposed_entries(pattern);
        entries_ = block_cholesky::slot_entries(pattern);
        symbolic_ = block_cholesky::analyze(pattern, order);
        scaled_.resize(pattern.row_entries.size());
        pivots_.resize(3 * static_cast<std::size_t>(pattern.nodes));
    } catch (const std::bad_alloc&) {
        failure_ = "analysis: out of memory";
        return false;
    }
    return true;
}

void BlockLu::scale(const std::vector<Mat3>& values) {
    scaling_.set(pattern_, values, transposed_);
    parallel_for(static_cast<std::size_t>(pattern_.nodes), [&](std::size_t i) {
        const auto row_scale = scaling_.rows.segment<3>(3 * static_cast<Eigen::Index>(i));
        for (Index e = pattern_.row_begin[i]; e < pattern_.row_begin[i + 1]; ++e) {
            const auto column = 3 * static_cast<Eigen::Index>(pattern_.row_entries[e].column);
            scaled_[e] = row_scale.asDiagonal() * values[e] * scaling_.columns.segment<3>(column).asDiagonal();
        }
    });
}

bool BlockLu::factorize(const BlockPattern&, const std::vector<Mat3>& values, Precision) {
    use_one_blas_thread();
    failure_.clear();
    scale(values);
    has_mumps_ = false;
    has_own_ = factorize_in_single_precision();
    return has_own_ || factorize_by_mumps();
}

bool BlockLu::factorize_in_single_precision() {
    if (scaling_.zero_row >= 0 || scaling_.zero_column >= 0) return false;
    const std::size_t size = block_cholesky::bytes_of<float>(2 * symbolic_.value_begin.back());
    if (factor_.size < size || factor_.size / 4 > size) {
        factor_ = {};
        factor_ = block_cholesky::allocate_memory(size);
    }
    if (!factor_.bytes) return false;
    try {
        const auto outcome =
            block_cholesky::factorize_general(symbolic_, entries_, scaled_, factor(), pivots_.data(), pool_);
        if (outcome.kind != block_cholesky::Outcome::Kind::factored) return false;
    } catch (const std::bad_alloc&) {
        return false;
    }
    if (pattern_.nodes == 0) return true;
    VecX x;
    contraction_ = 1.0;
    const Refined probe = refine(smallest_correction, start_of_inverse_iteration(3 * Eigen::Index{pattern_.nodes}), x);
    // Other solutions are rounded to floats, though this one may not have been.
    contraction_ = std::max<double>(probe.contraction, std::numeric_limits<float>::epsilon());
    return probe.is_good && probe.contraction <= good_contraction;
}

bool BlockLu::factorize_by_mumps() {
    ++rescues_;
    if (!mumps_) {
        mumps_ = make_mumps_lu();
        if (!mumps_->analyze(pattern_, order_)) {
            failure_ = mumps_->failure();
            mumps_.reset();
            return false;
        }
    }
    has_mumps_ = mumps_->factorize(pattern_, scaled_, Precision::full);
    failure_ = mumps_->failure();
    return has_mumps_;
}

BlockLu::Refined BlockLu::refine(double accuracy, const VecX& b, VecX& x) {
    accuracy = std::max(accuracy, smallest_correction);
    block_cholesky::solve_general(symbolic_, factor(), pivots_.data(), b, x, fronts_);
    // The largest entry: squares would leave the range of numbers.
    const auto length_of = [&](const VecX& scaled) {
        return scaling_.columns.cwiseProduct(scaled).lpNorm<Eigen::Infinity>();
    };
    double last = length_of(x);
    // Another right-hand side may be less lucky than the one that was tried.
    constexpr double safety = 10.0;
    Refined result;
    if (last == 0.0 || safety * contraction_ <= accuracy) return {true, contraction_};
    for (int k = 0; k < most_refinements; ++k) {
        multiply_rows(pattern_, x, product_,
                      [&](std::size_t, Index e, const auto& part, Vec3& sum) { sum.noalias() += scaled_[e] * part; });
        residual_ = b - product_;
        block_cholesky::solve_general(symbolic_, factor(), pivots_.data(), residual_, correction_, fronts_);
        x += correction_;
        const double length = length_of(correction_), here = length / last;
        if (!correction_.allFinite()) break;
        // Rounding of the residual bounds how small corrections become, as it bounds the error of a factor in double.
        result.is_good = here > 0.5 ? length <= std::max(rounding, accuracy) * length_of(x)
                                    : length * here <= accuracy * length_of(x);
        if (here <= 0.5) result.contraction = std::max(result.contraction, here);
        if (result.is_good || here > 0.5) break;
        last = length;
    }
    return result;
}

void BlockLu::solve_to(double accuracy, const VecX& b, VecX& x) {
    STICTION_CHECK(b.size() == 3 * Eigen::Index{pattern_.nodes}, "right-hand side of another size than the factor");
    use_one_blas_thread();
    right_ = scaling_.rows.cwiseProduct(b);  // b may be x
    VecX solution;
    if (has_own_ && refine(accuracy, right_, solution).is_good) {
        x = scaling_.columns.cwiseProduct(solution);
        return;
    }
    // This right-hand side is harder than the one that was tried after the factorisation. The next call tries the own
    // factor again: a result must not depend on earlier ones.
    if (!has_mumps_ && !(right_.allFinite() && factorize_by_mumps())) {
        x.setConstant(right_.size(), std::numeric_limits<double>::quiet_NaN());
        return;
    }
    mumps_->solve(right_, right_);
    x = scaling_.columns.cwiseProduct(right_);
}

}  // namespace

std::unique_ptr<SparseFactor> make_lu(LuCode code) {
    if (code == LuCode::mumps) return make_mumps_lu();
    return std::make_unique<BlockLu>();
}

}  // namespace stiction
