#include "stiction/barrier/region.hpp"

#include "stiction/nonlinear/stopping.hpp"

namespace stiction {
namespace {

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
    std::vector<char> inside(at(map.node_count()), 0);
    std::vector<Index> front;
    for (Index node = 0; node < map.node_count(); ++node) {
        const Eigen::Index first = 3 * static_cast<Eigen::Index>(map.vertex(node));
        if (direction.segment<3>(first).lpNorm<Eigen::Infinity>() < least_move) continue;
        inside[at(node)] = 1;
        front.push_back(node);
    }
    double count = static_cast<double>(front.size());
    for (int ring = 0; ring < options.rings && count <= most; ++ring) {
        front = add_ring(*assembly.system().pattern(), front, inside);
        count += static_cast<double>(front.size());
    }
    if (count == 0.0 || count > most) return std::nullopt;

    Region region{std::vector<char>(at(world.vertex_count()), 0), map.driven_axes()};
    for (Index node = 0; node < map.node_count(); ++node) {
        if (!inside[at(node)]) region.driven_axes[at(map.vertex(node))] = 7;
    }
    for (Index vertex = 0; vertex < world.vertex_count(); ++vertex) {
        for (const DofMap::Entry& entry : map.entries(vertex)) {
            if (inside[at(entry.node)]) region.moving[at(vertex)] = 1;
        }
    }
    return region;
}

}  // namespace stiction
