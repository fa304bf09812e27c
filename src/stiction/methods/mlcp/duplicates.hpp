// Contacts that repeat each other.
#pragma once

#include "stiction/methods/mlcp/step_contacts.hpp"

#include <vector>

namespace stiction::mlcp {

/// Adds to ContactConstraint::duplicates how much the other contacts repeat each one (Verschoor and Jalba 2019, section
/// 3.4.1). Contacts of the same two rigid bodies or obstacles count fully. Others that share vertices count by the
/// similarity of their weights there.
/// @param contacts     of the constraints, in the same order
/// @param constraints  with `duplicates` at 1
void count_duplicates(const World& world, const std::vector<StepContact>& contacts,
                      std::vector<ContactConstraint>& constraints);

}  // namespace stiction::mlcp
