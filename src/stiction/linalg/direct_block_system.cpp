#include "stiction/linalg/direct_block_system.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/base/timer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

namespace stiction {
namespace {

/// For an analysis that nobody will use: what it threw is of no interest.
void discard(BackgroundTask& analysis) {
    try {
        analysis.wait();
    } catch (const std::bad_alloc&) {  // the next analysis tells if memory is still short
    }
}

}  // namespace

DirectBlockSystem::DirectBlockSystem(std::unique_ptr<SparseFactor> factor)
    : pattern_(std::make_shared<const BlockPattern>()), factor_(std::move(factor)) {}

bool DirectBlockSystem::adopt_pattern(std::shared_ptr<const BlockPattern> pattern, std::size_t blocks) {
    discard(analysis_);
    const bool is_same = pattern == pattern_ || *pattern == *pattern_;
    pattern_ = std::move(pattern);
    if (is_same) return false;
    values_.assign(blocks, Mat3::Zero());
    is_analyzed_ = false;
    has_factor_ = false;
    failure_.clear();
    statistics_.nonzeros = 0.0;
    return true;
}

void DirectBlockSystem::set_zero() {
    parallel_for(
        values_.size(), [&](std::size_t k) { values_[k].setZero(); }, 1024);
}

bool DirectBlockSystem::has_finite_values() {
    // Zero or NaN: an infinity times zero is not a number either.
    const double sum = parallel_sum(values_.size(), 0.0, [&](std::size_t k) { return (values_[k] * 0.0).sum(); });
    if (sum == 0.0) return true;
    const auto broken =
        std::find_if(values_.begin(), values_.end(), [](const Mat3& block) { return !block.allFinite(); });
    if (broken == values_.end()) return true;
    const auto [row, column] = place(static_cast<Index>(broken - values_.begin()));
    failure_ = fmt::format("entry that is not finite in block ({}, {})", row, column);
    return false;
}

void DirectBlockSystem::keep_order(std::shared_ptr<const EliminationOrder> first) {
    discard(analysis_);
    if (!order_) order_.emplace();
    if (order_->start(std::move(first))) return;
    is_analyzed_ = false;
    has_factor_ = false;
}

void DirectBlockSystem::analyze_ahead() {
    analysis_.wait();
    if (!is_analyzed_ && nodes() > 0) analysis_.run([this] { analyze(); });
}

void DirectBlockSystem::analyze() {
    const double start = now_seconds();
    is_analyzed_ = order_ ? factor_->analyze(*pattern_, order_->next(*pattern_))
                          : factor_->analyze(*pattern_, nested_dissection(*pattern_));
    statistics_.analyze_ms += 1e3 * (now_seconds() - start);
    ++statistics_.analyses;
    statistics_.nonzeros = is_analyzed_ ? factor_->factor_nonzeros() : 0.0;
}

bool DirectBlockSystem::factorize(Precision precision) {
    analysis_.wait();
    has_factor_ = false;
    failure_.clear();
    if (nodes() == 0) return has_factor_ = true;
    if (!has_finite_values()) return false;
    if (!is_analyzed_ || (order_ && order_->is_due())) analyze();
    if (is_analyzed_) {
        const double start = now_seconds();
        has_factor_ = factor_->factorize(*pattern_, values_, precision);
        statistics_.factor_ms += 1e3 * (now_seconds() - start);
        ++statistics_.factorizations;
        if (order_) order_->count_factorization();
        statistics_.rescues = factor_->rescues();
    }
    failure_ = factor_->failure();
    return has_factor_;
}

void DirectBlockSystem::solve(const VecX& b, VecX& x, double accuracy) {
    STICTION_CHECK(has_factor_, "solve without a factor");
    STICTION_CHECK(b.size() == 3 * nodes(), "solve: right-hand side of another size than the matrix");
    if (nodes() == 0) {
        x.resize(0);
        return;
    }
    const double start = now_seconds();
    factor_->solve_to(accuracy, b, x);
    failure_ = factor_->failure();
    statistics_.rescues = factor_->rescues();
    statistics_.solve_ms += 1e3 * (now_seconds() - start);
    ++statistics_.solves;
}

}  // namespace stiction
