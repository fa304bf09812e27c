// Which part of a scene a Newton solve still works on.
#pragma once

#include "stiction/dynamics/hessian_assembly.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace stiction {

/// When a barrier solve goes on in a part of the scene alone.
struct RegionOptions {
    /// Systems with fewer nodes are cheap as a whole.
    Index fewest_nodes = 2000;
    /// Largest part of all nodes that a region may have.
    double largest_part = 0.3;
    /// Vertices that move at least this part of the largest move are its core.
    double core = 0.2;
    /// So many rings of nodes around the core, coupled by elements or contacts, belong to it.
    int rings = 2;
    /// Iterations in a region at most.
    int max_iterations = 20;
    /// A region is left where its direction is at most this part of the tolerance, or of the direction that chose it.
    double tolerance_part = 0.1, residual_part = 0.05;
    /// Imbalances up to this many tolerances are taken away where they are.
    double balance_reach = 8.0;
    /// They are taken away down to this part of the tolerance, by the largest force at the region's beginning; vertices
    /// with more are the core.
    double balance_part = 1.0;
};

/// Vertices that may move; all others stand still.
struct Region {
    std::vector<char> moving;               ///< of every vertex of the world, those that hang on nodes included
    std::vector<std::uint8_t> driven_axes;  ///< for the DofMap of the region
};

/// The surroundings of what moves along a direction; empty where that is too large a part of the scene.
/// @param assembly   whose pattern says which nodes are coupled
/// @param direction  stacked over all vertices: moves (m), or forces where those choose
std::optional<Region> find_region(const World& world, const HessianAssembly& assembly, const VecX& direction,
                                  const RegionOptions& options);

}  // namespace stiction
