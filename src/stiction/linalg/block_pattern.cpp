#include "stiction/linalg/block_pattern.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"

#include <algorithm>
#include <numeric>

namespace stiction {
namespace {

/// The rows of every column with duplicates: a counting sort by column, each column then sorted by itself.
struct Buckets {
    std::vector<std::size_t> begin;  // nodes + 1
    std::vector<Index> rows;
    std::vector<Index> unique;  // number of different rows of each column, moved to the front of its bucket
};

Buckets sort_by_column(Index nodes, const std::vector<Edge>& pairs) {
    const auto n = static_cast<std::size_t>(nodes);
    Buckets buckets{std::vector<std::size_t>(n + 1, 0), {}, std::vector<Index>(n, 0)};
    for (const auto& [i, j] : pairs) {
        STICTION_CHECK(i >= 0 && j >= 0 && i < nodes && j < nodes, "pair of nodes outside the block pattern");
        ++buckets.begin[std::min(i, j) + 1];
    }
    for (std::size_t j = 0; j < n; ++j) buckets.begin[j + 1] += buckets.begin[j] + 1;  // + 1: the diagonal
    buckets.rows.resize(buckets.begin[n]);
    std::vector<std::size_t> cursor(buckets.begin.begin(), buckets.begin.end() - 1);
    for (std::size_t j = 0; j < n; ++j) buckets.rows[cursor[j]++] = static_cast<Index>(j);
    for (const auto& [i, j] : pairs) buckets.rows[cursor[std::min(i, j)]++] = std::max(i, j);
    parallel_for(n, [&](std::size_t j) {
        const auto first = buckets.rows.begin() + static_cast<std::ptrdiff_t>(buckets.begin[j]);
        const auto last = buckets.rows.begin() + static_cast<std::ptrdiff_t>(buckets.begin[j + 1]);
        std::sort(first, last);
        buckets.unique[j] = static_cast<Index>(std::unique(first, last) - first);
    });
    return buckets;
}

/// Fills row_begin and row_entries from the columns.
void add_full_rows(BlockPattern& pattern) {
    const auto n = static_cast<std::size_t>(pattern.nodes);
    pattern.row_begin.assign(n + 1, 0);
    for (std::size_t j = 0; j < n; ++j) {
        const Index begin = pattern.column_begin[j], end = pattern.column_begin[j + 1];
        pattern.row_begin[j + 1] += end - begin;
        for (Index s = begin + 1; s < end; ++s) ++pattern.row_begin[pattern.rows[s] + 1];
    }
    std::partial_sum(pattern.row_begin.begin(), pattern.row_begin.end(), pattern.row_begin.begin());
    pattern.row_entries.resize(static_cast<std::size_t>(pattern.row_begin[n]));
    std::vector<Index> cursor(pattern.row_begin.begin(), pattern.row_begin.end() - 1);
    const auto append = [&](Index row, Index column, Index slot) {
        pattern.row_entries[cursor[row]++] = {column, slot};
    };
    // When column j is reached, row j already holds its entries left of the diagonal, in order; its own column follows.
    for (std::size_t j = 0; j < n; ++j) {
        for (Index s = pattern.column_begin[j]; s < pattern.column_begin[j + 1]; ++s) {
            const Index row = pattern.rows[s];
            append(static_cast<Index>(j), row, s);
            if (row != static_cast<Index>(j)) append(row, static_cast<Index>(j), s);
        }
    }
}

}  // namespace

BlockPattern BlockPattern::from_pairs(Index nodes, const std::vector<Edge>& pairs) {
    STICTION_CHECK(nodes >= 0, "negative number of nodes");
    const Buckets buckets = sort_by_column(nodes, pairs);
    const auto n = static_cast<std::size_t>(nodes);
    BlockPattern pattern;
    pattern.nodes = nodes;
    pattern.column_begin.assign(n + 1, 0);
    for (std::size_t j = 0; j < n; ++j) pattern.column_begin[j + 1] = pattern.column_begin[j] + buckets.unique[j];
    pattern.rows.resize(static_cast<std::size_t>(pattern.column_begin[n]));
    parallel_for(n, [&](std::size_t j) {
        std::copy_n(buckets.rows.begin() + static_cast<std::ptrdiff_t>(buckets.begin[j]), buckets.unique[j],
                    pattern.rows.begin() + pattern.column_begin[j]);
    });
    add_full_rows(pattern);
    return pattern;
}

Index BlockPattern::slot(Index i, Index j) const {
    const Index row = std::max(i, j), column = std::min(i, j);
    if (column < 0 || row >= nodes) return -1;
    const auto first = rows.begin() + column_begin[column];
    const auto last = rows.begin() + column_begin[column + 1];
    const auto found = std::lower_bound(first, last, row);
    return found != last && *found == row ? static_cast<Index>(found - rows.begin()) : -1;
}

}  // namespace stiction
