// The contacts at the end of a stage with the barrier, as plain data.
#pragma once

#include "stiction/barrier/barrier_term.hpp"
#include "stiction/contact/friction.hpp"
#include "stiction/world/step.hpp"

#include <vector>

namespace stiction {

/// Where a stage ends, and how slips are measured there.
struct StageSlip {
    const VecX& x;
    const VecX& q_bar;
    FrictionLaw law;     ///< for slips in metres
    double scale = 0.0;  ///< s (s): forces of the objective are s^2 times those in N
};

/// One entry a contact, in the order of the set: normal force and state, without friction.
std::vector<ContactForce> list_contacts(const World& world, const ContactSet& contacts, const BarrierTerm& barrier,
                                        const StageSlip& end);

/// Gives each entry of list_contacts() the lagged friction of its features. Pairs that have friction and have come
/// apart are added at the end of the list, with the closest points and the normal of their friction.
/// @param contacts  the set that the list was made from
void add_lagged_friction(const World& world, const ContactSet& contacts, const std::vector<LaggedFriction>& friction,
                         const StageSlip& end, std::vector<ContactForce>& list);

}  // namespace stiction
