#include "stiction/linalg/supernodal/schedule.hpp"

namespace stiction::supernodal {

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
    return schedule;
}

}  // namespace stiction::supernodal
