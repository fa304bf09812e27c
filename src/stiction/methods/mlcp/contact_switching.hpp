// When a contact changes what it does, from the present velocities and multipliers.
#pragma once

#include "stiction/methods/mlcp/contact_problem.hpp"

#include <numbers>

namespace stiction {

/// Thresholds of switching (Verschoor and Jalba 2019, Algorithms 2 and 3).
struct SwitchingOptions {
    double distance_tolerance = 5e-6;  ///< eps_2 (m): changes that move less are postponed
    double turning_angle = 1.2 * std::numbers::pi / 180.0;  ///< eps_theta (rad): friction that far from the slip is turned
    double turning_rate = 0.1;         ///< what of the slip, as a force by S_d, is added to friction to turn it; theirs, alpha_theta = 0.01, is of the directions' difference
};

/// How far the equations of the present modes are solved.
enum class Progress : std::uint8_t {
    iterating,
    settled,        ///< to within the tolerances: what is left of the slip of a sticking contact is rounding
    contradictory,  ///< they have no solution; a least-squares one is reached
};

/// What evaluating a contact did.
enum class ContactChange : std::uint8_t {
    none,
    force,  ///< the size or direction of a sliding contact's friction
    mode,   ///< opened, closed, stuck or began to slide
};

/// Algorithm 2, lines 5 to 23, for one contact.
/// @param motion      u - c at the present velocities (m), see relative_motion()
/// @param compliance  S_d of the contact (m/N): normal, tangent 1, tangent 2
ContactChange evaluate_contact(const ContactConstraint& contact, const Vec3& motion, const Vec3& compliance, Progress progress, const SwitchingOptions& options,
                               ContactUnknowns& unknowns);

/// What a sliding contact's friction ought to be at the present normal force: mu lambda along its direction, turned toward the slip.
/// @param motion  u - c at the present velocities (m)
Vec2 coulomb_friction(const ContactConstraint& contact, const Vec3& motion, const Vec3& compliance, const SwitchingOptions& options, const ContactUnknowns& unknowns);

/// Rows that take part: none, the normal, or all three.
std::uint8_t active_rows(const ContactConstraint& contact, ContactMode mode);

}  // namespace stiction
