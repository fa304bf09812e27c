#include "stiction/dynamics/element_orders.hpp"

#include "stiction/base/error.hpp"
#include "stiction/linalg/sparse_factor.hpp"

#include <algorithm>
#include <limits>

namespace stiction {
namespace {

/// Driven vertices are now pulled, now prescribed.
constexpr std::size_t max_entries = 8;

double count_factor_work(const BlockPattern& pattern, const EliminationOrder& order) {
    const auto factor = make_cholesky();
    // A factor that cannot even be counted does not fit.
    if (!factor->analyze(pattern, order.nodes)) return std::numeric_limits<double>::infinity();
    return factor->factor_nonzeros() * factor->factor_nonzeros() /
           (3.0 * pattern.nodes * 9.0 * static_cast<double>(pattern.row_entries.size()));
}

}  // namespace

ElementOrders::Entry& ElementOrders::entry(const Axes& axes, const BlockPattern& pattern) {
    const auto known = std::ranges::find(entries_, axes, &Entry::axes);
    if (known != entries_.end()) {
        STICTION_CHECK(known->order->nodes.size() == at(pattern.nodes), "elimination order of another pattern");
        return *known;
    }
    if (entries_.size() >= max_entries) entries_.erase(entries_.begin());
    return entries_.emplace_back(
        Entry{axes, std::make_shared<const EliminationOrder>(dissected_order(pattern)), std::nullopt});
}

std::shared_ptr<const EliminationOrder> ElementOrders::order(const Axes& axes, const BlockPattern& pattern) {
    return entry(axes, pattern).order;
}

double ElementOrders::factor_work(const Axes& axes, const BlockPattern& pattern) {
    Entry& known = entry(axes, pattern);
    if (!known.factor_work) known.factor_work = count_factor_work(pattern, *known.order);
    return *known.factor_work;
}

}  // namespace stiction
