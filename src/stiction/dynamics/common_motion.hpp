// Motion relative to the mean motion of all bodies. Swept boxes are smaller in that frame.
#pragma once

#include "stiction/world/world.hpp"

namespace stiction {

/// Subtracts from x1 the mean displacement from x0 to x1 of the colliding vertices of all bodies that are no obstacles
/// (m); without such vertices x1 stays. All vertices are shifted alike, so that distances along the straight move from
/// x0 to x1 change by rounding alone. Boxes around the moves become smaller where bodies move together.
void remove_common_motion(const World& world, const VecX& x0, VecX& x1);

}  // namespace stiction
