#include "stiction/linalg/general_block_system.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/base/timer.hpp"
#include "stiction/linalg/ordering.hpp"
#include "stiction/linalg/refinement.hpp"
#include "stiction/linalg/vector_ops.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiction {

GeneralBlockSystem::GeneralBlockSystem() : pattern_(std::make_shared<const BlockPattern>()), lu_(make_lu()) {}
GeneralBlockSystem::~GeneralBlockSystem() = default;
GeneralBlockSystem::GeneralBlockSystem(GeneralBlockSystem&&) noexcept = default;
GeneralBlockSystem& GeneralBlockSystem::operator=(GeneralBlockSystem&&) noexcept = default;

bool GeneralBlockSystem::set_pattern(Index nodes, const std::vector<Edge>& pairs) {
    return set_pattern(std::make_shared<const BlockPattern>(BlockPattern::from_pairs(nodes, pairs)));
}

bool GeneralBlockSystem::set_pattern(std::shared_ptr<const BlockPattern> pattern) {
    STICTION_CHECK(pattern, "no pattern");
    const bool is_same = pattern == pattern_ || *pattern == *pattern_;
    pattern_ = std::move(pattern);
    if (is_same) return false;
    values_.assign(pattern_->row_entries.size(), Mat3::Zero());
    is_analyzed_ = false;
    has_factor_ = false;
    failure_.clear();
    statistics_.nonzeros = 0.0;
    return true;
}

Index GeneralBlockSystem::entry(Index i, Index j) const {
    if (i < 0 || i >= nodes()) return -1;
    const auto first = pattern_->row_entries.begin() + pattern_->row_begin[i];
    const auto last = pattern_->row_entries.begin() + pattern_->row_begin[i + 1];
    const auto is_left = [](const BlockPattern::RowEntry& candidate, Index column) {
        return candidate.column < column;
    };
    const auto found = std::lower_bound(first, last, j, is_left);
    return found != last && found->column == j ? static_cast<Index>(found - pattern_->row_entries.begin()) : -1;
}

void GeneralBlockSystem::set_zero() {
    parallel_for(
        values_.size(), [&](std::size_t e) { values_[e].setZero(); }, 1024);
}

void GeneralBlockSystem::copy_symmetric(const BlockSystem& symmetric) {
    STICTION_CHECK(symmetric.pattern() == pattern_ || *symmetric.pattern() == *pattern_,
                   "copy: the symmetric matrix has another pattern");
    const std::vector<Mat3>& stored = symmetric.values();
    parallel_for(static_cast<std::size_t>(nodes()), [&](std::size_t row) {
        for (Index e = pattern_->row_begin[row]; e < pattern_->row_begin[row + 1]; ++e) {
            const auto [column, slot] = pattern_->row_entries[e];
            if (static_cast<std::size_t>(column) <= row) {
                values_[e] = stored[slot];
            } else {
                values_[e] = stored[slot].transpose();
            }
        }
    });
}

void GeneralBlockSystem::add(Index i, Index j, const Mat3& block) {
    const Index e = entry(i, j);
    STICTION_CHECK(e >= 0, fmt::format("the pattern has no block ({}, {})", i, j));
    values_[e] += block;
}

void GeneralBlockSystem::add_diagonal(Index i, const Mat3& block) {
    add(i, i, block);
}

void GeneralBlockSystem::add_stencil(std::span<const Index> stencil, const Eigen::Ref<const Eigen::MatrixXd>& local,
                                     double scale) {
    const auto size = 3 * static_cast<Eigen::Index>(stencil.size());
    STICTION_CHECK(local.rows() == size && local.cols() == size, "stencil: matrix of another size than its nodes");
    for (std::size_t a = 0; a < stencil.size(); ++a) {
        if (stencil[a] < 0) continue;
        for (std::size_t b = 0; b < stencil.size(); ++b) {
            if (stencil[b] < 0) continue;
            add(stencil[a], stencil[b],
                scale * local.block<3, 3>(3 * static_cast<Eigen::Index>(a), 3 * static_cast<Eigen::Index>(b)));
        }
    }
}

Mat3 GeneralBlockSystem::block(Index i, Index j) const {
    const Index e = entry(i, j);
    return e < 0 ? Mat3(Mat3::Zero()) : values_[e];
}

void GeneralBlockSystem::multiply(const VecX& x, VecX& y) const {
    STICTION_CHECK(x.size() == 3 * nodes() && &x != &y, "multiply: vector of another size than the matrix, or x is y");
    y.resize(x.size());
    const BlockPattern& pattern = *pattern_;
    parallel_for(static_cast<std::size_t>(nodes()), [&](std::size_t row) {
        Vec3 sum = Vec3::Zero();
        for (Index e = pattern.row_begin[row]; e < pattern.row_begin[row + 1]; ++e)
            sum.noalias() += values_[e] * x.segment<3>(3 * static_cast<Eigen::Index>(pattern.row_entries[e].column));
        y.segment<3>(3 * static_cast<Eigen::Index>(row)) = sum;
    });
}

bool GeneralBlockSystem::has_finite_values() {
    // Zero or NaN: an infinity times zero is not a number either.
    const double sum = parallel_sum(values_.size(), 0.0, [&](std::size_t e) { return (values_[e] * 0.0).sum(); });
    if (sum == 0.0) return true;
    for (Index i = 0; i < nodes(); ++i) {
        for (Index e = pattern_->row_begin[i]; e < pattern_->row_begin[i + 1]; ++e) {
            if (values_[e].allFinite()) continue;
            failure_ = fmt::format("entry that is not finite in block ({}, {})", i, pattern_->row_entries[e].column);
            return false;
        }
    }
    return true;
}

bool GeneralBlockSystem::factorize() {
    has_factor_ = false;
    failure_.clear();
    if (nodes() == 0) return has_factor_ = true;
    if (!has_finite_values()) return false;
    if (!is_analyzed_) {
        const double start = now_seconds();
        is_analyzed_ = lu_->analyze(*pattern_, nested_dissection(*pattern_));
        statistics_.analyze_ms += 1e3 * (now_seconds() - start);
        ++statistics_.analyses;
        statistics_.nonzeros = is_analyzed_ ? lu_->factor_nonzeros() : 0.0;
    }
    if (is_analyzed_) {
        const double start = now_seconds();
        has_factor_ = lu_->factorize(*pattern_, values_);
        statistics_.factor_ms += 1e3 * (now_seconds() - start);
        ++statistics_.factorizations;
    }
    failure_ = lu_->failure();
    return has_factor_;
}

void GeneralBlockSystem::solve(const VecX& b, VecX& x) {
    STICTION_CHECK(has_factor_, "solve without a factor");
    STICTION_CHECK(b.size() == 3 * nodes(), "solve: right-hand side of another size than the matrix");
    if (nodes() == 0) {
        x.resize(0);
        return;
    }
    const double start = now_seconds();
    lu_->solve(b, x);
    statistics_.solve_ms += 1e3 * (now_seconds() - start);
    ++statistics_.solves;
}

double GeneralBlockSystem::solve_refined(const VecX& b, VecX& x, int steps) {
    STICTION_CHECK(&x != &b, "solve_refined: x is b");
    solve(b, x);
    return refine_solution(*this, b, x, steps);
}

}  // namespace stiction
