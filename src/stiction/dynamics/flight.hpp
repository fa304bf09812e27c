// Bodies that meet nothing in a step.
#pragma once

#include "stiction/contact/contact_set.hpp"
#include "stiction/world/step.hpp"

#include <vector>

namespace stiction {

/// Marks, one a body, of the deformable and rigid bodies without driven vertices whose box around a straight move stays
/// clear of the boxes of all bodies that they may touch, and whose vertices stay clear of half-spaces. A body may still
/// meet itself.
/// @param x     stacked over all vertices (m)
/// @param move  of all vertices (m)
/// @param scene  tells the shares and thicknesses of pairs of bodies
/// @param reach  that has to stay free between two of them, times their share, beside their thickness (m)
/// @param room   that has to stay free in any case (m)
std::vector<char> bodies_in_flight(const World& world, const StepInput& input, const ContactScene& scene, const VecX& x,
                                   const VecX& move, double reach, double room);

}  // namespace stiction
