// Tets that are inside out or flat, without rounding.
#pragma once

#include "stiction/world/world.hpp"

#include <vector>

namespace stiction::audit {

struct InvertedTet {
    Index body;
    Index element;   ///< index in the body's mesh.tets; -1: the frame of a rigid body
    Index group;     ///< index into World::elastic, those of World::quadratic counted on
    Index in_group;  ///< index in the group's elements
    bool flat;       ///< exactly no volume; otherwise inside out

    bool operator==(const InvertedTet&) const = default;
};

struct Inversions {
    std::vector<InvertedTet> forbidden;  ///< of materials whose energy is infinite there (TetElements::invertible()
                                         ///< false), and of rigid bodies
    std::vector<InvertedTet> allowed;    ///< of materials that bear it
};

/// All linear tets whose exact orientation is not positive. Of quadratic ones all that are not proved positive
/// everywhere (audit/quadratic_tet.hpp), and of materials that bear it those not positive at a corner. Both lists
/// sorted by body, then element.
/// @param x  stacked positions of ALL vertices (m), finite
Inversions find_inversions(const World& world, const VecX& x);

}  // namespace stiction::audit
