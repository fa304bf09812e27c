#include "stiction/linalg/block_cholesky/symbolic.hpp"

#include "stiction/base/error.hpp"
#include "stiction/linalg/block_cholesky/elimination_tree.hpp"
#include "stiction/linalg/block_cholesky/update_matrix.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace stiction::block_cholesky {
namespace {

/// Positions [begin, end) as one supernode with `count` front rows; `zeros` blocks of its trapezoid are not in L.
struct Candidate {
    Index begin, end, count;
    double zeros = 0.0;
    Index width() const { return end - begin; }
    double blocks() const { return width() * (count - 0.5 * (width() - 1)); }
};

/// The wider a supernode, the less there is to win by a wider one still.
bool is_worth_merging(const Candidate& merged) {
    const double share = merged.zeros / merged.blocks();
    const Index w = merged.width();
    if (w <= 2) return true;
    if (w <= 8) return share < 0.6;
    return share < (w <= 24 ? 0.2 : 0.05);
}

/// The child ends where the parent begins.
Candidate merge(const Candidate& child, const Candidate& parent) {
    const double w = child.width();
    return {child.begin, parent.end, child.width() + parent.count,
            child.zeros + parent.zeros + w * (w + parent.count - child.count)};
}

std::vector<Candidate> find_supernodes(const EliminationTree& tree) {
    const auto n = static_cast<Index>(tree.parent.size());
    std::vector<Index> children(tree.parent.size(), 0);
    for (const Index p : tree.parent) {
        if (p >= 0) ++children[p];
    }
    std::vector<Candidate> found;
    for (Index begin = 0, end; begin < n; begin = end) {
        end = begin + 1;
        while (end < n && tree.parent[end - 1] == end && children[end] == 1 &&
               tree.count[end] == tree.count[end - 1] - 1)
            ++end;
        Candidate candidate{begin, end, tree.count[begin]};
        while (!found.empty()) {
            const Index above = tree.parent[found.back().end - 1];
            if (above < candidate.begin || above >= candidate.end) break;
            const Candidate merged = merge(found.back(), candidate);
            if (!is_worth_merging(merged)) break;
            candidate = merged;
            found.pop_back();
        }
        found.push_back(candidate);
    }
    return found;
}

/// Rows below every supernode. Row by row: it stands in all supernodes on the paths from its entries in A up the tree.
void find_rows(const BlockPattern& pattern, const EliminationTree& tree, const std::vector<Index>& supernode_of,
               Symbolic& symbolic) {
    std::vector<std::size_t> next(symbolic.row_begin.begin(), symbolic.row_begin.end() - 1);
    std::vector<Index> mark(symbolic.supernodes(), -1);
    symbolic.rows.resize(symbolic.row_begin.back());
    for (Index row = 0; row < symbolic.nodes(); ++row) {
        const Index node = symbolic.order[row], last = supernode_of[row];
        mark[last] = row;
        for (Index e = pattern.row_begin[node]; e < pattern.row_begin[node + 1]; ++e) {
            const Index column = tree.position[pattern.row_entries[e].column];
            if (column >= row) continue;
            for (Index s = supernode_of[column]; mark[s] != row; s = symbolic.parent[s]) {
                mark[s] = row;
                symbolic.rows[next[s]++] = row;
            }
        }
    }
    for (std::size_t s = 0; s < symbolic.supernodes(); ++s)
        STICTION_CHECK(next[s] == symbolic.row_begin[s + 1], "row of L that the column counts do not know");
}

void find_runs(Symbolic& symbolic) {
    symbolic.run_begin.assign(1, 0);
    for (std::size_t s = 0; s < symbolic.supernodes(); ++s) {
        const std::size_t begin = symbolic.row_begin[s], end = symbolic.row_begin[s + 1];
        if (symbolic.parent[s] >= 0) {
            const auto p = static_cast<std::size_t>(symbolic.parent[s]);
            const Index own_begin = symbolic.column_begin[p], own_end = symbolic.column_begin[p + 1];
            std::size_t at = symbolic.row_begin[p];
            Index previous = -2;
            for (std::size_t e = begin; e < end; ++e) {
                const Index row = symbolic.rows[e];
                Index place = row - own_begin;
                if (row >= own_end) {
                    while (symbolic.rows[at] != row) ++at;
                    place = own_end - own_begin + static_cast<Index>(at - symbolic.row_begin[p]);
                }
                if (place == previous + 1) {
                    ++symbolic.runs.back().length;
                } else {
                    symbolic.runs.push_back({static_cast<Index>(e - begin), place, 1});
                }
                previous = place;
            }
        }
        symbolic.run_begin.push_back(symbolic.runs.size());
    }
}

/// Targets of all stored blocks of A, column by column.
void find_entries(const BlockPattern& pattern, const EliminationTree& tree, Symbolic& symbolic) {
    std::vector<Index> place(tree.order.size());  // of a position in the front at hand
    symbolic.entries.reserve(static_cast<std::size_t>(pattern.slots()));
    symbolic.entry_begin.assign(1, 0);
    for (std::size_t s = 0; s < symbolic.supernodes(); ++s) {
        const Index begin = symbolic.column_begin[s], end = symbolic.column_begin[s + 1];
        for (Index k = begin; k < end; ++k) place[k] = k - begin;
        for (std::size_t e = symbolic.row_begin[s]; e < symbolic.row_begin[s + 1]; ++e)
            place[symbolic.rows[e]] = end - begin + static_cast<Index>(e - symbolic.row_begin[s]);
        const std::size_t stride = 3 * static_cast<std::size_t>(symbolic.front(s));
        for (Index k = begin; k < end; ++k) {
            const Index node = symbolic.order[k];
            const std::size_t column = symbolic.value_begin[s] + 3 * stride * static_cast<std::size_t>(k - begin);
            for (Index e = pattern.row_begin[node]; e < pattern.row_begin[node + 1]; ++e) {
                const auto [other, slot] = pattern.row_entries[e];
                const Index row = tree.position[other];
                if (row < k) continue;
                // Stored is the block whose row is the larger node.
                symbolic.entries.push_back(
                    {column + 3 * static_cast<std::size_t>(place[row]), other >= node ? slot : ~slot});
            }
            symbolic.entry_begin.push_back(symbolic.entries.size());
        }
    }
}

void find_children(Symbolic& symbolic) {
    symbolic.child_begin.assign(symbolic.supernodes() + 1, 0);
    for (const Index parent : symbolic.parent) {
        if (parent >= 0) ++symbolic.child_begin[parent + 1];
    }
    for (std::size_t s = 0; s < symbolic.supernodes(); ++s) symbolic.child_begin[s + 1] += symbolic.child_begin[s];
    symbolic.children.resize(symbolic.child_begin.back());
    std::vector<std::size_t> next(symbolic.child_begin.begin(), symbolic.child_begin.end() - 1);
    for (std::size_t s = 0; s < symbolic.supernodes(); ++s) {
        if (symbolic.parent[s] >= 0) symbolic.children[next[symbolic.parent[s]]++] = static_cast<Index>(s);
    }
}

/// Cuts the forest from its roots until no subtree has more than 1 / 64 of the work.
void find_subtrees(Symbolic& symbolic) {
    constexpr double largest_share = 1.0 / 64;
    const std::size_t count = symbolic.supernodes();
    std::vector<double> work(count + 1, 0.0);  // of all supernodes before s
    std::vector<Index> first(count);           // descendant
    for (std::size_t s = 0; s < count; ++s) {
        const double w = symbolic.width(s), f = symbolic.front(s);
        work[s + 1] = work[s] + w * f * f + 100.0 * f;
        first[s] = static_cast<Index>(s);
    }
    for (std::size_t s = 0; s < count; ++s) {
        if (symbolic.parent[s] >= 0) first[symbolic.parent[s]] = std::min(first[symbolic.parent[s]], first[s]);
    }
    for (auto s = static_cast<Index>(count) - 1; s >= 0;) {
        if (work[s + 1] - work[first[s]] > largest_share * work[count] && first[s] < s) {
            symbolic.above.push_back(s--);
        } else {
            symbolic.subtrees.push_back({first[s], s + 1});
            s = first[s] - 1;
        }
    }
    std::reverse(symbolic.above.begin(), symbolic.above.end());
    std::reverse(symbolic.subtrees.begin(), symbolic.subtrees.end());
}

/// Memory of the update matrices: one is there until its parent has taken it up.
void count_updates(Symbolic& symbolic) {
    symbolic.is_odd.assign(symbolic.supernodes(), false);
    for (std::size_t s = symbolic.supernodes(); s-- > 0;) {
        if (symbolic.parent[s] >= 0) symbolic.is_odd[s] = !symbolic.is_odd[symbolic.parent[s]];
    }
    const auto size = [&](std::size_t s) { return update_size(3 * symbolic.below(s)); };
    for (const Index s : symbolic.above) symbolic.update_numbers += size(static_cast<std::size_t>(s));
    for (const auto& [begin, end] : symbolic.subtrees) {
        symbolic.update_numbers += size(static_cast<std::size_t>(end - 1));
        std::size_t numbers = 0;
        for (auto s = static_cast<std::size_t>(begin); s + 1 < static_cast<std::size_t>(end); ++s) {
            numbers += size(s);
            symbolic.most_update_numbers = std::max(symbolic.most_update_numbers, numbers);
            for (std::size_t c = symbolic.child_begin[s]; c < symbolic.child_begin[s + 1]; ++c)
                numbers -= size(static_cast<std::size_t>(symbolic.children[c]));
        }
    }
}

/// Columns, tree and array sizes of the supernodes.
/// @return the supernode of every position
std::vector<Index> lay_out(const EliminationTree& tree, const std::vector<Candidate>& supernodes, Symbolic& symbolic) {
    constexpr std::size_t line = 8;  // arrays start on cache lines
    std::vector<Index> supernode_of;
    supernode_of.reserve(tree.order.size());
    symbolic.column_begin.assign(1, 0);
    symbolic.row_begin.assign(1, 0);
    symbolic.value_begin.assign(1, 0);
    for (const Candidate& s : supernodes) {
        supernode_of.insert(supernode_of.end(), static_cast<std::size_t>(s.width()),
                            static_cast<Index>(symbolic.column_begin.size() - 1));
        symbolic.column_begin.push_back(s.end);
        symbolic.row_begin.push_back(symbolic.row_begin.back() + static_cast<std::size_t>(s.count - s.width()));
        const std::size_t size = 9 * static_cast<std::size_t>(s.count) * static_cast<std::size_t>(s.width());
        symbolic.value_begin.push_back(symbolic.value_begin.back() + (size + line - 1) / line * line);
    }
    for (const Candidate& s : supernodes) {
        const Index above = tree.parent[s.end - 1];
        symbolic.parent.push_back(above < 0 ? -1 : supernode_of[above]);
    }
    return supernode_of;
}

}  // namespace

double Symbolic::nonzeros() const {
    double sum = 0.0;
    for (std::size_t s = 0; s < supernodes(); ++s) {
        const double w = 3.0 * width(s), f = 3.0 * front(s);
        sum += w * f - 0.5 * w * (w - 1.0);
    }
    return sum;
}

Symbolic analyze(const BlockPattern& pattern, const std::vector<Index>& order) {
    const EliminationTree tree = make_elimination_tree(pattern, order);
    Symbolic symbolic;
    symbolic.order = tree.order;
    const std::vector<Index> supernode_of = lay_out(tree, find_supernodes(tree), symbolic);
    find_rows(pattern, tree, supernode_of, symbolic);
    find_runs(symbolic);
    find_entries(pattern, tree, symbolic);
    find_children(symbolic);
    find_subtrees(symbolic);
    count_updates(symbolic);
    return symbolic;
}

}  // namespace stiction::block_cholesky
