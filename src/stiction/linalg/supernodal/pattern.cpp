#include "stiction/linalg/supernodal/pattern.hpp"

#include "stiction/base/error.hpp"
#include "stiction/linalg/ordering.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace stiction::supernodal {
namespace {

/// Neighbours with a smaller number of every node, ascending: the rows of the strictly lower triangle.
struct LowerRows {
    std::vector<std::size_t> begin;
    std::vector<Index> columns;
};

BlockPattern graph_of(const Eigen::SparseMatrix<double>& matrix) {
    std::vector<Edge> pairs;
    for (Eigen::Index j = 0; j < matrix.outerSize(); ++j) {
        for (Eigen::SparseMatrix<double>::InnerIterator entry(matrix, j); entry; ++entry) {
            if (entry.row() > j) pairs.push_back({static_cast<Index>(entry.row()), static_cast<Index>(j)});
        }
    }
    return BlockPattern::from_pairs(static_cast<Index>(matrix.rows()), pairs);
}

LowerRows lower_rows(const BlockPattern& graph, const std::vector<Index>& order, const std::vector<Index>& position) {
    LowerRows lower;
    lower.begin.push_back(0);
    for (std::size_t k = 0; k < order.size(); ++k) {
        for (Index e = graph.row_begin[order[k]]; e < graph.row_begin[order[k] + 1]; ++e) {
            const Index neighbour = position[graph.row_entries[e].column];
            if (neighbour < static_cast<Index>(k)) lower.columns.push_back(neighbour);
        }
        std::sort(lower.columns.begin() + static_cast<std::ptrdiff_t>(lower.begin.back()), lower.columns.end());
        lower.begin.push_back(lower.columns.size());
    }
    return lower;
}

/// Liu's algorithm with path compression.
std::vector<Index> elimination_tree(const LowerRows& lower) {
    const std::size_t n = lower.begin.size() - 1;
    std::vector<Index> parent(n, -1), ancestor(n, -1);
    for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t e = lower.begin[k]; e < lower.begin[k + 1]; ++e) {
            Index node = lower.columns[e];
            while (ancestor[node] >= 0 && ancestor[node] != static_cast<Index>(k)) {
                node = std::exchange(ancestor[node], static_cast<Index>(k));
            }
            if (ancestor[node] < 0) ancestor[node] = parent[node] = static_cast<Index>(k);
        }
    }
    return parent;
}

/// Entries of every column of L, the diagonal one counted: each row of L is a subtree that hangs on the row's node.
std::vector<Index> column_counts(const LowerRows& lower, const std::vector<Index>& parent) {
    const std::size_t n = parent.size();
    std::vector<Index> count(n, 1), mark(n, -1);
    for (std::size_t k = 0; k < n; ++k) {
        const auto row = static_cast<Index>(k);
        mark[k] = row;
        for (std::size_t e = lower.begin[k]; e < lower.begin[k + 1]; ++e) {
            for (Index node = lower.columns[e]; mark[node] != row; node = parent[node]) {
                mark[node] = row;
                ++count[node];
            }
        }
    }
    return count;
}

/// Postorder of a forest whose parents have higher numbers; among siblings the one with the longest column comes last,
/// next to its parent, where it can be merged with it.
std::vector<Index> postorder(const std::vector<Index>& parent, const std::vector<Index>& count) {
    const std::size_t n = parent.size();
    std::vector<Index> by_count(n);
    std::iota(by_count.begin(), by_count.end(), 0);
    std::stable_sort(by_count.begin(), by_count.end(), [&](Index a, Index b) { return count[a] < count[b]; });
    std::vector<std::vector<Index>> children(n + 1);
    for (const Index node : by_count)
        children[parent[node] < 0 ? n : static_cast<std::size_t>(parent[node])].push_back(node);
    // Roots keep their order: components stay where the ordering put them.
    std::sort(children[n].begin(), children[n].end());
    std::vector<Index> result, stack(children[n].rbegin(), children[n].rend());
    result.reserve(n);
    std::vector<bool> expanded(n, false);
    while (!stack.empty()) {
        const Index node = stack.back();
        if (expanded[node]) {
            result.push_back(node);
            stack.pop_back();
            continue;
        }
        expanded[node] = true;
        stack.insert(stack.end(), children[node].rbegin(), children[node].rend());
    }
    return result;
}

/// A run of columns [begin, end) with `count` rows in the front, and how many zeros it makes L and S store.
struct Run {
    Index begin, end, count;
    double descendants = 0.0;    ///< columns of the subtrees that hang on it
    double inner_entries = 0.0;  ///< of S in the rows and columns of its whole subtree
    double factor_zeros = 0.0, inverse_zeros = 0.0;
    Index width() const { return end - begin; }
    double factor_entries() const { return width() * (count - 0.5 * (width() - 1)); }
};

/// The larger a supernode, the fewer zeros are worth having it larger still. S can have many where L has none: if of
/// two branches one is merged with the stem, its columns become rows of the other branch too.
bool worth_merging(const Run& merged) {
    const double share = merged.factor_zeros / merged.factor_entries();
    const Index w = merged.width();
    if (w <= 4) return true;
    if (w <= 16) return share < 0.8;
    return share < (w <= 48 ? 0.1 : 0.05) && merged.inverse_zeros < 0.05 * merged.inner_entries;
}

/// The child comes right before its parent.
Run merged_run(const Run& child, const Run& parent) {
    Run merged{child.begin, parent.end, child.width() + parent.count};
    merged.descendants = parent.descendants - child.width();
    const double w = child.width(), others = merged.descendants - child.descendants;
    merged.inner_entries = parent.inner_entries + w * (others + parent.width());
    merged.factor_zeros = child.factor_zeros + parent.factor_zeros + w * (w + parent.count - child.count);
    merged.inverse_zeros = child.inverse_zeros + parent.inverse_zeros + w * others;
    return merged;
}

/// Runs of columns of equal structure, each merged with the last of its children where it is worth it.
std::vector<Run> find_runs(const std::vector<Index>& parent, const std::vector<Index>& count) {
    const auto n = static_cast<Index>(parent.size());
    std::vector<Index> children(parent.size(), 0);
    for (const Index p : parent) {
        if (p >= 0) ++children[p];
    }
    std::vector<Run> runs;
    std::vector<double> subtree(parent.size() + 1, 0.0),
        entries(parent.size() + 1, 0.0);  // what has arrived at each column from below
    for (Index begin = 0, end; begin < n; begin = end) {
        end = begin + 1;
        while (end < n && parent[end - 1] == end && children[end] == 1 && count[end] == count[end - 1] - 1) ++end;
        Run run{begin, end, count[begin], subtree[begin], entries[begin]};
        run.inner_entries += run.width() * (run.descendants + run.width());
        const Index above = parent[end - 1] < 0 ? n : parent[end - 1];
        while (!runs.empty() && parent[runs.back().end - 1] >= run.begin && parent[runs.back().end - 1] < run.end) {
            const Run merged = merged_run(runs.back(), run);
            if (!worth_merging(merged)) break;
            run = merged;
            runs.pop_back();
        }
        subtree[above] += run.descendants + run.width();
        entries[above] += run.inner_entries;
        runs.push_back(run);
    }
    return runs;
}

/// Rows below the columns of every supernode: those of A and those of its children.
void find_rows(const LowerRows& lower, Pattern& pattern) {
    const std::size_t count = pattern.column_begin.size() - 1, n = pattern.order.size();
    std::vector<std::vector<Index>> rows(count);
    for (std::size_t k = 0; k < n; ++k) {
        const auto row = static_cast<Index>(k);
        for (std::size_t e = lower.begin[k]; e < lower.begin[k + 1]; ++e) {
            std::vector<Index>& of = rows[pattern.supernode_of[lower.columns[e]]];
            if (of.empty() || of.back() != row) of.push_back(row);
        }
    }
    pattern.parent.assign(count, -1);
    pattern.first_descendant.resize(count);
    std::iota(pattern.first_descendant.begin(), pattern.first_descendant.end(), 0);
    pattern.row_begin.assign(1, 0);
    std::vector<Index> merged;
    for (std::size_t s = 0; s < count; ++s) {
        std::vector<Index>& own = rows[s];
        std::sort(own.begin(), own.end());
        own.erase(own.begin(), std::lower_bound(own.begin(), own.end(), pattern.column_begin[s + 1]));
        own.erase(std::unique(own.begin(), own.end()), own.end());
        pattern.rows.insert(pattern.rows.end(), own.begin(), own.end());
        pattern.row_begin.push_back(pattern.rows.size());
        if (own.empty()) continue;
        const Index parent = pattern.parent[s] = pattern.supernode_of[own.front()];
        pattern.first_descendant[parent] = std::min(pattern.first_descendant[parent], pattern.first_descendant[s]);
        std::vector<Index>& above = rows[parent];
        above.insert(above.end(), own.begin(), own.end());
        own = {};
    }
}

void find_places_in_parents(Pattern& pattern) {
    pattern.in_parent.reserve(pattern.rows.size());
    for (std::size_t s = 0; s < pattern.supernodes(); ++s) {
        if (pattern.parent[s] < 0) continue;
        const auto p = static_cast<std::size_t>(pattern.parent[s]);
        std::size_t at = pattern.row_begin[p];
        for (std::size_t e = pattern.row_begin[s]; e < pattern.row_begin[s + 1]; ++e) {
            const Index row = pattern.rows[e];
            if (row < pattern.column_begin[p + 1]) {
                pattern.in_parent.push_back(row - pattern.column_begin[p]);
                continue;
            }
            while (pattern.rows[at] != row) ++at;
            pattern.in_parent.push_back(pattern.width(p) + static_cast<Index>(at - pattern.row_begin[p]));
        }
    }
}

void set_order(const std::vector<Index>& order, Pattern& pattern) {
    pattern.order = order;
    pattern.position.resize(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) pattern.position[order[k]] = static_cast<Index>(k);
}

}  // namespace

std::size_t Pattern::bytes() const {
    return array_bytes(order) + array_bytes(position) + array_bytes(column_begin) + array_bytes(supernode_of) +
           array_bytes(parent) + array_bytes(first_descendant) + array_bytes(row_begin) + array_bytes(rows) +
           array_bytes(in_parent) + array_bytes(value_begin);
}

Pattern analyze(const Eigen::SparseMatrix<double>& matrix) {
    STICTION_CHECK(matrix.rows() == matrix.cols(), "the matrix of a factored operator must be square");
    const BlockPattern graph = graph_of(matrix);
    Pattern pattern;
    pattern.unknowns = graph.nodes;
    set_order(nested_dissection(graph), pattern);
    LowerRows lower = lower_rows(graph, pattern.order, pattern.position);
    std::vector<Index> parent = elimination_tree(lower);
    std::vector<Index> order = postorder(parent, column_counts(lower, parent));
    for (Index& k : order) k = pattern.order[k];
    set_order(order, pattern);
    lower = lower_rows(graph, pattern.order, pattern.position);
    parent = elimination_tree(lower);

    pattern.column_begin.assign(1, 0);
    for (const Run& run : find_runs(parent, column_counts(lower, parent))) {
        pattern.supernode_of.insert(pattern.supernode_of.end(), static_cast<std::size_t>(run.width()),
                                    static_cast<Index>(pattern.column_begin.size() - 1));
        pattern.column_begin.push_back(run.end);
    }
    find_rows(lower, pattern);
    find_places_in_parents(pattern);
    pattern.value_begin.assign(1, 0);
    for (std::size_t s = 0; s < pattern.supernodes(); ++s) {
        pattern.value_begin.push_back(pattern.value_begin.back() + static_cast<std::size_t>(pattern.front(s)) *
                                                                       static_cast<std::size_t>(pattern.width(s)));
    }
    return pattern;
}

}  // namespace stiction::supernodal
