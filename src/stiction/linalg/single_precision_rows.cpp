#include "stiction/linalg/single_precision_rows.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"

#include <algorithm>

namespace stiction {
namespace {

/// Rows of a block. Bodies are numbered one after the other, so that most entries are between rows of a block.
constexpr Index rows_of_block = 1024;

}  // namespace

/// The kept entries of every row: first those that it shares with earlier rows of its block.
void SinglePrecisionRows::arrange() {
    const BlockPattern& pattern = *pattern_;
    rows_.assign(1, {});
    columns_.clear();
    slots_.clear();
    for (Index row = 0; row < pattern.nodes; ++row) {
        const Index first = row - row % rows_of_block, last = first + rows_of_block;
        const auto take = [&](const auto& wanted) {
            for (Index e = pattern.row_begin[static_cast<std::size_t>(row)];
                 e < pattern.row_begin[static_cast<std::size_t>(row) + 1]; ++e) {
                const BlockPattern::RowEntry& entry = pattern.row_entries[static_cast<std::size_t>(e)];
                if (!wanted(static_cast<Index>(entry.column))) continue;
                columns_.push_back(static_cast<Index>(entry.column));
                slots_.push_back(static_cast<Index>(entry.slot));
            }
            return static_cast<Index>(columns_.size());
        };
        rows_.back().shared = take([&](Index column) { return column >= first && column < row; });
        const Index end = take([&](Index column) { return column < first || column == row || column >= last; });
        rows_.push_back({end, end});
    }
    values_.resize(columns_.size());
}

void SinglePrecisionRows::fill(const BlockSystem& system) {
    if (pattern_ != system.pattern()) {
        pattern_ = system.pattern();
        arrange();
    }
    const std::vector<Mat3>& values = system.values();
    parallel_for(static_cast<std::size_t>(pattern_->nodes), [&](std::size_t row) {
        for (Index e = rows_[row].begin; e < rows_[row + 1].begin; ++e) {
            const auto at = static_cast<std::size_t>(e);
            const Mat3& stored = values[static_cast<std::size_t>(slots_[at])];
            Eigen::Matrix3f& rounded = values_[at];
            if (static_cast<std::size_t>(columns_[at]) <= row) {
                rounded = stored.cast<float>();
            } else {
                rounded = stored.transpose().cast<float>();
            }
        }
    });
}

/// Rows [first, last). A row adds to earlier ones of the block, which have their own sums by then.
void SinglePrecisionRows::multiply_block(Index first, Index last, const double* x, double* y) const {
    for (Index row = first; row < last; ++row) {
        const Row& entries = rows_[static_cast<std::size_t>(row)];
        const Vec3 here = Eigen::Map<const Vec3>(x + 3 * row);
        Vec3 sum = Vec3::Zero();
        for (Index e = entries.begin; e < entries.shared; ++e) {
            const Mat3 value = values_[static_cast<std::size_t>(e)].cast<double>();
            const Index column = columns_[static_cast<std::size_t>(e)];
            sum.noalias() += value * Eigen::Map<const Vec3>(x + 3 * column);
            Eigen::Map<Vec3>(y + 3 * column).noalias() += value.transpose() * here;
        }
        const Index end = rows_[static_cast<std::size_t>(row) + 1].begin;
        for (Index e = entries.shared; e < end; ++e) {
            const Mat3 value = values_[static_cast<std::size_t>(e)].cast<double>();
            sum.noalias() += value * Eigen::Map<const Vec3>(x + 3 * columns_[static_cast<std::size_t>(e)]);
        }
        Eigen::Map<Vec3>(y + 3 * row) = sum;
    }
}

void SinglePrecisionRows::multiply(const VecX& x, VecX& y) const {
    STICTION_CHECK(pattern_ != nullptr && x.size() == 3 * static_cast<Eigen::Index>(pattern_->nodes) && &x != &y,
                   "multiply: vector of another size than the matrix, or x is y");
    y.resize(x.size());
    const auto rows = static_cast<std::size_t>(pattern_->nodes), size = static_cast<std::size_t>(rows_of_block);
    parallel_for((rows + size - 1) / size,
                 [&](std::size_t b) {
                     multiply_block(static_cast<Index>(b * size), static_cast<Index>(std::min(rows, (b + 1) * size)),
                                    x.data(), y.data());
                 },
                 1);
}

}  // namespace stiction
