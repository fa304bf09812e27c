#include "stiction/linalg/block_system.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/base/timer.hpp"
#include "stiction/linalg/ordering.hpp"
#include "stiction/linalg/refinement.hpp"
#include "stiction/linalg/vector_ops.hpp"

#include <fmt/format.h>

namespace stiction {

BlockSystem::BlockSystem() : pattern_(std::make_shared<const BlockPattern>()), cholesky_(make_cholesky()) {}
BlockSystem::~BlockSystem() = default;
BlockSystem::BlockSystem(BlockSystem&&) noexcept = default;
BlockSystem& BlockSystem::operator=(BlockSystem&&) noexcept = default;

bool BlockSystem::set_pattern(Index nodes, const std::vector<Edge>& pairs) {
    BlockPattern pattern = BlockPattern::from_pairs(nodes, pairs);
    if (pattern == *pattern_) return false;
    pattern_ = std::make_shared<const BlockPattern>(std::move(pattern));
    values_.assign(static_cast<std::size_t>(pattern_->slots()), Mat3::Zero());
    is_analyzed_ = false;
    has_factor_ = false;
    failure_.clear();
    statistics_.nonzeros = 0.0;
    return true;
}

void BlockSystem::set_zero() {
    parallel_for(
        values_.size(), [&](std::size_t s) { values_[s].setZero(); }, 1024);
}

void BlockSystem::add(Index i, Index j, const Mat3& block) {
    STICTION_CHECK(i != j, "diagonal blocks are added by add_diagonal");
    const Index s = slot(i, j);
    STICTION_CHECK(s >= 0, fmt::format("the pattern has no block ({}, {})", i, j));
    if (i > j) {
        value(s) += block;
    } else {
        value(s) += block.transpose();
    }
}

void BlockSystem::add_diagonal(Index i, const Mat3& block) {
    STICTION_CHECK(i >= 0 && i < nodes(), fmt::format("the pattern has no node {}", i));
    value(pattern_->column_begin[i]) += block;
}

Mat3 BlockSystem::block(Index i, Index j) const {
    const Index s = slot(i, j);
    if (s < 0) return Mat3::Zero();
    const Mat3& stored = values_[s];
    return i >= j ? stored : Mat3(stored.transpose());
}

void BlockSystem::multiply(const VecX& x, VecX& y) const {
    STICTION_CHECK(x.size() == 3 * nodes() && &x != &y, "multiply: vector of another size than the matrix, or x is y");
    y.resize(x.size());
    const BlockPattern& pattern = *pattern_;
    parallel_for(static_cast<std::size_t>(nodes()), [&](std::size_t row) {
        Vec3 sum = Vec3::Zero();
        for (Index e = pattern.row_begin[row]; e < pattern.row_begin[row + 1]; ++e) {
            const auto [column, s] = pattern.row_entries[e];
            const Mat3& stored = values_[s];
            const auto part = x.segment<3>(3 * static_cast<Eigen::Index>(column));
            if (static_cast<std::size_t>(column) <= row) {
                sum.noalias() += stored * part;
            } else {
                sum.noalias() += stored.transpose() * part;
            }
        }
        y.segment<3>(3 * static_cast<Eigen::Index>(row)) = sum;
    });
}

bool BlockSystem::has_finite_values() {
    // Zero or NaN: an infinity times zero is not a number either.
    const double sum = parallel_sum(values_.size(), 0.0, [&](std::size_t s) { return (values_[s] * 0.0).sum(); });
    if (sum == 0.0) return true;
    for (Index j = 0; j < nodes(); ++j) {
        for (Index s = pattern_->column_begin[j]; s < pattern_->column_begin[j + 1]; ++s) {
            if (values_[s].allFinite()) continue;
            failure_ = fmt::format("entry that is not finite in block ({}, {})", pattern_->rows[s], j);
            return false;
        }
    }
    return true;
}

bool BlockSystem::factorize() {
    has_factor_ = false;
    failure_.clear();
    if (nodes() == 0) return has_factor_ = true;
    if (!has_finite_values()) return false;
    if (!is_analyzed_) {
        const double start = now_seconds();
        is_analyzed_ = cholesky_->analyze(*pattern_, nested_dissection(*pattern_));
        statistics_.analyze_ms += 1e3 * (now_seconds() - start);
        ++statistics_.analyses;
        statistics_.nonzeros = is_analyzed_ ? cholesky_->factor_nonzeros() : 0.0;
    }
    if (is_analyzed_) {
        const double start = now_seconds();
        has_factor_ = cholesky_->factorize(*pattern_, values_);
        statistics_.factor_ms += 1e3 * (now_seconds() - start);
        ++statistics_.factorizations;
    }
    failure_ = cholesky_->failure();
    return has_factor_;
}

void BlockSystem::solve(const VecX& b, VecX& x) {
    STICTION_CHECK(has_factor_, "solve without a factor");
    STICTION_CHECK(b.size() == 3 * nodes(), "solve: right-hand side of another size than the matrix");
    if (nodes() == 0) {
        x.resize(0);
        return;
    }
    const double start = now_seconds();
    cholesky_->solve(b, x);
    statistics_.solve_ms += 1e3 * (now_seconds() - start);
    ++statistics_.solves;
}

double BlockSystem::solve_refined(const VecX& b, VecX& x, int steps) {
    STICTION_CHECK(&x != &b, "solve_refined: x is b");
    solve(b, x);
    return refine_solution(*this, b, x, steps);
}

}  // namespace stiction
