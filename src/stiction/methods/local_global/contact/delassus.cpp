#include "stiction/methods/local_global/contact/delassus.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/methods/local_global/contact/row_product.hpp"

#include <algorithm>

namespace stiction::local_global {
namespace {

constexpr std::size_t chunk_count = 64;  ///< parts of a list that are computed in parallel
constexpr Index tile_width = 16;         ///< rows of G that one task computes

/// First item of chunk k of `count` items.
std::size_t chunk_begin(std::size_t k, std::size_t count) {
    return k * count / chunk_count;
}

/// Which chunk item i lies in.
std::size_t chunk_of(std::size_t i, std::size_t count) {
    std::size_t k = i * chunk_count / count;
    while (k + 1 < chunk_count && chunk_begin(k + 1, count) <= i) ++k;
    return k;
}

/// Dot product of two sparse vectors with ascending rows.
double sparse_dot(std::span<const Index> rows_a, const double* a, std::span<const Index> rows_b, const double* b) {
    double sum = 0.0;
    std::size_t i = 0, j = 0;
    while (i < rows_a.size() && j < rows_b.size()) {
        if (rows_a[i] == rows_b[j]) {
            sum += a[i++] * b[j++];
        } else if (rows_a[i] < rows_b[j]) {
            ++i;
        } else {
            ++j;
        }
    }
    return sum;
}

/// Reserves in every chunk twice the size of the largest: contacts move from one chunk to another between steps.
template <class Chunks>
void even_out(Chunks& chunks) {
    std::size_t most = 0;
    for (const auto& chunk : chunks) most = std::max(most, chunk.values.size());
    for (auto& chunk : chunks) {
        if (chunk.values.capacity() >= most && chunk.rows.capacity() >= most) continue;
        chunk.rows.reserve(2 * most);
        chunk.values.reserve(2 * most);
    }
}

}  // namespace

void DelassusOperator::prepare(const ContactRows& rows, const FactoredOperator& system, DelassusKind kind,
                               int products) {
    rows_ = &rows;
    system_ = &system;
    columns_ = rows.column_count();
    collect_unknowns();
    make_half_columns();
    std::size_t entries = 0;
    for (const HalfColumns& chunk : of_unknowns_) entries += chunk.values.size();
    const double length = used_.empty() ? 0.0 : static_cast<double>(entries) / static_cast<double>(used_.size());
    const double square = static_cast<double>(columns_) * static_cast<double>(columns_), times = 3.0 * products;
    const double factor_entries = static_cast<double>(system.bytes()) / 8.0;
    formed_ = kind == DelassusKind::formed ||
              (kind == DelassusKind::automatic && square * (0.5 * length + times) < 2.0 * times * factor_entries);
    make_diagonal();
    keeps_half_ = false;
    if (formed_) {
        make_blocks();
        form();
        keeps_half_ = static_cast<double>(row_values_.size()) <= system.entries();
    }
    for (auto* list : {&forces_, &values_}) list->resize(3 * at(columns_));
    for (auto* list : {&work_, &half_}) list->resize(3 * at(system.size()));
}

void DelassusOperator::collect_unknowns() {
    place_.assign(at(system_->size()), -1);
    used_.clear();
    for (const Index unknown : rows_->unknowns) {
        if (place_[at(unknown)] >= 0) continue;
        place_[at(unknown)] = 0;
        used_.push_back(unknown);
    }
    std::sort(used_.begin(), used_.end());
    for (std::size_t k = 0; k < used_.size(); ++k) place_[at(used_[k])] = static_cast<Index>(k);
}

void DelassusOperator::make_half_columns() {
    of_unknowns_.resize(chunk_count);
    parallel_for(
        chunk_count,
        [&](std::size_t k) {
            HalfColumns& chunk = of_unknowns_[k];
            chunk.start.assign(1, 0);
            chunk.rows.clear();
            chunk.values.clear();
            for (std::size_t i = chunk_begin(k, used_.size()); i < chunk_begin(k + 1, used_.size()); ++i) {
                system_->append_half_column(used_[i], chunk.rows, chunk.values);
                chunk.start.push_back(chunk.values.size());
            }
        },
        1);
    even_out(of_unknowns_);
}

/// Appends sum_i w_i S e_i of one column.
void DelassusOperator::combine(Index column, HalfColumns& out) const {
    const std::size_t begin = out.rows.size();
    for (Index k = rows_->column_start[at(column)]; k < rows_->column_start[at(column) + 1]; ++k) {
        const std::size_t place = at(place_[at(rows_->unknowns[at(k)])]), from = chunk_of(place, used_.size());
        const HalfColumns& source = of_unknowns_[from];
        const std::size_t local = place - chunk_begin(from, used_.size());
        const double weight = rows_->weights[at(k)];
        std::size_t i = begin, j = source.start[local];
        const std::size_t i_end = out.rows.size(), j_end = source.start[local + 1];
        out.merged_rows.clear();
        out.merged_values.clear();
        while (i < i_end || j < j_end) {
            const bool first = i < i_end && (j == j_end || out.rows[i] <= source.rows[j]);
            const bool second = j < j_end && (i == i_end || source.rows[j] <= out.rows[i]);
            out.merged_rows.push_back(first ? out.rows[i] : source.rows[j]);
            out.merged_values.push_back((first ? out.values[i] : 0.0) + (second ? weight * source.values[j] : 0.0));
            i += first;
            j += second;
        }
        out.rows.resize(begin);
        out.values.resize(begin);
        out.rows.insert(out.rows.end(), out.merged_rows.begin(), out.merged_rows.end());
        out.values.insert(out.values.end(), out.merged_values.begin(), out.merged_values.end());
    }
    out.start.push_back(out.values.size());
}

void DelassusOperator::make_diagonal() {
    const std::size_t columns = at(columns_), contacts = at(rows_->contact_count());
    diagonal_.resize(at(rows_->row_count()));
    of_columns_.resize(chunk_count);
    parallel_for(
        chunk_count,
        [&](std::size_t k) {
            HalfColumns& chunk = of_columns_[k];
            chunk.start.assign(1, 0);
            chunk.rows.clear();
            chunk.values.clear();
            for (std::size_t c = chunk_begin(k, columns); c < chunk_begin(k + 1, columns); ++c) {
                const std::size_t begin = chunk.values.size();
                combine(static_cast<Index>(c), chunk);
                if (c >= contacts) continue;
                double square = 0.0;
                for (std::size_t i = begin; i < chunk.values.size(); ++i) square += chunk.values[i] * chunk.values[i];
                std::fill_n(diagonal_.begin() + static_cast<std::ptrdiff_t>(3 * c), 3, square);
                if (formed_) continue;
                chunk.rows.resize(begin);
                chunk.values.resize(begin);
                chunk.start.back() = begin;
            }
        },
        1);
    even_out(of_columns_);
    for (Index j = 0; j < rows_->bilateral_count(); ++j) diagonal_[3 * contacts + at(j)] = bilateral_diagonal(j);
}

double DelassusOperator::bilateral_diagonal(Index row) const {
    const auto direction = [&](Index t) { return Eigen::Map<const Vec3>(rows_->term_directions.data() + 3 * at(t)); };
    const auto column = [&](Index t, std::span<const Index>& rows) {
        const std::size_t c = at(rows_->term_columns[at(t)]), k = chunk_of(c, at(columns_)),
                          local = c - chunk_begin(k, at(columns_));
        const HalfColumns& chunk = of_columns_[k];
        rows = std::span(chunk.rows).subspan(chunk.start[local], chunk.start[local + 1] - chunk.start[local]);
        return chunk.values.data() + chunk.start[local];
    };
    double sum = 0.0;
    for (Index s = rows_->term_start[at(row)]; s < rows_->term_start[at(row) + 1]; ++s) {
        for (Index t = rows_->term_start[at(row)]; t <= s; ++t) {
            const double along = direction(s).dot(direction(t));
            if (along == 0.0) continue;
            std::span<const Index> rows_s, rows_t;
            const double* values_s = column(s, rows_s);
            const double* values_t = column(t, rows_t);
            sum += (s == t ? 1.0 : 2.0) * along * sparse_dot(rows_s, values_s, rows_t, values_t);
        }
    }
    return sum;
}

/// The transpose of S B, row after row. Consecutive rows with entries in the same columns make a dense block.
void DelassusOperator::make_blocks() {
    const std::size_t n = at(system_->size());
    row_start_.assign(n + 1, 0);
    for (const HalfColumns& chunk : of_columns_) {
        for (const Index row : chunk.rows) ++row_start_[at(row) + 1];
    }
    for (std::size_t r = 0; r < n; ++r) row_start_[r + 1] += row_start_[r];
    row_columns_.resize(row_start_[n]);
    row_values_.resize(row_start_[n]);
    for (std::size_t k = 0; k < chunk_count; ++k) {
        const HalfColumns& chunk = of_columns_[k];
        for (std::size_t c = 0; c + 1 < chunk.start.size(); ++c) {
            for (std::size_t i = chunk.start[c]; i < chunk.start[c + 1]; ++i) {
                const std::size_t to = row_start_[at(chunk.rows[i])]++;
                row_columns_[to] = static_cast<Index>(chunk_begin(k, at(columns_)) + c);
                row_values_[to] = chunk.values[i];
            }
        }
    }
    for (std::size_t r = n; r > 0; --r) row_start_[r] = row_start_[r - 1];
    row_start_[0] = 0;

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

bool DelassusOperator::same_columns(std::size_t a, std::size_t b) const {
    const auto column = [&](std::size_t k) { return row_columns_.begin() + static_cast<std::ptrdiff_t>(k); };
    return std::equal(column(row_start_[a]), column(row_start_[a + 1]), column(row_start_[b]),
                      column(row_start_[b + 1]));
}

void DelassusOperator::form() {
    matrix_.assign(at(columns_) * at(columns_), 0.0);
    const std::size_t tiles = at((columns_ + tile_width - 1) / tile_width);
    if (tiles_.size() < tiles) tiles_.resize(tiles);
    parallel_for(
        tiles,
        [&](std::size_t t) {
            const Index begin = static_cast<Index>(t) * tile_width;
            form_tile(begin, std::min(begin + tile_width, columns_), tiles_[t]);
        },
        1);
    // A tile has its rows up to its own last column. The rest follows by symmetry.
    parallel_for(
        at(columns_),
        [&](std::size_t c) {
            const std::size_t m = at(columns_), made = std::min((c / tile_width + 1) * tile_width, m);
            for (std::size_t d = made; d < m; ++d) matrix_[c * m + d] = matrix_[d * m + c];
        },
        16);
}

/// Rows begin to end of G, up to column end.
void DelassusOperator::form_tile(Index begin, Index end, std::vector<double>& scratch) {
    const std::size_t m = at(columns_);
    for (const Block& block : blocks_) {
        const auto first = row_columns_.begin() + static_cast<std::ptrdiff_t>(block.first_column),
                   last = first + static_cast<std::ptrdiff_t>(block.columns);
        const std::size_t from = static_cast<std::size_t>(std::lower_bound(first, last, begin) - first),
                          to = static_cast<std::size_t>(std::lower_bound(first, last, end) - first);
        if (from == to) continue;
        if (scratch.size() < (to - from) * to) scratch.resize((to - from) * to);
        gram_product(row_values_.data() + block.first_value, block.columns, block.rows, from, to - from, to,
                     scratch.data());
        for (std::size_t i = from; i < to; ++i) {
            double* out = matrix_.data() + at(first[static_cast<std::ptrdiff_t>(i)]) * m;
            const double* sums = scratch.data() + (i - from) * to;
            for (std::size_t j = 0; j < to; ++j) out[at(first[static_cast<std::ptrdiff_t>(j)])] += sums[j];
        }
    }
}

void DelassusOperator::collect_acting(const double* forces) {
    acting_rows_.clear();
    acting_forces_.clear();
    const std::size_t m = at(columns_);
    for (std::size_t c = 0; c < m; ++c) {
        const Eigen::Map<const Vec3> force(forces + 3 * c);
        if (force.isZero(0.0)) continue;
        acting_rows_.push_back(matrix_.data() + c * m);
        acting_forces_.emplace_back(force);
    }
}

/// Row by row of those columns that have a force: most contacts of a step are near misses. In tiles that stay in cache.
void DelassusOperator::formed_values(const double* forces, PlanarColumns& values) {
    constexpr std::size_t tile = 256;
    const std::size_t m = at(columns_);
    collect_acting(forces);
    values.set_zero(m);
    parallel_for((m + tile - 1) / tile,
                 [&](std::size_t t) {
                     const std::size_t begin = t * tile, count = std::min(tile, m - begin);
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

void DelassusOperator::add_formed(std::size_t column, const Vec3& force, PlanarColumns& values) const {
    const std::size_t m = at(columns_);
    const double* const row = matrix_.data() + column * m;
    add_rows(&row, &force, 1, values.list(0), values.list(1), values.list(2), m);
}

void DelassusOperator::select(const std::vector<double>& rows) {
    if (!formed_) return;
    const std::size_t m = at(columns_), contacts = at(rows_->contact_count());
    selected_.clear();
    for (std::size_t c = 0; c < m; ++c) {
        if (c >= contacts || rows[3 * c] != 0.0 || rows[3 * c + 1] != 0.0 || rows[3 * c + 2] != 0.0)
            selected_.push_back(c);
    }
    const std::size_t n = selected_.size();
    if (selected_matrix_.size() < n * n) selected_matrix_.resize(n * n);
    parallel_for(
        n,
        [&](std::size_t i) {
            const double* row = matrix_.data() + selected_[i] * m;
            double* out = selected_matrix_.data() + i * n;
            for (std::size_t j = 0; j < n; ++j) out[j] = row[selected_[j]];
        },
        64);
    planar_.resize(n);
    std::fill(values_.begin(), values_.end(), 0.0);
}

void DelassusOperator::multiply_selected(const double* z, double* out) {
    if (!formed_) return multiply(z, out);
    rows_->column_forces(z, forces_.data());
    const std::size_t n = selected_.size();
    for (std::size_t i = 0; i < n; ++i) planar_.set(i, forces_.data() + 3 * selected_[i]);
    parallel_for(
        n,
        [&](std::size_t i) {
            Eigen::Map<Vec3>(values_.data() + 3 * selected_[i]) =
                row_product(selected_matrix_.data() + i * n, planar_.list(0), planar_.list(1), planar_.list(2), n);
        },
        64);
    rows_->row_values(values_.data(), false, out);
}

void DelassusOperator::multiply(const double* z, double* out) {
    if (formed_) {
        rows_->column_forces(z, forces_.data());
        formed_values(forces_.data(), all_values_);
        for (std::size_t c = 0; c < at(columns_); ++c) Eigen::Map<Vec3>(values_.data() + 3 * c) = all_values_[c];
    } else {
        respond(z);
        rows_->column_values(work_.data(), values_.data());
    }
    rows_->row_values(values_.data(), false, out);
}

void DelassusOperator::positions(const double* free, const double* z, double* q) {
    respond(z);
    for (std::size_t i = 0; i < work_.size(); ++i) q[i] = free[i] + work_[i];
}

/// work = A^-1 H^T z
void DelassusOperator::respond(const double* z) {
    rows_->column_forces(z, forces_.data());
    std::fill(work_.begin(), work_.end(), 0.0);
    rows_->add_to_unknowns(forces_.data(), work_.data());
    system_->solve(work_.data(), work_.data());
}

/// y += S P H^T z
void DelassusOperator::add_half(const double* z, double* y) {
    rows_->column_forces(z, forces_.data());
    parallel_for(
        at(system_->size()),
        [&](std::size_t r) {
            if (row_start_[r] == row_start_[r + 1]) return;
            Vec3 sum = Vec3::Zero();
            for (std::size_t k = row_start_[r]; k < row_start_[r + 1]; ++k)
                sum += row_values_[k] * Eigen::Map<const Vec3>(forces_.data() + 3 * at(row_columns_[k]));
            Eigen::Map<Vec3>(y + 3 * r) += sum;
        },
        256);
}

void DelassusOperator::values_of_half(const double* y, double* rows) {
    parallel_for(
        chunk_count,
        [&](std::size_t k) {
            const HalfColumns& chunk = of_columns_[k];
            for (std::size_t c = 0; c + 1 < chunk.start.size(); ++c) {
                Vec3 sum = Vec3::Zero();
                for (std::size_t i = chunk.start[c]; i < chunk.start[c + 1]; ++i)
                    sum += chunk.values[i] * Eigen::Map<const Vec3>(y + 3 * at(chunk.rows[i]));
                Eigen::Map<Vec3>(values_.data() + 3 * (chunk_begin(k, at(columns_)) + c)) = sum;
            }
        },
        1);
    rows_->row_values(values_.data(), false, rows);
}

void DelassusOperator::positions_of_half(const double* present, const double* y, const double* z, double* q) {
    std::copy_n(y, half_.size(), half_.begin());
    add_half(z, half_.data());
    system_->solve_second_half(half_.data(), work_.data());
    for (std::size_t i = 0; i < work_.size(); ++i) q[i] = present[i] + work_[i];
}

}  // namespace stiction::local_global
