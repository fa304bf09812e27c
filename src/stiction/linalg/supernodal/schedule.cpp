#include "stiction/linalg/supernodal/schedule.hpp"

#include <algorithm>
#include <map>

namespace stiction::supernodal {
namespace {

/// The level of a supernode above the subtrees is the length of the longest way down from it to one of them.
void sort_by_level(const Pattern& pattern, Schedule& schedule) {
    std::map<Index, Index> level;
    for (const Index s : schedule.above) level[s] = 0;
    for (const Index s : schedule.above) {  // children come before their parents
        const auto parent = level.find(pattern.parent[s]);
        if (parent != level.end()) parent->second = std::max(parent->second, level[s] + 1);
    }
    std::stable_sort(schedule.above.begin(), schedule.above.end(),
                     [&](Index a, Index b) { return level[a] < level[b]; });
    schedule.level_begin.assign(1, 0);
    for (std::size_t k = 0; k < schedule.above.size(); ++k) {
        if (k > 0 && level[schedule.above[k]] != level[schedule.above[k - 1]]) schedule.level_begin.push_back(k);
    }
    if (!schedule.above.empty()) schedule.level_begin.push_back(schedule.above.size());
}

}  // namespace

Schedule make_schedule(const Pattern& pattern) {
    const std::size_t total = pattern.value_begin.back();
    Schedule schedule;
    // From the last supernode down: one that is not inside a subtree already taken is taken whole or goes above all of
    // them.
    for (auto s = static_cast<Index>(pattern.supernodes()) - 1; s >= 0;) {
        const Index first = pattern.first_descendant[s];
        const std::size_t work = pattern.value_begin[s + 1] - pattern.value_begin[first];
        if (32 * work > total && first < s) {
            schedule.above.push_back(s--);
        } else {
            schedule.subtrees.push_back({first, s + 1});
            s = first - 1;
        }
    }
    std::reverse(schedule.above.begin(), schedule.above.end());
    std::reverse(schedule.subtrees.begin(), schedule.subtrees.end());
    sort_by_level(pattern, schedule);
    return schedule;
}

}  // namespace stiction::supernodal
