#include "stiction/linalg/direct_block_system.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/base/timer.hpp"
#include "stiction/linalg/ordering.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiction {

DirectBlockSystem::DirectBlockSystem(std::unique_ptr<SparseFactor> factor)
    : pattern_(std::make_shared<const BlockPattern>()), factor_(std::move(factor)) {}

bool DirectBlockSystem::adopt_pattern(std::shared_ptr<const BlockPattern> pattern, std::size_t blocks) {
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

bool DirectBlockSystem::factorize(Precision precision) {
    has_factor_ = false;
    failure_.clear();
    if (nodes() == 0) return has_factor_ = true;
    if (!has_finite_values()) return false;
    if (!is_analyzed_) {
        const double start = now_seconds();
        is_analyzed_ = factor_->analyze(*pattern_, nested_dissection(*pattern_));
        statistics_.analyze_ms += 1e3 * (now_seconds() - start);
        ++statistics_.analyses;
        statistics_.nonzeros = is_analyzed_ ? factor_->factor_nonzeros() : 0.0;
    }
    if (is_analyzed_) {
        const double start = now_seconds();
        has_factor_ = factor_->factorize(*pattern_, values_, precision);
        statistics_.factor_ms += 1e3 * (now_seconds() - start);
        ++statistics_.factorizations;
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
