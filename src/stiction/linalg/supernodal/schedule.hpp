// Parallel schedule of a supernodal elimination tree: which subtrees are processed at the same time.
#pragma once

#include "stiction/base/parallel.hpp"
#include "stiction/linalg/supernodal/pattern.hpp"

#include <vector>

namespace stiction::supernodal {

/// Subtrees of about equal work, which know nothing of each other, and the supernodes above them. What a supernode
/// computes depends on its children or its parent only, so that the schedule does not touch the result.
struct Schedule {
    struct Range {
        Index begin, end;  ///< supernodes
    };
    std::vector<Range> subtrees;
    std::vector<Index> above;  ///< ascending

    /// Calls visit(s) for every supernode after its descendants.
    template <class Visit>
    void from_leaves(const Visit& visit) const {
        parallel_for(
            subtrees.size(),
            [&](std::size_t k) {
                for (Index s = subtrees[k].begin; s < subtrees[k].end; ++s) visit(static_cast<std::size_t>(s));
            },
            1);
        for (const Index s : above) visit(static_cast<std::size_t>(s));
    }

    /// Calls visit(s) for every supernode before its descendants.
    template <class Visit>
    void from_roots(const Visit& visit) const {
        for (auto s = above.rbegin(); s != above.rend(); ++s) visit(static_cast<std::size_t>(*s));
        parallel_for(
            subtrees.size(),
            [&](std::size_t k) {
                for (Index s = subtrees[k].end; s-- > subtrees[k].begin;) visit(static_cast<std::size_t>(s));
            },
            1);
    }
};

/// Cuts the forest from its roots until no subtree has more than 1 / 32 of the entries of L.
Schedule make_schedule(const Pattern& pattern);

}  // namespace stiction::supernodal
