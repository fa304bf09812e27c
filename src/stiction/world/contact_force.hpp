// The contacts of a step as plain data: where two bodies touch, and what they push and rub each other with.
#pragma once

#include "stiction/contact/contact_pair.hpp"
#include "stiction/world/world.hpp"

#include <array>
#include <cstdint>

namespace stiction {

/// What a vertex, or a contact, does at the end of a step. The numbers are those of frames.
enum class ContactState : std::uint8_t {
    none = 0,      ///< touches nothing
    sticking = 1,  ///< touches, and slips no faster than the friction velocity
    sliding = 2,   ///< slips faster, or touches what it has no friction with
};

/// One contact at the end of a step. Its forces act on bodies[0]; bodies[1] has their opposites.
///
/// Vertex i has the share weights[i] of contact_force and friction_weights[i] of friction_force. Summed over a list,
/// this is StepResult::contact_force and friction_force on every vertex, with two exceptions that leave the sums on
/// each body as they are:
/// - Nearly parallel edges of a barrier (ContactKind::mollified_pair): the mollifier adds a couple on each of the two
///   edges. The list leaves it out.
/// - Implicit surfaces (contact by penalty): the force acts on all vertices of the surface within its radius. The list
///   names the triangle, edge or vertex that is nearest.
struct ContactForce {
    std::array<Index, 2> bodies{-1, -1};  ///< of the first feature and of the second; equal where a body touches itself
    /// Those of the first feature, then those of the second; -1: unused. A half-space has its origin.
    std::array<Index, 4> vertices{-1, -1, -1, -1};
    /// Of the closest points: 1 in sum on the first feature, -1 on the second.
    std::array<double, 4> weights{};
    /// The same of friction. Lagged friction (`ipc`) has closest points of an earlier configuration, in all other
    /// methods they are those of `weights`.
    std::array<double, 4> friction_weights{};
    /// m: distance less half the contact thickness of either body. Negative only where bodies overlap.
    double gap = 0.0;
    Vec3 normal = Vec3::Zero();          ///< unit, from the second feature to the first: contact_force pushes along it
    Vec3 contact_force = Vec3::Zero();   ///< N, on bodies[0]
    Vec3 friction_force = Vec3::Zero();  ///< N, on bodies[0]
    /// none: nothing pushes. The pair is near, or it has come apart and keeps its lagged friction to the end of the
    /// step.
    ContactState state = ContactState::none;
};

/// The contact of a pair, with bodies, vertices, both weights and normal; without forces.
ContactForce contact_without_force(const World& world, const ContactPair& pair, double gap);

}  // namespace stiction
