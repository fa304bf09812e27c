#include "stiction/linalg/general_block_system.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/linalg/row_products.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiction {

GeneralBlockSystem::GeneralBlockSystem() : DirectBlockSystem(make_lu()) {}

bool GeneralBlockSystem::set_pattern(Index nodes, const std::vector<Edge>& pairs) {
    return set_pattern(std::make_shared<const BlockPattern>(BlockPattern::from_pairs(nodes, pairs)));
}

bool GeneralBlockSystem::set_pattern(std::shared_ptr<const BlockPattern> pattern) {
    STICTION_CHECK(pattern, "no pattern");
    const std::size_t blocks = pattern->row_entries.size();
    return adopt_pattern(std::move(pattern), blocks);
}

Edge GeneralBlockSystem::place(Index entry) const {
    const std::vector<Index>& begin = pattern()->row_begin;
    const auto row = std::upper_bound(begin.begin(), begin.end(), entry) - begin.begin() - 1;
    return {static_cast<Index>(row), pattern()->row_entries[entry].column};
}

Index GeneralBlockSystem::entry(Index i, Index j) const {
    if (i < 0 || i >= nodes()) return -1;
    const auto first = pattern()->row_entries.begin() + pattern()->row_begin[i];
    const auto last = pattern()->row_entries.begin() + pattern()->row_begin[i + 1];
    const auto is_left = [](const BlockPattern::RowEntry& candidate, Index column) {
        return candidate.column < column;
    };
    const auto found = std::lower_bound(first, last, j, is_left);
    return found != last && found->column == j ? static_cast<Index>(found - pattern()->row_entries.begin()) : -1;
}

void GeneralBlockSystem::copy_symmetric(const BlockSystem& symmetric) {
    STICTION_CHECK(symmetric.pattern() == pattern() || *symmetric.pattern() == *pattern(),
                   "copy: the symmetric matrix has another pattern");
    const std::vector<Mat3>& stored = symmetric.values();
    parallel_for(static_cast<std::size_t>(nodes()), [&](std::size_t row) {
        for (Index e = pattern()->row_begin[row]; e < pattern()->row_begin[row + 1]; ++e) {
            const auto [column, slot] = pattern()->row_entries[e];
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
    multiply_rows(*pattern(), x, y,
                  [&](std::size_t, Index e, const auto& part, Vec3& sum) { sum.noalias() += values_[e] * part; });
}

}  // namespace stiction
