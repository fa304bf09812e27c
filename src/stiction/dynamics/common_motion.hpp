// Removes the mean displacement of a step, so that bodies that fall together are not swept along the fall.
#pragma once

#include "stiction/world/world.hpp"

namespace stiction {

/// Subtracts from x1 the mean displacement x1 - x0 of the colliding vertices of all bodies that are no obstacles (m;
/// none if there are no such vertices). Distances along the straight path from x0 to x1 are unchanged up to rounding,
/// and boxes around the paths become smaller where bodies move together.
void remove_common_motion(const World& world, const VecX& x0, VecX& x1);

}  // namespace stiction
