// Substitution with one supernode on three columns.
#pragma once

#include "stiction/base/types.hpp"

namespace stiction::supernodal {

/// Forward substitution: x_own = L_own^-1 x_own, x_below -= L_below x_own.
/// @param block   front x width, column by column: L_own above L_below
/// @param values  front x 3, column by column; own rows first
void substitute_forward(const double* block, Index width, Index front, double* values);

/// Backward substitution: x_own = L_own^-T (x_own - L_below^T x_below); arguments as above.
void substitute_backward(const double* block, Index width, Index front, double* values);

}  // namespace stiction::supernodal
