// Backtracking along a descent direction. Knows functions of the step length, no physics.
#pragma once

#include <algorithm>
#include <cmath>

namespace stiction {

/// E(x + alpha p) - E(x), best summed term by term with compensation, and how far rounding may have moved it.
struct EnergyDifference {
    double value;           ///< +infinity (or NaN) when x + alpha p is infeasible
    double rounding = 0.0;  ///< bound or estimate of the absolute error of `value`

    EnergyDifference(double difference, double rounding_error = 0.0) : value(difference), rounding(rounding_error) {}
};

/// The gradient g of E at a point, seen from the line: what the search needs when the energy cannot tell.
struct GradientMeasure {
    double slope;  ///< p . g
    double norm;   ///< any norm of g, the same at every point of one search
};

struct LineSearchOptions {
    int max_trials = 40;  ///< evaluations of the difference
    double shrink = 0.5;  ///< factor from one trial to the next
};

struct LineSearchResult {
    enum class AcceptedBy { energy, gradient, none };

    double alpha = 0.0;  ///< accepted step; 0 when accepted_by is `none`
    int trials = 0;      ///< evaluations of the difference
    AcceptedBy accepted_by = AcceptedBy::none;
    double difference = 0.0;  ///< energy difference at alpha; 0 when accepted_by is `none`
};

/// Tries alpha_max, then shrinks, until a trial passes one of two tests:
///   energy:    difference(alpha) < 0
///   gradient:  0 <= difference(alpha) <= rounding, and at the trial either p . g <= 0 (E still falls there) or |g| is
///   smaller than at the start.
/// A step above 1 has to pass another test in their place: difference(alpha) + rounding <= p . g / 2 at the start, what
/// the quadratic model of a Newton direction promises for the full step. If it does not, 1 is tried next.
///
/// Near a minimum the decrease of E drowns in rounding (it is quadratic in the step) while g is still known to many
/// digits (it is linear): without the second test the search would stall there. It is evaluated only when the first
/// cannot tell.
/// @param alpha_max   first trial, > 0: the largest step known to be feasible; above 1 where a Newton direction is
///                    known to be too short
/// @param difference  callable: double alpha -> EnergyDifference (or double, for one taken as exact)
/// @param start       gradient at alpha = 0
/// @param gradient    callable: double alpha -> GradientMeasure at x + alpha p; called right after difference(alpha)
template <class Difference, class Gradient>
LineSearchResult backtracking_search(double alpha_max, const Difference& difference, const GradientMeasure& start,
                                     const Gradient& gradient, const LineSearchOptions& options = {}) {
    LineSearchResult result;
    double alpha = alpha_max;
    while (result.trials < options.max_trials) {
        const EnergyDifference trial = difference(alpha);
        ++result.trials;
        if (alpha > 1.0 && !(trial.value + std::max(0.0, trial.rounding) <= 0.5 * start.slope)) {
            alpha = 1.0;
            continue;
        }
        if (trial.value < 0.0) {
            result.accepted_by = LineSearchResult::AcceptedBy::energy;
        } else if (trial.value <= trial.rounding && std::isfinite(trial.value)) {  // false for NaN
            const GradientMeasure end = gradient(alpha);
            if (end.slope <= 0.0 || end.norm < start.norm) result.accepted_by = LineSearchResult::AcceptedBy::gradient;
        }
        if (result.accepted_by != LineSearchResult::AcceptedBy::none) {
            result.alpha = alpha;
            result.difference = trial.value;
            return result;
        }
        alpha *= options.shrink;
    }
    return result;
}

/// The same with the energy test alone.
template <class Difference>
LineSearchResult backtracking_search(double alpha_max, const Difference& difference,
                                     const LineSearchOptions& options = {}) {
    const auto exact = [&](double alpha) { return EnergyDifference(EnergyDifference(difference(alpha)).value, -1.0); };
    const auto refuse = [](double) { return GradientMeasure{1.0, 0.0}; };
    return backtracking_search(alpha_max, exact, GradientMeasure{0.0, 0.0}, refuse, options);
}

}  // namespace stiction
