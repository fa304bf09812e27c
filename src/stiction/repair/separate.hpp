// The least motion of the bodies of a world that leaves no two of them overlapping.
#pragma once

#include "stiction/world/world.hpp"

#include <array>
#include <vector>

namespace stiction::repair {

struct SeparateOptions {
    double gap = 0.0;           ///< m, above 0: left between bodies that overlapped, beside their contact thickness
    bool is_share = false;      ///< pairs of smaller bodies keep less of the gap (World::length_share)
    std::vector<bool> movable;  ///< one a body; obstacles are not movable
    std::vector<bool> solid;    ///< one a body: whether its closed surface holds material
    int most_rounds = 50;       ///< of finding overlaps and moving all bodies
};

struct BodySeparation {
    std::vector<Vec3> shifts;                       ///< m, one a body
    std::vector<std::array<Index, 2>> overlapping;  ///< pairs of bodies that overlap at the start, the lower id first
    std::vector<std::array<Index, 2>> immovable;    ///< of these, those of which neither body is movable
    std::vector<std::array<Index, 2>> left;         ///< pairs that still overlap with the shifts

    bool ok() const { return immovable.empty() && left.empty(); }
};

/// Moves bodies without turning them until no two that may touch overlap: their surfaces do not cross, none lies in the
/// material of another, and they keep their contact thickness and the gap. Bodies nearer than least_gap() overlap, too.
/// Pairs that do not overlap at the start keep the smaller of the gap and their distance.
///
/// Each overlapping pair gets a plane that its bodies are to leave each other through, by least_separation; all bodies
/// are then moved by least_motion, until no pair overlaps. Where that does not end, as for a stack in a shaft, bodies
/// are placed one after the other, the heaviest first, each by the shortest way out of those that are placed. At last
/// each body goes back as far towards its start as the others let it.
/// @param x  stacked positions of all vertices (m)
BodySeparation separate_bodies(const World& world, const VecX& x, const SeparateOptions& options);

}  // namespace stiction::repair
