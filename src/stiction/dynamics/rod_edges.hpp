// States of rods whose derivatives are not defined: edges without length, and edges folded onto their neighbours.
#pragma once

#include "stiction/world/world.hpp"

#include <string>

namespace stiction {

/// Says which edge of which body has no length at the stacked positions x (m), or else which edges are folded onto each
/// other, the first of several: why a matrix is not finite. Empty where there is none.
std::string broken_rod(const World& world, const VecX& x);

}  // namespace stiction
