// The two comparisons of numbers with a tolerance. The name of each says what its tolerance is a part of.
//
//     CHECK(speed == relative(4.905, 2e-2));    // |speed - 4.905| <= 2e-2 * 4.905
//     CHECK(drift == within(0.0, 1e-12));       // |drift| <= 1e-12, in the unit of the drift
//
// NaN and infinities are equal to nothing. A failed check prints both numbers, the tolerance and the error.
#pragma once

#include <cmath>
#include <ostream>
#include <stdexcept>

namespace stiction::test {

/// Equal to what differs by at most `tolerance` times the size of the expected value; nothing is added to that bound.
class Relative {
public:
    /// @throws std::invalid_argument if the expected value is zero, or the tolerance is negative or not a number
    Relative(double expected, double tolerance) : expected_(expected), tolerance_(tolerance) {
        if (expected == 0.0) throw std::invalid_argument("relative(0, ...): compare with zero by within(0, bound)");
        if (!(tolerance >= 0.0)) throw std::invalid_argument("relative: the tolerance is negative or not a number");
    }

    friend bool operator==(double value, const Relative& to) {
        to.error_ = std::abs(value - to.expected_) / std::abs(to.expected_);
        return std::isfinite(value) && std::isfinite(to.expected_) && to.error_ <= to.tolerance_;
    }
    friend std::ostream& operator<<(std::ostream& out, const Relative& to) {
        const auto digits = out.precision(17);
        out << "relative(" << to.expected_;
        out.precision(3);
        out << ", " << to.tolerance_ << "), relative error " << to.error_;
        out.precision(digits);
        return out;
    }

private:
    double expected_, tolerance_;
    mutable double error_ = 0.0;  // of the last comparison, for the message
};

/// Equal to what differs by at most `bound`, which has the unit of the value.
class Within {
public:
    /// @throws std::invalid_argument if the bound is negative or not a number
    Within(double expected, double bound) : expected_(expected), bound_(bound) {
        if (!(bound >= 0.0)) throw std::invalid_argument("within: the bound is negative or not a number");
    }

    friend bool operator==(double value, const Within& of) {
        of.error_ = std::abs(value - of.expected_);
        return std::isfinite(value) && std::isfinite(of.expected_) && of.error_ <= of.bound_;
    }
    friend std::ostream& operator<<(std::ostream& out, const Within& of) {
        const auto digits = out.precision(17);
        out << "within(" << of.expected_;
        out.precision(3);
        out << ", " << of.bound_ << "), error " << of.error_;
        out.precision(digits);
        return out;
    }

private:
    double expected_, bound_;
    mutable double error_ = 0.0;  // of the last comparison, for the message
};

/// For values that have a size: x == relative(v, t) holds where |x - v| <= t |v|. A zero v throws.
inline Relative relative(double expected, double tolerance) {
    return {expected, tolerance};
}

/// For values near zero, or whose rounding comes from larger numbers: x == within(v, b) holds where |x - v| <= b.
/// Say beside the call where the bound comes from.
inline Within within(double expected, double bound) {
    return {expected, bound};
}

}  // namespace stiction::test
