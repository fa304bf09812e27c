// Small patches of the collision surface, for bounds on how their motions differ.
#pragma once

#include "stiction/world/world.hpp"

#include <vector>

namespace stiction::local_global {

/// Vertices of one body that are near each other at rest.
struct SurfacePatch {
    Index body = 0;
    std::vector<Index> vertices;
    /// The patch and what shares an edge or a triangle with it: every primitive with a vertex in the patch has all of
    /// its vertices here.
    std::vector<Index> with_ring;
};

/// Cuts the surface of every body along its longest axis, again and again, into patches of at most `most_vertices`. A
/// function of the surface and the positions at t = 0.
std::vector<SurfacePatch> surface_patches(const World& world, std::size_t most_vertices);

}  // namespace stiction::local_global
