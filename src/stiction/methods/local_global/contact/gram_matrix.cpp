#include "stiction/methods/local_global/contact/gram_matrix.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/methods/local_global/contact/contact_rows.hpp"
#include "stiction/methods/local_global/contact/row_product.hpp"

#include <algorithm>

namespace stiction::local_global {
namespace {

constexpr std::size_t tile_width = 16;  ///< rows of G that one task computes

}  // namespace

void GramMatrix::form(const HalfColumns& columns, Index row_count) {
    columns_ = &columns;
    size_ = columns.count();
    transpose(row_count);
    make_blocks();
    matrix_.assign(size_ * size_, 0.0);
    const std::size_t tiles = (size_ + tile_width - 1) / tile_width;
    if (tiles_.size() < tiles) tiles_.resize(tiles);
    parallel_for(
        tiles, [&](std::size_t t) { form_tile(t * tile_width, std::min((t + 1) * tile_width, size_), tiles_[t]); }, 1);
    // A tile has its rows up to its own last column. The rest follows by symmetry.
    parallel_for(
        size_,
        [&](std::size_t c) {
            const std::size_t made = std::min((c / tile_width + 1) * tile_width, size_);
            for (std::size_t d = made; d < size_; ++d) matrix_[c * size_ + d] = matrix_[d * size_ + c];
        },
        16);
}

void GramMatrix::transpose(Index row_count) {
    const std::size_t n = at(row_count);
    row_start_.assign(n + 1, 0);
    for (std::size_t c = 0; c < size_; ++c) {
        for (const Index row : (*columns_)[c].rows) ++row_start_[at(row) + 1];
    }
    for (std::size_t r = 0; r < n; ++r) row_start_[r + 1] += row_start_[r];
    row_columns_.resize(row_start_[n]);
    row_values_.resize(row_start_[n]);
    for (std::size_t c = 0; c < size_; ++c) {
        const HalfColumns::Column column = (*columns_)[c];
        for (std::size_t i = 0; i < column.rows.size(); ++i) {
            const std::size_t to = row_start_[at(column.rows[i])]++;
            row_columns_[to] = static_cast<Index>(c);
            row_values_[to] = column.values[i];
        }
    }
    for (std::size_t r = n; r > 0; --r) row_start_[r] = row_start_[r - 1];
    row_start_[0] = 0;
}

void GramMatrix::make_blocks() {
    const std::size_t n = row_start_.size() - 1;
    continues_.resize(n);
    parallel_for(n, [&](std::size_t r) { continues_[r] = r > 0 && same_columns(r - 1, r); });
    blocks_.clear();
    for (std::size_t r = 0; r < n; ++r) {
        const std::size_t begin = row_start_[r], count = row_start_[r + 1] - begin;
        if (count == 0) continue;
        if (continues_[r]) {
            ++blocks_.back().rows;
        } else {
            blocks_.push_back({.first_column = begin, .columns = count, .first_value = begin, .rows = 1});
        }
    }
}

bool GramMatrix::same_columns(std::size_t a, std::size_t b) const {
    const auto column = [&](std::size_t k) { return row_columns_.begin() + static_cast<std::ptrdiff_t>(k); };
    return std::equal(column(row_start_[a]), column(row_start_[a + 1]), column(row_start_[b]),
                      column(row_start_[b + 1]));
}

/// Rows begin to end of G, up to column end.
void GramMatrix::form_tile(std::size_t begin, std::size_t end, std::vector<double>& scratch) {
    for (const Block& block : blocks_) {
        const auto first = row_columns_.begin() + static_cast<std::ptrdiff_t>(block.first_column),
                   last = first + static_cast<std::ptrdiff_t>(block.columns);
        const auto before = [&](std::size_t limit) {
            return static_cast<std::size_t>(std::lower_bound(first, last, static_cast<Index>(limit)) - first);
        };
        const std::size_t from = before(begin), to = before(end);
        if (from == to) continue;
        if (scratch.size() < (to - from) * to) scratch.resize((to - from) * to);
        gram_product(row_values_.data() + block.first_value, block.columns, block.rows, from, to - from, to,
                     scratch.data());
        for (std::size_t i = from; i < to; ++i) {
            double* out = matrix_.data() + at(first[static_cast<std::ptrdiff_t>(i)]) * size_;
            const double* sums = scratch.data() + (i - from) * to;
            for (std::size_t j = 0; j < to; ++j) out[at(first[static_cast<std::ptrdiff_t>(j)])] += sums[j];
        }
    }
}

void GramMatrix::collect_acting(const double* forces) {
    acting_rows_.clear();
    acting_forces_.clear();
    for (std::size_t c = 0; c < size_; ++c) {
        const Eigen::Map<const Vec3> force(forces + 3 * c);
        if (force.isZero(0.0)) continue;
        acting_rows_.push_back(row(c));
        acting_forces_.emplace_back(force);
    }
}

/// In tiles that stay in cache. Most contacts of a step are near misses: few columns have a force.
void GramMatrix::multiply(const double* forces, PlanarColumns& values) {
    constexpr std::size_t tile = 256;
    collect_acting(forces);
    values.set_zero(size_);
    parallel_for((size_ + tile - 1) / tile,
                 [&](std::size_t t) {
                     const std::size_t begin = t * tile, count = std::min(tile, size_ - begin);
                     constexpr std::size_t at_once = 64;
                     const double* some[at_once];
                     for (std::size_t first = 0; first < acting_rows_.size(); first += at_once) {
                         const std::size_t size = std::min(at_once, acting_rows_.size() - first);
                         for (std::size_t r = 0; r < size; ++r) some[r] = acting_rows_[first + r] + begin;
                         add_rows(some, acting_forces_.data() + first, size, values.list(0) + begin,
                                  values.list(1) + begin, values.list(2) + begin, count);
                     }
                 },
                 1);
}

void GramMatrix::add(std::size_t column, const Vec3& force, PlanarColumns& values) const {
    const double* const entries = row(column);
    add_rows(&entries, &force, 1, values.list(0), values.list(1), values.list(2), size_);
}

void GramMatrix::add_columns(const double* forces, double* y) const {
    parallel_for(
        row_start_.size() - 1,
        [&](std::size_t r) {
            if (row_start_[r] == row_start_[r + 1]) return;
            Vec3 sum = Vec3::Zero();
            for (std::size_t k = row_start_[r]; k < row_start_[r + 1]; ++k)
                sum += row_values_[k] * Eigen::Map<const Vec3>(forces + 3 * at(row_columns_[k]));
            Eigen::Map<Vec3>(y + 3 * r) += sum;
        },
        256);
}

void GramMatrix::products(const double* y, double* values) const {
    parallel_for(
        size_,
        [&](std::size_t c) {
            const HalfColumns::Column column = (*columns_)[c];
            Vec3 sum = Vec3::Zero();
            for (std::size_t i = 0; i < column.rows.size(); ++i)
                sum += column.values[i] * Eigen::Map<const Vec3>(y + 3 * at(column.rows[i]));
            Eigen::Map<Vec3>(values + 3 * c) = sum;
        },
        16);
}

}  // namespace stiction::local_global
