#include "stiction/linalg/supernodal/automatic_operator.hpp"

#include <tbb/task_arena.h>

namespace stiction::supernodal {

double inverse_entries(const Pattern& pattern) {
    std::vector<double> path(pattern.supernodes());
    double entries = 0.0;
    for (std::size_t s = pattern.supernodes(); s-- > 0;) {
        path[s] = pattern.width(s) + (pattern.parent[s] < 0 ? 0.0 : path[pattern.parent[s]]);
        entries += path[s] * pattern.width(s);
    }
    return entries;
}

AutomaticOperator::AutomaticOperator(Factor factor, double most_entries)
    : solves_(std::move(factor)), makes_inverse_(inverse_entries(solves_.pattern()) <= most_entries) {}

void AutomaticOperator::append_half_column(Index unknown, std::vector<Index>& rows, std::vector<double>& values) const {
    if (!makes_inverse_) return solves_.append_half_column(unknown, rows, values);
    // Isolated: a thread that waits for its part of S must not take up a task that waits for S.
    std::call_once(once_, [&] {
        tbb::this_task_arena::isolate([&] { products_ = std::make_unique<InverseProducts>(invert(solves_.factor())); });
    });
    products_->append_half_column(unknown, rows, values);
}

}  // namespace stiction::supernodal
