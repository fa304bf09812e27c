// A step's list of contacts against its forces and states of vertices.
#pragma once

#include "stiction/world/step.hpp"

#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace stiction::test {

/// Both forces of a list on all vertices (N, stacked), as weights * force says.
struct ListedForces {
    VecX contact, friction;

    ListedForces(const World& world, const std::vector<ContactForce>& list)
        : contact(VecX::Zero(3 * world.vertex_count())), friction(contact) {
        for (const ContactForce& entry : list) {
            for (std::size_t k = 0; k < 4 && entry.vertices[k] >= 0; ++k) {
                contact.segment<3>(3 * entry.vertices[k]) += entry.weights[k] * entry.contact_force;
                friction.segment<3>(3 * entry.vertices[k]) += entry.friction_weights[k] * entry.friction_force;
            }
        }
    }
};

/// Stacked forces of vertices summed over each body.
inline VecX body_sums(const World& world, const VecX& forces) {
    VecX sums = VecX::Zero(3 * static_cast<Eigen::Index>(world.bodies.size()));
    for (Index v = 0; v < world.vertex_count(); ++v)
        sums.segment<3>(3 * world.body_of_vertex[static_cast<std::size_t>(v)]) += forces.segment<3>(3 * v);
    return sums;
}

/// Largest difference over the largest force: `found` may lack digits that `wanted` has lost to cancellation.
inline double difference(const VecX& found, const VecX& wanted, const VecX& scale) {
    const double size = scale.lpNorm<Eigen::Infinity>();
    return (found - wanted).lpNorm<Eigen::Infinity>() / (size > 0.0 ? size : 1.0);
}

/// What holds for every entry, whatever the method: bodies, weights, normals, directions of forces.
/// @param pull  what the method's tolerance lets a closed contact pull, over the largest contact force
inline void check_entries(const World& world, const std::vector<ContactForce>& list, double pull = 0.0) {
    double largest = 0.0;
    for (const ContactForce& entry : list) largest = std::max(largest, entry.contact_force.norm());
    for (const ContactForce& entry : list) {
        double sums[2] = {0.0, 0.0}, friction_sums[2] = {0.0, 0.0};
        REQUIRE(entry.vertices[0] >= 0);
        for (std::size_t k = 0; k < 4 && entry.vertices[k] >= 0; ++k) {
            const Index body = world.body_of_vertex[static_cast<std::size_t>(entry.vertices[k])];
            REQUIRE((body == entry.bodies[0] || body == entry.bodies[1]));
            // The scenes have no body that touches itself.
            sums[body == entry.bodies[1]] += entry.weights[k];
            friction_sums[body == entry.bodies[1]] += entry.friction_weights[k];
        }
        CHECK(entry.bodies[0] != entry.bodies[1]);
        for (const double* sum : {sums, friction_sums}) {
            CHECK(sum[0] == relative(1.0, 1e-12));
            CHECK(sum[1] == relative(-1.0, 1e-12));
        }
        CHECK(entry.normal.norm() == relative(1.0, 1e-12));
        CHECK(entry.contact_force.dot(entry.normal) >= -pull * largest);
        CHECK(entry.contact_force.cross(entry.normal).norm() == within(0.0, 1e-12 * entry.contact_force.norm()));
        CHECK((entry.state == ContactState::none) == entry.contact_force.isZero(0.0));
    }
}

/// The largest state of the entries that name a vertex, for each vertex.
inline std::vector<ContactState> listed_states(const World& world, const std::vector<ContactForce>& list) {
    std::vector<ContactState> states(static_cast<std::size_t>(world.vertex_count()), ContactState::none);
    for (const ContactForce& entry : list) {
        for (std::size_t k = 0; k < 4 && entry.vertices[k] >= 0; ++k) {
            ContactState& state = states[static_cast<std::size_t>(entry.vertices[k])];
            state = std::max(state, entry.state);
        }
    }
    return states;
}

/// Sum of the contact forces between two bodies, on the first of them (N).
inline Vec3 force_between(const std::vector<ContactForce>& list, Index body, Index other) {
    Vec3 sum = Vec3::Zero();
    for (const ContactForce& entry : list) {
        if (entry.bodies == std::array{body, other}) sum += entry.contact_force;
        if (entry.bodies == std::array{other, body}) sum -= entry.contact_force;
    }
    return sum;
}

/// Same bits.
inline bool same_list(const std::vector<ContactForce>& a, const std::vector<ContactForce>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const ContactForce& one, const ContactForce& other) {
        return one.bodies == other.bodies && one.vertices == other.vertices && one.weights == other.weights &&
               one.friction_weights == other.friction_weights && one.gap == other.gap && one.normal == other.normal &&
               one.contact_force == other.contact_force && one.friction_force == other.friction_force &&
               one.state == other.state;
    });
}

}  // namespace stiction::test
