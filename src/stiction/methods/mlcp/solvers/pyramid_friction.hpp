// A friction pyramid in place of Coulomb's cone, for measurements beside the "CR (Diag)" of Verschoor and Jalba (2019,
// figure 11 and table 1).
#pragma once

#include "stiction/methods/mlcp/solvers/switching.hpp"

namespace stiction::mlcp {

/// Evaluates the two tangents of a closed contact, each by itself. A tangent sticks, or it slides with a force of the
/// size mu_k lambda along it. With both tangents sliding friction is sqrt(2) mu_k lambda. In ContactUnknowns such a
/// contact has a diagonal `direction` and no turning row. With one tangent sliding `direction` is along it, and the row
/// across, of compliance zero, holds the other one.
/// @param slip        of the two tangents (m)
/// @param compliance  of a tangent (m/N)
/// @param tolerance   changes that move less are postponed (m)
ContactChange evaluate_pyramid(const ContactConstraint& contact, const Vec2& slip, double compliance, Progress progress,
                               double tolerance, ContactUnknowns& unknowns);

/// Friction of full size over mu_k lambda: sqrt(2) where both tangents of a pyramid slide, else 1.
double full_friction(FrictionUpdate update, const ContactUnknowns& unknowns);

/// Brings sliding contacts whose friction has any direction, as at the start of a step, into the form above. A tangent
/// slides where its friction is at the limit.
void take_pyramid_form(const ContactProblem& problem, ContactSolution& solution);

}  // namespace stiction::mlcp
