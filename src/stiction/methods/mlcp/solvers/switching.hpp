// Switching of contacts between open, sticking and sliding (Verschoor and Jalba 2019, Algorithms 2 and 3).
#pragma once

#include "stiction/methods/mlcp/solvers/solver_task.hpp"

namespace stiction::mlcp {

/// State of the solve of the equations of the active set.
enum class Progress : std::uint8_t {
    iterating,
    settled,        ///< solved to within the tolerances: the slip left in a sticking contact is an error of the solve
    contradictory,  ///< no solution exists; the iterate is a least-squares solution
};

/// Result of the evaluation of a contact.
enum class ContactChange : std::uint8_t {
    none,
    force,  ///< size or direction of the friction of a sliding contact
    mode,   ///< the contact opened, closed, stuck or began to slide
};

/// How contacts are evaluated.
struct SwitchingRules {
    Acceptance acceptance = Acceptance::strict;
    FrictionUpdate friction_update = FrictionUpdate::newton;  ///< `exact` counts as `newton`
    double tolerance = 0.0;                                   ///< eps_2 (m): changes that move less are postponed
    double row_tolerance = 0.0;  ///< of the active rows (m): open contacts that overlap by more close

    /// Those of a contact that has a share of the tolerances.
    SwitchingRules of_contact(double share) const {
        return {acceptance, friction_update, share * tolerance, share * row_tolerance};
    }
};

/// Algorithm 2, lines 5 to 23, for one contact, by its share of the tolerances.
/// @param motion      u - c at the present velocities (m), see relative_motion()
/// @param compliance  S_d of the contact (m/N): normal, tangent 1, tangent 2
ContactChange evaluate_contact(const ContactConstraint& contact, const Vec3& motion, const Vec3& compliance,
                               Progress progress, const SwitchingRules& rules, ContactUnknowns& unknowns);

/// The contact with friction cut to its cone: one that sticks by more than mu lambda slides, and one that slides has a
/// friction of the size mu_k lambda, or less. What a distance postpones is much force between stiff bodies. The contact
/// itself where its friction is in the cone.
ContactUnknowns cut_to_cone(const ContactConstraint& contact, const Vec3& motion, const Vec3& compliance,
                            const ContactUnknowns& unknowns);

/// The active rows of a contact in its present mode.
ActiveRows active_rows(const ContactConstraint& contact, const ContactUnknowns& unknowns);

}  // namespace stiction::mlcp
