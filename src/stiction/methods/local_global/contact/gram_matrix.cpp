#include "stiction/methods/local_global/contact/gram_matrix.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/methods/local_global/contact/contact_rows.hpp"
#include "stiction/methods/local_global/contact/row_product.hpp"

#include <algorithm>

namespace stiction::local_global {
namespace {

constexpr std::size_t tile_width = 16;      ///< rows of G that one task computes
constexpr std::size_t product_width = 128;  ///< columns of C whose products one task computes
constexpr std::size_t chunks_of_blocks = 64;
constexpr std::size_t rows_at_once = 64;  ///< of add_rows()

std::size_t tiles_of(std::size_t count, std::size_t width) {
    return (count + width - 1) / width;
}

}  // namespace

void GramMatrix::form(const HalfColumns& columns, Index row_count) {
    size_ = columns.count();
    transpose(columns, row_count);
    make_blocks();
    matrix_.assign(size_ * size_, 0.0);
    const std::size_t tiles = tiles_of(size_, tile_width);
    if (scratch_.size() < tiles) scratch_.resize(tiles);
    parallel_for(
        tiles, [&](std::size_t t) { form_tile(t * tile_width, std::min((t + 1) * tile_width, size_), scratch_[t]); },
        1);
    // A tile has its rows up to its own last column. The rest follows by symmetry.
    parallel_for(
        size_,
        [&](std::size_t c) {
            const std::size_t made = std::min((c / tile_width + 1) * tile_width, size_);
            for (std::size_t d = made; d < size_; ++d) matrix_[c * size_ + d] = matrix_[d * size_ + c];
        },
        16);
}

void GramMatrix::transpose(const HalfColumns& columns, Index row_count) {
    const std::size_t n = at(row_count);
    row_start_.assign(n + 1, 0);
    first_column_.resize(n);
    last_column_.resize(n);
    for (std::size_t c = 0; c < size_; ++c) {
        for (const Index row : columns[c].rows) {
            if (row_start_[at(row) + 1]++ == 0) first_column_[at(row)] = c;
            last_column_[at(row)] = c;
        }
    }
    bool all_adjacent = true;
    for (std::size_t r = 0; r < n; ++r) {
        const std::size_t count = row_start_[r + 1];
        all_adjacent = all_adjacent && (count == 0 || is_adjacent(r, count));
        row_start_[r + 1] += row_start_[r];
    }
    row_columns_.resize(row_start_[n]);
    row_values_.resize(row_start_[n]);
    const auto set = [&](std::size_t to, std::size_t c, double value) {
        row_columns_[to] = static_cast<Index>(c);
        row_values_[to] = value;
    };
    parallel_for(
        size_,
        [&](std::size_t c) {
            const HalfColumns::Column column = columns[c];
            for (std::size_t i = 0; i < column.rows.size(); ++i) {
                const std::size_t row = at(column.rows[i]), begin = row_start_[row];
                if (is_adjacent(row, row_start_[row + 1] - begin))
                    set(begin + (c - first_column_[row]), c, column.values[i]);
            }
        },
        16);
    if (all_adjacent) return;
    next_.assign(row_start_.begin(), row_start_.end());
    for (std::size_t c = 0; c < size_; ++c) {
        const HalfColumns::Column column = columns[c];
        for (std::size_t i = 0; i < column.rows.size(); ++i) {
            const std::size_t row = at(column.rows[i]);
            if (!is_adjacent(row, row_start_[row + 1] - row_start_[row])) set(next_[row]++, c, column.values[i]);
        }
    }
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
            continue;
        }
        blocks_.push_back(
            {.first_row = r, .rows = 1, .first_entry = begin, .columns = count, .adjacent = is_adjacent(r, count)});
    }
}

bool GramMatrix::same_columns(std::size_t a, std::size_t b) const {
    const auto column = [&](std::size_t k) { return row_columns_.begin() + static_cast<std::ptrdiff_t>(k); };
    return std::equal(column(row_start_[a]), column(row_start_[a + 1]), column(row_start_[b]),
                      column(row_start_[b + 1]));
}

GramMatrix::Part GramMatrix::part(const Block& block, std::size_t begin, std::size_t end) const {
    const Index *first = columns_of(block), *last = first + block.columns;
    const auto before = [&](std::size_t limit) -> std::size_t {
        if (limit <= at(first[0])) return 0;
        if (limit > at(last[-1])) return block.columns;
        if (block.adjacent) return limit - at(first[0]);
        return static_cast<std::size_t>(std::lower_bound(first, last, static_cast<Index>(limit)) - first);
    };
    return {block, before(begin), before(end)};
}

/// Rows begin to end of G, up to column end.
void GramMatrix::form_tile(std::size_t begin, std::size_t end, Scratch& scratch) {
    for (const Block& block : blocks_) {
        const auto [_, from, to] = part(block, begin, end);
        if (from == to) continue;
        const Index* const column = columns_of(block);
        if (block.adjacent) {
            gram_product(values_of(block), block.columns, block.rows, from, to - from, to,
                         matrix_.data() + at(column[from]) * size_ + at(column[0]), size_);
            continue;
        }
        scratch.sums.resize(std::max(scratch.sums.size(), tile_width * size_));
        std::fill_n(scratch.sums.begin(), (to - from) * to, 0.0);
        gram_product(values_of(block), block.columns, block.rows, from, to - from, to, scratch.sums.data(), to);
        for (std::size_t i = from; i < to; ++i) {
            double* out = matrix_.data() + at(column[i]) * size_;
            const double* sums = scratch.sums.data() + (i - from) * to;
            for (std::size_t j = 0; j < to; ++j) out[at(column[j])] += sums[j];
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
                     const double* some[rows_at_once];
                     for (std::size_t first = 0; first < acting_rows_.size(); first += rows_at_once) {
                         const std::size_t size = std::min(rows_at_once, acting_rows_.size() - first);
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

void GramMatrix::add_columns(const double* forces, double* y) {
    forces_.resize(size_);
    for (std::size_t c = 0; c < size_; ++c) forces_.set(c, forces + 3 * c);
    if (scratch_.size() < chunks_of_blocks) scratch_.resize(chunks_of_blocks);
    parallel_for(
        chunks_of_blocks,
        [&](std::size_t k) {
            const auto begin_of = [&](std::size_t chunk) { return chunk * blocks_.size() / chunks_of_blocks; };
            for (std::size_t b = begin_of(k); b < begin_of(k + 1); ++b) add_block(blocks_[b], scratch_[k], y);
        },
        1);
}

void GramMatrix::add_block(const Block& block, Scratch& scratch, double* y) const {
    const Index* const column = columns_of(block);
    const PlanarColumns* forces = &forces_;
    std::size_t first = at(column[0]);
    if (!block.adjacent) {
        scratch.columns.resize(size_);
        for (std::size_t j = 0; j < block.columns; ++j) scratch.columns.set(j, forces_[at(column[j])].data());
        forces = &scratch.columns;
        first = 0;
    }
    for (std::size_t r = 0; r < block.rows; ++r)
        Eigen::Map<Vec3>(y + 3 * (block.first_row + r)) +=
            row_product(values_of(block) + r * block.columns, forces->list(0) + first, forces->list(1) + first,
                        forces->list(2) + first, block.columns);
}

void GramMatrix::products(const double* y, PlanarColumns& values) {
    values.set_zero(size_);
    const std::size_t tiles = tiles_of(size_, product_width);
    if (scratch_.size() < tiles) scratch_.resize(tiles);
    parallel_for(
        tiles,
        [&](std::size_t t) {
            for (const Block& block : blocks_) {
                const Part some = part(block, t * product_width, (t + 1) * product_width);
                if (some.from < some.to) add_products(some, y, scratch_[t], values);
            }
        },
        1);
}

void GramMatrix::add_products(const Part& part, const double* y, Scratch& scratch, PlanarColumns& values) const {
    const Block& block = part.block;
    const Index* const column = columns_of(block);
    const std::size_t count = part.to - part.from;
    double* lists[3];
    if (!block.adjacent) scratch.columns.set_zero(std::max(count, product_width));
    for (std::size_t k = 0; k < 3; ++k)
        lists[k] = block.adjacent ? values.list(k) + column[part.from] : scratch.columns.list(k);
    const double* rows[rows_at_once];
    Vec3 weights[rows_at_once];
    for (std::size_t first = 0; first < block.rows; first += rows_at_once) {
        const std::size_t some = std::min(rows_at_once, block.rows - first);
        for (std::size_t r = 0; r < some; ++r) {
            rows[r] = values_of(block) + (first + r) * block.columns + part.from;
            weights[r] = Eigen::Map<const Vec3>(y + 3 * (block.first_row + first + r));
        }
        add_rows(rows, weights, some, lists[0], lists[1], lists[2], count);
    }
    if (block.adjacent) return;
    for (std::size_t j = 0; j < count; ++j) {
        const Vec3 sum = values[at(column[part.from + j])] + scratch.columns[j];
        values.set(at(column[part.from + j]), sum.data());
    }
}

}  // namespace stiction::local_global
