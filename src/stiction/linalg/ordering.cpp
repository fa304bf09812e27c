#include "stiction/linalg/ordering.hpp"

#include "stiction/base/error.hpp"
#include "stiction/linalg/block_cholesky/elimination_tree.hpp"

#include <metis.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <string>
#include <utility>

namespace stiction {
namespace {

/// Below this size a component keeps its natural order: dissection cannot win and METIS would only cost.
constexpr std::size_t smallest_dissected = 16;

/// A dissection takes as long as a factorisation, in single precision by two threads, of so much elimination_work() a
/// node; measured on one machine.
constexpr double dissection_work_a_node = 8000.0;

/// METIS draws from the C library's one random generator: two callers at once would disturb each other's sequence.
std::mutex& metis_mutex() {
    static std::mutex mutex;
    return mutex;
}

/// Nodes of each connected component; components by their smallest node, nodes of one in breadth-first order from it.
std::vector<std::vector<Index>> connected_components(const BlockPattern& pattern) {
    std::vector<std::vector<Index>> components;
    std::vector<bool> seen(static_cast<std::size_t>(pattern.nodes), false);
    for (Index start = 0; start < pattern.nodes; ++start) {
        if (seen[start]) continue;
        seen[start] = true;
        std::vector<Index> component{start};
        for (std::size_t head = 0; head < component.size(); ++head) {
            const auto node = static_cast<std::size_t>(component[head]);
            for (Index e = pattern.row_begin[node]; e < pattern.row_begin[node + 1]; ++e) {
                const Index neighbour = pattern.row_entries[e].column;
                if (seen[neighbour]) continue;
                seen[neighbour] = true;
                component.push_back(neighbour);
            }
        }
        components.push_back(std::move(component));
    }
    return components;
}

/// Order of one component: result[k] = local number of the node eliminated at position k.
std::vector<idx_t> dissect(const BlockPattern& pattern, const std::vector<Index>& component,
                           const std::vector<Index>& local) {
    std::vector<idx_t> begin{0}, neighbours;
    for (const Index node : component) {
        for (Index e = pattern.row_begin[node]; e < pattern.row_begin[node + 1]; ++e) {
            const Index neighbour = pattern.row_entries[e].column;
            if (neighbour != node) neighbours.push_back(local[neighbour]);
        }
        begin.push_back(static_cast<idx_t>(neighbours.size()));
    }
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_NUMBERING] = 0;
    options[METIS_OPTION_SEED] = 1;
    auto n = static_cast<idx_t>(component.size());
    std::vector<idx_t> order(component.size()), position(component.size());
    int status = METIS_OK;
    {
        const std::lock_guard lock(metis_mutex());
        status = METIS_NodeND(&n, begin.data(), neighbours.data(), nullptr, options, order.data(), position.data());
    }
    if (status == METIS_ERROR_MEMORY) throw std::bad_alloc();
    STICTION_CHECK(status == METIS_OK, "METIS_NodeND failed with status " + std::to_string(status));
    return order;
}

}  // namespace

std::vector<Index> nested_dissection(const BlockPattern& pattern) {
    std::vector<Index> order;
    order.reserve(static_cast<std::size_t>(pattern.nodes));
    std::vector<Index> local(static_cast<std::size_t>(pattern.nodes), -1);
    for (const auto& component : connected_components(pattern)) {
        if (component.size() < smallest_dissected) {
            order.insert(order.end(), component.begin(), component.end());
            continue;
        }
        for (std::size_t k = 0; k < component.size(); ++k) local[component[k]] = static_cast<Index>(k);
        for (const idx_t k : dissect(pattern, component, local)) order.push_back(component[k]);
    }
    return order;
}

double elimination_work(const BlockPattern& pattern, const std::vector<Index>& order) {
    double work = 0.0;
    for (const Index count : block_cholesky::make_elimination_tree(pattern, order).count)
        work += static_cast<double>(count) * count;
    return work;
}

EliminationOrder dissected_order(const BlockPattern& pattern) {
    std::vector<Index> order = nested_dissection(pattern);
    const double work = elimination_work(pattern, order);
    return {std::move(order), work};
}

bool KeptOrder::start(std::shared_ptr<const EliminationOrder> first) {
    lost_ = 0.0;
    // The loss stays: it is that of the pattern last given to next(), and alone within the limit.
    if (order_ && first && (order_ == first || *order_ == *first)) return true;
    order_ = std::move(first);
    loss_ = 0.0;
    return false;
}

bool KeptOrder::is_worth_a_dissection() const {
    return lost_ + loss_ > dissection_work_a_node * static_cast<double>(order_->nodes.size());
}

const std::vector<Index>& KeptOrder::next(const BlockPattern& pattern) {
    if (order_ && order_->nodes.size() == static_cast<std::size_t>(pattern.nodes)) {
        loss_ = std::max(elimination_work(pattern, order_->nodes) - order_->work, 0.0);
        if (!is_worth_a_dissection()) return order_->nodes;
    }
    order_ = std::make_shared<const EliminationOrder>(dissected_order(pattern));
    loss_ = lost_ = 0.0;
    return order_->nodes;
}

}  // namespace stiction
