// Removes the common translation of all bodies from a step, which makes swept boxes smaller.
#pragma once

#include "stiction/world/world.hpp"

namespace stiction {

/// Subtracts from x1 the mean displacement from x0 to x1 of the colliding vertices of all bodies but obstacles (m). x1
/// stays as it is if there are none. Distances during the straight motion from x0 to x1 do not change, up to rounding.
void remove_common_motion(const World& world, const VecX& x0, VecX& x1);

}  // namespace stiction
