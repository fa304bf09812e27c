#include "stiction/dynamics/contact_state.hpp"

#include "stiction/contact/implicit_friction.hpp"

#include <algorithm>

namespace stiction {

std::vector<ContactState> contact_states(const World& world, const ContactSet& contacts, const VecX& x,
                                         const VecX& q_bar, double sticking_slip) {
    std::vector<ContactState> states(static_cast<std::size_t>(world.vertex_count()), ContactState::none);
    for (const Contact& contact : contacts.contacts) {
        const int count = contact.vertex_count();
        const Index a = world.body_of_vertex[static_cast<std::size_t>(contact.vertices[0])];
        const Index b =
            world.body_of_vertex[static_cast<std::size_t>(contact.vertices[static_cast<std::size_t>(count - 1)])];
        // The slip does not depend on the law, nor on stiffness and activation distance.
        const double slip = contact_slip(ImplicitFriction{}, contact, x, q_bar).slip.norm();
        const ContactState state =
            world.friction(a, b) > 0.0 && slip < sticking_slip ? ContactState::sticking : ContactState::sliding;
        for (int k = 0; k < count; ++k) {
            ContactState& entry = states[static_cast<std::size_t>(contact.vertices[static_cast<std::size_t>(k)])];
            entry = std::max(entry, state);
        }
    }
    return states;
}

}  // namespace stiction
