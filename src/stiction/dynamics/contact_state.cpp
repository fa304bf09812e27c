#include "stiction/dynamics/contact_state.hpp"

#include "stiction/contact/implicit_friction.hpp"

#include <algorithm>

namespace stiction {

std::array<Index, 2> bodies_of(const World& world, const Contact& contact) {
    const auto body = [&](int k) {
        return world.body_of_vertex[static_cast<std::size_t>(contact.vertices[static_cast<std::size_t>(k)])];
    };
    return {body(0), body(contact.vertex_count() - 1)};
}

bool any_with_friction(const World& world, const ContactSet& contacts) {
    return std::ranges::any_of(contacts.contacts, [&](const Contact& contact) {
        const auto [a, b] = bodies_of(world, contact);
        return world.friction(a, b) > 0.0;
    });
}

ContactState contact_state(const World& world, const Contact& contact, const VecX& x, const VecX& q_bar,
                           const FrictionLaw& law) {
    const auto [a, b] = bodies_of(world, contact);
    // The slip does not depend on the law, nor on stiffness and activation distance.
    const double slip = contact_slip(ImplicitFriction{}, contact, x, q_bar).slip.norm();
    return world.friction(a, b) > 0.0 && slip < law.of_pair(world.length_share(a, b)).sticking_slip
               ? ContactState::sticking
               : ContactState::sliding;
}

std::vector<ContactState> contact_states(const World& world, const ContactSet& contacts, const VecX& x,
                                         const VecX& q_bar, const FrictionLaw& law) {
    std::vector<ContactState> states(static_cast<std::size_t>(world.vertex_count()), ContactState::none);
    for (const Contact& contact : contacts.contacts) {
        const ContactState state = contact_state(world, contact, x, q_bar, law);
        for (int k = 0; k < contact.vertex_count(); ++k) {
            ContactState& entry = states[static_cast<std::size_t>(contact.vertices[static_cast<std::size_t>(k)])];
            entry = std::max(entry, state);
        }
    }
    return states;
}

}  // namespace stiction
