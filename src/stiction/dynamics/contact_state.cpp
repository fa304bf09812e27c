#include "stiction/dynamics/contact_state.hpp"

#include "stiction/contact/implicit_friction.hpp"

#include <algorithm>

namespace stiction {

ContactState contact_state(const World& world, const Contact& contact, const VecX& x, const VecX& q_bar,
                           double sticking_slip) {
    const Index a = world.body_of_vertex[static_cast<std::size_t>(contact.vertices[0])];
    const Index b = world.body_of_vertex[static_cast<std::size_t>(
        contact.vertices[static_cast<std::size_t>(contact.vertex_count() - 1)])];
    // The slip does not depend on the law, nor on stiffness and activation distance.
    const double slip = contact_slip(ImplicitFriction{}, contact, x, q_bar).slip.norm();
    return world.friction(a, b) > 0.0 && slip < sticking_slip ? ContactState::sticking : ContactState::sliding;
}

std::vector<ContactState> contact_states(const World& world, const ContactSet& contacts, const VecX& x,
                                         const VecX& q_bar, double sticking_slip) {
    std::vector<ContactState> states(static_cast<std::size_t>(world.vertex_count()), ContactState::none);
    for (const Contact& contact : contacts.contacts) {
        const ContactState state = contact_state(world, contact, x, q_bar, sticking_slip);
        for (int k = 0; k < contact.vertex_count(); ++k) {
            ContactState& entry = states[static_cast<std::size_t>(contact.vertices[static_cast<std::size_t>(k)])];
            entry = std::max(entry, state);
        }
    }
    return states;
}

}  // namespace stiction
