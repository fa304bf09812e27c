// When a nonlinear iteration ends. Knows vectors and numbers, no physics.
#pragma once

#include "stiction/base/types.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction {

/// Largest absolute entry of a stacked vector, |x|_inf; 0 when it is empty, NaN when an entry is NaN.
inline double infinity_norm(const VecX& x) {
    return x.size() == 0 ? 0.0 : x.cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
}

/// Largest length of a node's part of a stacked vector, max_i |x_i|: unlike |x|_inf it does not change when the scene
/// is turned.
inline double largest_node_length(const VecX& x) {
    double largest = 0.0;
    bool is_nan = false;
    for (Eigen::Index i = 0; i + 2 < x.size(); i += 3) {
        const double length = x.segment<3>(i).norm();
        is_nan = is_nan || std::isnan(length);
        largest = std::max(largest, length);
    }
    return is_nan ? std::numeric_limits<double>::quiet_NaN() : largest;
}

/// Ends an iteration on a measure and on a count.
struct StopTest {
    enum class Decision { go_on, converged, iteration_limit, not_finite };

    double tolerance = 0.0;    ///< in the unit of the measure
    int max_iterations = 100;  ///< iterations that may be completed

    /// @param iterations  completed so far
    /// @param measure     present value of what is to fall to the tolerance or below
    Decision decide(int iterations, double measure) const {
        if (!std::isfinite(measure)) return Decision::not_finite;
        if (measure <= tolerance) return Decision::converged;
        return iterations >= max_iterations ? Decision::iteration_limit : Decision::go_on;
    }
};

}  // namespace stiction
