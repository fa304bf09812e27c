// Ways as those see them who move along: what falls together need not be looked for along the fall.
#pragma once

#include "stiction/world/world.hpp"

namespace stiction {

/// Takes from x1 the mean way from x0 to x1 of the colliding vertices of all bodies that are no obstacles (m; nothing,
/// where there are none). Distances on the straight way from x0 to x1 stay what they were, but for rounding, and boxes
/// around the ways become smaller where bodies move together.
void remove_common_motion(const World& world, const VecX& x0, VecX& x1);

}  // namespace stiction
