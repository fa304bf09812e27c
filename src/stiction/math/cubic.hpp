// Smallest positive root of a cubic, from below.
#pragma once

#include <optional>

namespace stiction {

/// Smallest root of p(t) = a t^3 + b t^2 + c t + d in (0, t_max], or nothing if there is none.
///
/// Conservative: the returned value never exceeds the smallest positive root of the polynomial with exactly these
/// coefficients, and p keeps the sign it has right of zero on all of (0, returned value); rounding is covered by a
/// running error bound. A double root (p touches zero) counts as a root, and so does a minimum that rounding cannot
/// tell from zero. When nothing is returned p has no root in (0, t_max]. The result is within a few 1e-15 relative of a
/// well-conditioned root. The returned value is positive when d != 0
/// (barring overflow of a/d, b/d, c/d). A root at t = 0 itself is not positive: it is
/// divided out. The zero polynomial and non-finite coefficients return 0.
/// @param t_max  positive and finite
std::optional<double> smallest_positive_root(double a, double b, double c, double d, double t_max);

}  // namespace stiction
