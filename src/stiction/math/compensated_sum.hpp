// Summation with a running correction.
#pragma once

#include <cmath>

namespace stiction {

/// Sum of doubles with error O(eps) |sum| + O(n eps^2) sum|terms| instead of O(n eps) sum|terms| (Neumaier 1974).
/// Infinite or NaN terms give what a plain sum would give. Two sums can be added, so it works with parallel_sum.
class CompensatedSum {
public:
    CompensatedSum() = default;
    explicit CompensatedSum(double start, double correction = 0.0) : sum_(start), correction_(correction) {}

    CompensatedSum& operator+=(double term) {
        const double total = sum_ + term;
        if (std::isfinite(total)) {
            correction_ += std::abs(sum_) >= std::abs(term) ? (sum_ - total) + term : (term - total) + sum_;
        }
        sum_ = total;
        return *this;
    }

    CompensatedSum& operator+=(const CompensatedSum& other) {
        const double other_correction = other.correction_;  // `other` may be *this
        *this += other.sum_;
        correction_ += other_correction;
        return *this;
    }

    CompensatedSum& operator-=(const CompensatedSum& other) {
        return *this += CompensatedSum(-other.sum_, -other.correction_);
    }

    double value() const { return sum_ + correction_; }

private:
    double sum_ = 0.0;
    double correction_ = 0.0;
};

}  // namespace stiction
