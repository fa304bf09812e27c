#include "stiction/methods/local_global/contact/half_columns.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/methods/local_global/contact/contact_rows.hpp"

#include <algorithm>

namespace stiction::local_global {
namespace {

constexpr std::size_t chunk_count = 64;  ///< parts of a list that are computed in parallel

}  // namespace

void HalfColumns::Chunk::clear() {
    start.assign(1, 0);
    rows.clear();
    values.clear();
}

/// Adds a column's multiple to the last column, which begins at `begin`.
void HalfColumns::Chunk::add(double weight, const Column& column, std::size_t begin) {
    std::size_t i = begin, j = 0;
    const std::size_t i_end = rows.size(), j_end = column.rows.size();
    merged_rows.clear();
    merged_values.clear();
    while (i < i_end || j < j_end) {
        const bool first = i < i_end && (j == j_end || rows[i] <= column.rows[j]);
        const bool second = j < j_end && (i == i_end || column.rows[j] <= rows[i]);
        merged_rows.push_back(first ? rows[i] : column.rows[j]);
        merged_values.push_back((first ? values[i] : 0.0) + (second ? weight * column.values[j] : 0.0));
        i += first;
        j += second;
    }
    drop(begin);
    rows.insert(rows.end(), merged_rows.begin(), merged_rows.end());
    values.insert(values.end(), merged_values.begin(), merged_values.end());
}

void HalfColumns::Chunk::drop(std::size_t begin) {
    rows.resize(begin);
    values.resize(begin);
}

std::size_t HalfColumns::chunk_begin(std::size_t k) const {
    return k * count_ / chunk_count;
}

std::size_t HalfColumns::chunk_of(std::size_t c) const {
    std::size_t k = c * chunk_count / count_;
    while (k + 1 < chunk_count && chunk_begin(k + 1) <= c) ++k;
    return k;
}

template <class Make>
void HalfColumns::make_chunks(std::size_t count, const Make& make) {
    count_ = count;
    chunks_.resize(chunk_count);
    parallel_for(
        chunk_count,
        [&](std::size_t k) {
            Chunk& chunk = chunks_[k];
            chunk.clear();
            for (std::size_t c = chunk_begin(k); c < chunk_begin(k + 1); ++c) {
                make(c, chunk);
                chunk.start.push_back(chunk.values.size());
            }
        },
        1);
    even_out();
}

void HalfColumns::even_out() {
    std::size_t most = 0;
    for (const Chunk& chunk : chunks_) most = std::max(most, chunk.values.size());
    for (Chunk& chunk : chunks_) {
        if (chunk.values.capacity() >= most && chunk.rows.capacity() >= most) continue;
        chunk.rows.reserve(2 * most);
        chunk.values.reserve(2 * most);
    }
}

void HalfColumns::set_unknowns(const FactoredOperator& system, std::span<const Index> unknowns) {
    make_chunks(unknowns.size(),
                [&](std::size_t c, Chunk& chunk) { system.append_half_column(unknowns[c], chunk.rows, chunk.values); });
}

void HalfColumns::set_sums(const HalfColumns& source, const ColumnSums& sums, std::size_t first_kept,
                           std::vector<double>& squares) {
    squares.resize(sums.count());
    make_chunks(sums.count(), [&](std::size_t c, Chunk& chunk) {
        const std::size_t begin = chunk.values.size();
        for (Index t = sums.start[c]; t < sums.start[c + 1]; ++t)
            chunk.add(sums.weights[at(t)], source[at(sums.columns[at(t)])], begin);
        double square = 0.0;
        for (std::size_t i = begin; i < chunk.values.size(); ++i) square += chunk.values[i] * chunk.values[i];
        squares[c] = square;
        if (c < first_kept) chunk.drop(begin);
    });
}

HalfColumns::Column HalfColumns::operator[](std::size_t c) const {
    const std::size_t k = chunk_of(c), local = c - chunk_begin(k);
    const Chunk& chunk = chunks_[k];
    const std::size_t begin = chunk.start[local];
    return {std::span(chunk.rows).subspan(begin, chunk.start[local + 1] - begin), chunk.values.data() + begin};
}

std::size_t HalfColumns::entries() const {
    std::size_t sum = 0;
    for (const Chunk& chunk : chunks_) sum += chunk.values.size();
    return sum;
}

double sparse_dot(const HalfColumns::Column& a, const HalfColumns::Column& b) {
    double sum = 0.0;
    std::size_t i = 0, j = 0;
    while (i < a.rows.size() && j < b.rows.size()) {
        if (a.rows[i] == b.rows[j]) {
            sum += a.values[i++] * b.values[j++];
        } else if (a.rows[i] < b.rows[j]) {
            ++i;
        } else {
            ++j;
        }
    }
    return sum;
}

}  // namespace stiction::local_global
