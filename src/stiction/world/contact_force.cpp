#include "stiction/world/contact_force.hpp"

namespace stiction {

ContactForce contact_without_force(const World& world, const ContactPair& pair, double gap) {
    const auto count = static_cast<std::size_t>(pair.vertex_count());
    const auto body = [&](std::size_t k) {
        return world.body_of_vertex[static_cast<std::size_t>(pair.key.vertices[k])];
    };
    ContactForce contact;
    contact.bodies = {body(0), body(count - 1)};
    for (std::size_t k = 0; k < count; ++k) {
        contact.vertices[k] = pair.key.vertices[k];
        contact.weights[k] = contact.friction_weights[k] = pair.weights[static_cast<Eigen::Index>(k)];
    }
    contact.normal = pair.normal;
    contact.gap = gap;
    return contact;
}

}  // namespace stiction
