// How many rows of a step say about the same.
#pragma once

#include "stiction/methods/mlcp/contact_list.hpp"

#include <vector>

namespace stiction {

/// Adds to ContactConstraint::duplicates what the other rows repeat (Verschoor and Jalba 2019, section 3.4.1): rows of
/// the same two rigid bodies or obstacles count fully, others that share vertices by how alike their weights there are.
/// @param rows         of the constraints, in the same order
/// @param constraints  with `duplicates` at 1
void count_duplicates(const World& world, const std::vector<ContactRow>& rows,
                      std::vector<ContactConstraint>& constraints);

}  // namespace stiction
