// Forcing terms of inexact Newton methods: the relative residual that the linear solver is asked for.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stiction {

/// The relative residual sigma that an iterative solver is asked for in each step of an inexact Newton method on
/// r(v) = 0: |r_k + J_k p| <= sigma_k |r_k|. Far from the root it is loose, near the root it falls fast enough for the
/// order of convergence `exponent` (Eisenstat and Walker, Choosing the forcing terms in an inexact Newton method, SIAM
/// J. Sci. Comput. 17, 1996: choice 2 with gamma = 1, whose theorem 2.3 gives the order).
struct ForcingTerm {
    /// phi = (1 + sqrt 5) / 2, the order of convergence of choice 1 of the same paper
    double exponent = std::numbers::phi;
    /// sigma_max, in (0, 1): what the first step starts with
    double largest = 0.5;
    /// Bound from below, for the last steps: an exact solve of a system whose right-hand side is rounding error is
    /// waste. 0 leaves the formula alone.
    double smallest = 0.0;

    /// sigma_0.
    double first() const { return largest; }

    /// sigma_k = min((|r_k| / |r_{k-1}|)^exponent, largest), not below `smallest`; `largest` where the ratio is not a
    /// number (0 / 0, or an argument is not finite).
    /// @param residual  |r_k|, in the norm that the linear solver stops on
    /// @param previous  |r_{k-1}|
    double next(double residual, double previous) const {
        const double ratio = residual / previous;
        if (!std::isfinite(ratio)) return largest;
        return std::max(smallest, std::min(std::pow(ratio, exponent), largest));
    }
};

/// Whether the residual at the end of a step fell enough: |r(v + alpha p)| <= (1 - c1 alpha (1 - sigma)) |r(v)|
/// (Eisenstat and Walker, algorithm INB). False when it is not a number.
/// @param sigma  that p was solved with; for p itself, whatever alpha
/// @param c1     part of the decrease of the linear model that is asked for, in (0, 1)
inline bool is_sufficient_decrease(double residual_at_end, double residual, double alpha, double sigma,
                                   double c1 = 1e-4) {
    return residual_at_end <= (1.0 - c1 * alpha * (1.0 - sigma)) * residual;
}

}  // namespace stiction
