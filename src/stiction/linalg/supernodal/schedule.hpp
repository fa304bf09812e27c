// Parallel schedule of a supernodal elimination tree: which subtrees are processed at the same time.
#pragma once

#include "stiction/base/parallel.hpp"
#include "stiction/linalg/supernodal/pattern.hpp"

#include <vector>

namespace stiction::supernodal {

/// Subtrees of about equal work, which know nothing of each other, and the supernodes above them. It is a function of
/// the pattern alone: results may depend on it, but not on the number of threads.
struct Schedule {
    struct Range {
        Index begin, end;  ///< supernodes
    };
    std::vector<Range> subtrees;
    /// The supernodes above them, level by level: none is below another of its level or of a level before.
    std::vector<Index> above;
    std::vector<std::size_t> level_begin;  ///< in `above`, one more than levels

    /// Calls subtree(range) for all subtrees, then visit(s) for every supernode above them, after its descendants.
    template <class Subtree, class Visit>
    void from_leaves(const Subtree& subtree, const Visit& visit) const {
        parallel_for(
            subtrees.size(), [&](std::size_t k) { subtree(subtrees[k]); }, 1);
        for (std::size_t l = 0; l + 1 < level_begin.size(); ++l) visit_level(l, visit);
    }

    /// Calls visit(s) for every supernode after its descendants.
    template <class Visit>
    void from_leaves(const Visit& visit) const {
        from_leaves(
            [&](const Range& subtree) {
                for (Index s = subtree.begin; s < subtree.end; ++s) visit(static_cast<std::size_t>(s));
            },
            visit);
    }

    /// Calls visit(s) for every supernode before its descendants.
    template <class Visit>
    void from_roots(const Visit& visit) const {
        for (std::size_t l = level_begin.size() - 1; l-- > 0;) visit_level(l, visit);
        parallel_for(
            subtrees.size(),
            [&](std::size_t k) {
                for (Index s = subtrees[k].end; s-- > subtrees[k].begin;) visit(static_cast<std::size_t>(s));
            },
            1);
    }

private:
    template <class Visit>
    void visit_level(std::size_t level, const Visit& visit) const {
        const std::size_t begin = level_begin[level], end = level_begin[level + 1];
        if (end == begin + 1) return visit(static_cast<std::size_t>(above[begin]));
        parallel_for(
            end - begin, [&](std::size_t k) { visit(static_cast<std::size_t>(above[begin + k])); }, 1);
    }
};

/// Cuts the forest from its roots until no subtree has more than 1 / 32 of the entries of L.
Schedule make_schedule(const Pattern& pattern);

}  // namespace stiction::supernodal
