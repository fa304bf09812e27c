#include "stiction/linalg/multigrid/aggregation.hpp"

namespace stiction {
namespace {

/// Starts an aggregate at every node none of whose neighbours is in one yet.
void take_neighbourhoods(const StrengthGraph& graph, Aggregates& found) {
    for (std::size_t i = 0; i < graph.nodes(); ++i) {
        bool is_free = found.of_node[i] < 0 && graph.begin[i] < graph.begin[i + 1];
        for (std::size_t k = graph.begin[i]; is_free && k < graph.begin[i + 1]; ++k)
            is_free = found.of_node[at(graph.column[k])] < 0;
        if (!is_free) continue;
        found.of_node[i] = found.count;
        for (std::size_t k = graph.begin[i]; k < graph.begin[i + 1]; ++k)
            found.of_node[at(graph.column[k])] = found.count;
        ++found.count;
    }
}

/// Puts nodes without an aggregate into that of their strongest neighbour among those of `before`.
void join_neighbours(const StrengthGraph& graph, Aggregates& found) {
    const std::vector<Index> before = found.of_node;
    for (std::size_t i = 0; i < graph.nodes(); ++i) {
        if (before[i] >= 0) continue;
        double strongest = 0.0;
        for (std::size_t k = graph.begin[i]; k < graph.begin[i + 1]; ++k) {
            const Index neighbour = before[at(graph.column[k])];
            if (neighbour < 0 || !(graph.strength[k] > strongest)) continue;
            strongest = graph.strength[k];
            found.of_node[i] = neighbour;
        }
    }
}

}  // namespace

Aggregates aggregate(const StrengthGraph& graph) {
    Aggregates found{std::vector<Index>(graph.nodes(), -1), 0};
    take_neighbourhoods(graph, found);
    join_neighbours(graph, found);
    for (std::size_t i = 0; i < graph.nodes(); ++i) {
        if (found.of_node[i] >= 0 || graph.begin[i] == graph.begin[i + 1]) continue;
        found.of_node[i] = found.count;
        for (std::size_t k = graph.begin[i]; k < graph.begin[i + 1]; ++k) {
            if (found.of_node[at(graph.column[k])] < 0) found.of_node[at(graph.column[k])] = found.count;
        }
        ++found.count;
    }
    return found;
}

}  // namespace stiction
