// Backtracking of a local-global iteration.
#pragma once

#include <algorithm>
#include <cmath>

namespace stiction::local_global {

/// How a line search ended.
struct LineSearchEnd {
    double fraction = 0.0;    ///< of the direction that was taken; 0 where there was no decrease
    double difference = 0.0;  ///< of the objective (kg m^2)
};

/// Backtracking from the full direction. A difference within rounding is accepted.
/// @param descent   slope of the objective along the direction, < 0 (kg m^2)
/// @param rounding  bound of the rounding error of a difference (kg m^2)
/// @param trial     trial(fraction): the difference of the objective there; +inf or NaN where it is not finite
template <class Trial>
LineSearchEnd backtrack(double descent, double rounding, const Trial& trial) {
    constexpr double sufficient_decrease = 1e-4;
    constexpr int most_halvings = 20;
    double fraction = 1.0;
    for (int halving = 0; halving <= most_halvings; ++halving) {
        const double difference = trial(fraction);
        if (difference <= sufficient_decrease * fraction * descent + rounding) return {fraction, difference};
        // Minimum of the parabola through both values and the slope, safeguarded.
        const double parabola = -0.5 * descent * fraction * fraction / (difference - descent * fraction);
        fraction = std::isfinite(difference) ? std::clamp(parabola, 0.1 * fraction, 0.5 * fraction) : 0.5 * fraction;
    }
    return {};
}

}  // namespace stiction::local_global
