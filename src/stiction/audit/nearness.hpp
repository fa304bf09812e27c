// All pairs of the collision surface that are nearer than a given distance.
#pragma once

#include "stiction/audit/closest.hpp"
#include "stiction/world/world.hpp"

#include <vector>

namespace stiction::audit {

/// A close pair at one configuration.
struct NearPair {
    std::array<Index, 4> vertices;  ///< global ids, the first feature's first; unused: -1
    int first_count;                ///< vertices of the first feature
    Vec3 direction;                 ///< unit length, from the second feature to the first; zero at distance zero
    double distance;                ///< m; half-spaces: signed
    double gap;                     ///< m: distance without half of each body's contact thickness
};

/// Pairs of primitives of bodies that may touch (point-triangle, edge-edge, bare points or ends of bare edges and bare
/// edges, bare points) and vertices near half-spaces (first: the vertex, second: the half-space's origin) with a gap
/// below `reach`, in plain doubles. The same for any number of threads.
std::vector<NearPair> find_near_pairs(const World& world, const VecX& x, double reach);

}  // namespace stiction::audit
