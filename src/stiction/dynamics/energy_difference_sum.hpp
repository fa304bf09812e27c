// Compensated sum of the energy differences that a line search compares.
#pragma once

#include "stiction/math/compensated_sum.hpp"
#include "stiction/nonlinear/line_search.hpp"

#include <cmath>
#include <limits>

namespace stiction {

/// Sums E(x1) - E(x0) term by term, and the absolute values of all terms, which bound the rounding error.
class EnergyDifferenceSum {
public:
    /// A difference that is known directly.
    void add(double difference) {
        sum_ += difference;
        magnitude_ += std::abs(difference);
    }
    /// at1 - at0.
    void add(double at0, double at1) {
        sum_ += at1;
        sum_ += -at0;
        magnitude_ += std::abs(at0) + std::abs(at1);
    }
    /// The sum, infinite if not finite. Its rounding is that of the terms and that of positions: each stencil's force
    /// times the spacing of numbers of the size of x.
    /// @param position_size  largest coordinate (m)
    /// @param force_sum      sum of absolute entries of the stencils' gradients
    EnergyDifference result(double position_size, double force_sum) const {
        if (!std::isfinite(sum_.value())) return {std::numeric_limits<double>::infinity(), 0.0};
        return {sum_.value(), std::numeric_limits<double>::epsilon() * (8.0 * magnitude_ + position_size * force_sum)};
    }

private:
    CompensatedSum sum_;
    double magnitude_ = 0.0;
};

}  // namespace stiction
