#include "stiction/linalg/block_cholesky/elimination_tree.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace stiction::block_cholesky {
namespace {

std::vector<Index> inverse_permutation(const std::vector<Index>& order) {
    std::vector<Index> position(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) position[order[k]] = static_cast<Index>(k);
    return position;
}

/// Calls visit(position) for all neighbours of the node at position k.
template <class Visit>
void visit_neighbours(const BlockPattern& pattern, const EliminationTree& tree, std::size_t k, const Visit& visit) {
    const Index node = tree.order[k];
    for (Index e = pattern.row_begin[node]; e < pattern.row_begin[node + 1]; ++e)
        visit(tree.position[pattern.row_entries[e].column]);
}

/// Parents of all positions; `shortcut` skips what earlier rows have climbed.
std::vector<Index> find_parents(const BlockPattern& pattern, const EliminationTree& tree) {
    std::vector<Index> parent(tree.order.size(), -1), shortcut(tree.order.size(), -1);
    for (std::size_t k = 0; k < tree.order.size(); ++k) {
        const auto row = static_cast<Index>(k);
        visit_neighbours(pattern, tree, k, [&](Index node) {
            if (node >= row) return;
            while (shortcut[node] >= 0 && shortcut[node] != row) node = std::exchange(shortcut[node], row);
            if (shortcut[node] < 0) shortcut[node] = parent[node] = row;
        });
    }
    return parent;
}

/// A postorder in which siblings keep the order of `sequence`: result[k] = old position of what comes k-th.
std::vector<Index> postorder_of(const std::vector<Index>& parent, const std::vector<Index>& sequence) {
    const std::size_t n = parent.size();
    std::vector<Index> first_child(n + 1, -1), next_sibling(n, -1), result, stack;
    for (auto at = sequence.rbegin(); at != sequence.rend(); ++at) {
        const std::size_t above = parent[*at] < 0 ? n : static_cast<std::size_t>(parent[*at]);
        next_sibling[*at] = std::exchange(first_child[above], *at);
    }
    result.reserve(n);
    for (Index root = first_child[n]; root >= 0; root = next_sibling[root]) {
        stack.push_back(root);
        while (!stack.empty()) {
            const Index node = stack.back(), child = first_child[node];
            if (child >= 0) {  // each child once: it is taken off the list when it is entered
                first_child[node] = next_sibling[child];
                stack.push_back(child);
            } else {
                result.push_back(node);
                stack.pop_back();
            }
        }
    }
    return result;
}

/// Renumbers positions: `sequence` as postorder_of returns it.
void renumber(const std::vector<Index>& sequence, EliminationTree& tree) {
    const std::vector<Index> renumbered = inverse_permutation(sequence);
    const auto permuted = [&](const std::vector<Index>& values) {
        std::vector<Index> result;
        result.reserve(values.size());
        if (!values.empty()) {
            for (const Index k : sequence) result.push_back(values[k]);
        }
        return result;
    };
    tree.order = permuted(tree.order);
    tree.parent = permuted(tree.parent);
    tree.count = permuted(tree.count);
    for (Index& parent : tree.parent) {
        if (parent >= 0) parent = renumbered[parent];
    }
    tree.position = inverse_permutation(tree.order);
}

/// Row i of L is a subtree of the elimination tree. A column has one entry for each row subtree it is in; summed up the
/// tree, that is one for every leaf of these subtrees, less one for every pair of leaves where their paths meet.
/// The tree must be in postorder.
std::vector<Index> count_columns(const BlockPattern& pattern, const EliminationTree& tree) {
    const std::size_t n = tree.parent.size();
    std::vector<Index> first(n), set(n), last_leaf(n, -1), last_first(n, -1), count(n);
    std::iota(first.begin(), first.end(), 0);
    std::iota(set.begin(), set.end(), 0);
    for (std::size_t k = 0; k < n; ++k) {
        count[k] = first[k] == static_cast<Index>(k) ? 1 : 0;
        if (tree.parent[k] >= 0) first[tree.parent[k]] = std::min(first[tree.parent[k]], first[k]);
    }
    const auto meeting_point = [&](Index leaf) {
        Index root = leaf;
        while (set[root] != root) root = set[root];
        while (leaf != root) leaf = std::exchange(set[leaf], root);
        return root;
    };
    for (std::size_t k = 0; k < n; ++k) {
        const auto column = static_cast<Index>(k);
        if (tree.parent[k] >= 0) --count[tree.parent[k]];
        visit_neighbours(pattern, tree, k, [&](Index row) {
            if (row <= column || first[k] <= last_first[row]) return;
            last_first[row] = first[k];
            ++count[k];
            if (const Index previous = std::exchange(last_leaf[row], column); previous >= 0)
                --count[meeting_point(previous)];
        });
        if (tree.parent[k] >= 0) set[k] = tree.parent[k];
    }
    for (std::size_t k = 0; k < n; ++k) {
        if (tree.parent[k] >= 0) count[tree.parent[k]] += count[k];
    }
    return count;
}

/// Positions by ascending count, roots first as they are: components stay where the ordering put them.
std::vector<Index> by_count(const EliminationTree& tree) {
    std::vector<Index> sequence(tree.parent.size());
    std::iota(sequence.begin(), sequence.end(), 0);
    std::stable_sort(sequence.begin(), sequence.end(), [&](Index a, Index b) {
        return (tree.parent[a] < 0 ? 0 : tree.count[a]) < (tree.parent[b] < 0 ? 0 : tree.count[b]);
    });
    return sequence;
}

}  // namespace

EliminationTree make_elimination_tree(const BlockPattern& pattern, const std::vector<Index>& order) {
    EliminationTree tree{order, inverse_permutation(order), {}, {}};
    tree.parent = find_parents(pattern, tree);
    std::vector<Index> sequence(order.size());
    std::iota(sequence.begin(), sequence.end(), 0);
    renumber(postorder_of(tree.parent, sequence), tree);
    tree.count = count_columns(pattern, tree);
    renumber(postorder_of(tree.parent, by_count(tree)), tree);
    return tree;
}

}  // namespace stiction::block_cholesky
