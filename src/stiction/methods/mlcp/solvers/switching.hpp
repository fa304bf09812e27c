// When a contact changes what it does, from the present velocities and multipliers.
#pragma once

#include "stiction/methods/mlcp/problem/constraint_matrix.hpp"

namespace stiction::mlcp {

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
ContactChange evaluate_contact(const ContactConstraint& contact, const Vec3& motion, const Vec3& compliance,
                               Progress progress, double tolerance, ContactUnknowns& unknowns);

/// Rows that take part: none, the normal, the normal and the one across the slip, or all three.
ActiveRows active_rows(const ContactConstraint& contact, const ContactUnknowns& unknowns);

}  // namespace stiction::mlcp
