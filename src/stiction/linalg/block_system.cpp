#include "stiction/linalg/block_system.hpp"

#include "stiction/base/error.hpp"
#include "stiction/linalg/row_products.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace stiction {

BlockSystem::BlockSystem() : DirectBlockSystem(make_cholesky()) {}

bool BlockSystem::set_pattern(Index nodes, const std::vector<Edge>& pairs) {
    auto wanted = std::make_shared<const BlockPattern>(BlockPattern::from_pairs(nodes, pairs));
    // The present one stays where it is the same: scatters share it.
    return *wanted != *pattern() && set_pattern(std::move(wanted));
}

bool BlockSystem::set_pattern(std::shared_ptr<const BlockPattern> pattern) {
    STICTION_CHECK(pattern, "no pattern");
    const auto blocks = static_cast<std::size_t>(pattern->slots());
    return adopt_pattern(std::move(pattern), blocks);
}

Edge BlockSystem::place(Index slot) const {
    const std::vector<Index>& begin = pattern()->column_begin;
    const auto column = std::upper_bound(begin.begin(), begin.end(), slot) - begin.begin() - 1;
    return {pattern()->rows[slot], static_cast<Index>(column)};
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
    value(pattern()->column_begin[i]) += block;
}

Mat3 BlockSystem::block(Index i, Index j) const {
    const Index s = slot(i, j);
    if (s < 0) return Mat3::Zero();
    const Mat3& stored = values_[s];
    return i >= j ? stored : Mat3(stored.transpose());
}

void BlockSystem::multiply(const VecX& x, VecX& y) const {
    const BlockPattern& blocks = *pattern();
    multiply_rows(blocks, x, y, [&](std::size_t row, Index e, const auto& part, Vec3& sum) {
        const auto [column, s] = blocks.row_entries[e];
        const Mat3& stored = values_[s];
        if (static_cast<std::size_t>(column) <= row) {
            sum.noalias() += stored * part;
        } else {
            sum.noalias() += stored.transpose() * part;
        }
    });
}

}  // namespace stiction
