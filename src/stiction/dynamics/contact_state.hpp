// Bodies of contacts, and contact states at the end of a stage: sticking, sliding or without contact.
#pragma once

#include "stiction/contact/contact_set.hpp"
#include "stiction/contact/friction_law.hpp"
#include "stiction/world/step.hpp"

#include <array>
#include <vector>

namespace stiction {

/// The two bodies that touch in a contact.
std::array<Index, 2> bodies_of(const World& world, const Contact& contact);

/// Whether the bodies of any of these contacts have a coefficient of friction above 0, whatever force the contact
/// carries.
bool any_with_friction(const World& world, const ContactSet& contacts);

/// A contact sticks when the tangential part of its slip sum_i w_i (x_i - q_bar_i), with closest points and tangent
/// plane at x, is below the sticking slip; contacts of bodies without friction slide.
/// @param q_bar          the stage's: x - q_bar is s times the velocity
/// @param law            of the stage, for slips in metres: friction velocity times the stage's s
ContactState contact_state(const World& world, const Contact& contact, const VecX& x, const VecX& q_bar,
                           const FrictionLaw& law);

/// One entry a vertex of the world; a vertex of several contacts takes the largest.
/// @param contacts  all contacts that exert a force at x
std::vector<ContactState> contact_states(const World& world, const ContactSet& contacts, const VecX& x,
                                         const VecX& q_bar, const FrictionLaw& law);

}  // namespace stiction
