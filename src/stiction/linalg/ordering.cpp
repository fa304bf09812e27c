#include "stiction/linalg/ordering.hpp"

#include "stiction/base/error.hpp"

#include <metis.h>

#include <mutex>
#include <new>
#include <string>

namespace stiction {
namespace {

/// Below this size a component keeps its natural order: dissection cannot win and METIS would only cost.
constexpr std::size_t smallest_dissected = 16;

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

}  // namespace stiction
