#include "stiction/dynamics/barrier/region.hpp"

#include "stiction/nonlinear/stopping.hpp"

namespace stiction {
namespace {

/// Vertex of every node; -1 where none has the node's position.
std::vector<Index> vertices_of_nodes(const DofMap& map, Index vertex_count) {
    std::vector<Index> vertex_of(at(map.node_count()), -1);
    for (Index vertex = 0; vertex < vertex_count; ++vertex) {
        if (const Index node = map.node(vertex); node >= 0 && vertex_of[at(node)] < 0) vertex_of[at(node)] = vertex;
    }
    return vertex_of;
}

/// Marks the neighbours of `front` that are not marked yet. @return them
std::vector<Index> add_ring(const BlockPattern& pattern, const std::vector<Index>& front, std::vector<char>& marked) {
    std::vector<Index> ring;
    for (const Index node : front) {
        for (Index k = pattern.row_begin[at(node)]; k < pattern.row_begin[at(node) + 1]; ++k) {
            const Index neighbour = pattern.row_entries[at(k)].column;
            if (marked[at(neighbour)]) continue;
            marked[at(neighbour)] = 1;
            ring.push_back(neighbour);
        }
    }
    return ring;
}

}  // namespace

std::optional<Region> find_region(const World& world, const HessianAssembly& assembly, const VecX& direction,
                                  const RegionOptions& options) {
    const DofMap& map = assembly.map();
    if (map.node_count() < options.fewest_nodes) return std::nullopt;
    const double most = options.largest_part * map.node_count(), least_move = options.core * infinity_norm(direction);
    const std::vector<Index> vertex_of = vertices_of_nodes(map, world.vertex_count());
    std::vector<char> inside(vertex_of.size(), 0);
    std::vector<Index> front;
    for (std::size_t node = 0; node < vertex_of.size(); ++node) {
        if (vertex_of[node] < 0) continue;
        const Eigen::Index first = 3 * static_cast<Eigen::Index>(vertex_of[node]);
        if (direction.segment<3>(first).lpNorm<Eigen::Infinity>() < least_move) continue;
        inside[node] = 1;
        front.push_back(static_cast<Index>(node));
    }
    double count = static_cast<double>(front.size());
    for (int ring = 0; ring < options.rings && count <= most; ++ring) {
        front = add_ring(*assembly.system().pattern(), front, inside);
        count += static_cast<double>(front.size());
    }
    if (count == 0.0 || count > most) return std::nullopt;

    Region region{std::vector<char>(at(world.vertex_count()), 0), map.driven_axes()};
    for (std::size_t node = 0; node < vertex_of.size(); ++node) {
        if (vertex_of[node] >= 0 && !inside[node]) region.driven_axes[at(vertex_of[node])] = 7;
    }
    for (Index vertex = 0; vertex < world.vertex_count(); ++vertex) {
        for (const DofMap::Entry& entry : map.entries(vertex)) {
            if (inside[at(entry.node)]) region.moving[at(vertex)] = 1;
        }
    }
    return region;
}

}  // namespace stiction
