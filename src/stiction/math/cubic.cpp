#include "stiction/math/cubic.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace stiction {
namespace {

/// A cubic made positive at t = 0.
struct PositiveCubic {
    double a, b, c, d;

    double operator()(double t) const { return ((a * t + b) * t + c) * t + d; }
    double derivative(double t) const { return (3.0 * a * t + 2.0 * b) * t + c; }
    /// Whether p(t) > 0 beyond the rounding of Horner's rule (at most 7 eps/2 of the sum of magnitudes).
    bool surely_positive(double t) const {
        constexpr double unit = 8.0 * std::numeric_limits<double>::epsilon();
        const double magnitude = ((std::abs(a) * t + std::abs(b)) * t + std::abs(c)) * t + std::abs(d);
        return (*this)(t) > unit * magnitude;
    }
};

/// Real roots of 3 a t^2 + 2 b t + c in (0, t_max), ascending; the larger root is computed without cancellation and the
/// other from the product of both.
std::pair<std::array<double, 2>, int> critical_points(const PositiveCubic& p, double t_max) {
    std::array<double, 2> points{};
    int count = 0;
    const double half_discriminant = p.b * p.b - 3.0 * p.a * p.c;
    if (half_discriminant < 0.0) return {points, count};
    const double q = -(p.b + std::copysign(std::sqrt(half_discriminant), p.b));
    const std::array<double, 2> roots = {q / (3.0 * p.a), p.c / q};  // may be NaN or infinite: refused below
    for (const double root : roots) {
        if (root > 0.0 && root < t_max) points[static_cast<std::size_t>(count++)] = root;
    }
    if (count == 2 && points[0] > points[1]) std::swap(points[0], points[1]);
    return {points, count};
}

/// A positive number below every root (Fujiwara's bound applied to the reversed polynomial).
double root_lower_bound(const PositiveCubic& p) {
    const double reciprocal =
        std::max({std::abs(p.c / p.d), std::sqrt(std::abs(p.b / p.d)), std::cbrt(std::abs(p.a / (2.0 * p.d)))});
    return 0.499 / reciprocal;
}

/// Narrows a bracket [low, high], p surely positive at low and not at high, by Newton steps aimed at the low side with
/// bisection as the safeguard; returns low.
double refine_from_below(const PositiveCubic& p, double low, double high) {
    constexpr int max_iterations = 200;
    constexpr double tolerance = 4.0 * std::numeric_limits<double>::epsilon();
    for (int iteration = 0; iteration < max_iterations && high - low > tolerance * high; ++iteration) {
        const double width = high - low;
        for (const double start : {low, high}) {
            const double newton = start - p(start) / p.derivative(start);
            for (const double nudge : {-tolerance, tolerance}) {
                const double trial = newton * (1.0 + nudge);
                if (!(trial > low && trial < high)) continue;
                (p.surely_positive(trial) ? low : high) = trial;
            }
        }
        if (high - low > 0.5 * width) {
            const double middle = low + 0.5 * (high - low);
            if (!(middle > low && middle < high)) break;
            (p.surely_positive(middle) ? low : high) = middle;
        }
    }
    return low;
}

/// The cubic with d != 0, times a power of two of the sign of d: largest coefficient in [1/2, 1), no rounding.
PositiveCubic normalised(double a, double b, double c, double d) {
    int exponent = 0;
    std::frexp(std::max({std::abs(a), std::abs(b), std::abs(c), std::abs(d)}), &exponent);
    const double sign = d > 0.0 ? 1.0 : -1.0;
    const auto scale = [&](double coefficient) { return sign * std::ldexp(coefficient, -exponent); };
    return {scale(a), scale(b), scale(c), scale(d)};
}

/// Whether p > 0 on [0, t_max] by the crudest bound.
bool obviously_positive(const PositiveCubic& p, double t_max) {
    const double drop = ((std::min(p.a, 0.0) * t_max + std::min(p.b, 0.0)) * t_max + std::min(p.c, 0.0)) * t_max;
    return drop >= -0.999 * p.d;
}

}  // namespace

std::optional<double> smallest_positive_root(double a, double b, double c, double d, double t_max) {
    if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c) || !std::isfinite(d)) return 0.0;
    if (a == 0.0 && b == 0.0 && c == 0.0 && d == 0.0) return 0.0;
    while (d == 0.0) {  // divide out roots at zero
        d = std::exchange(c, std::exchange(b, std::exchange(a, 0.0)));
    }
    const PositiveCubic p = normalised(a, b, c, d);
    if (obviously_positive(p, t_max)) return std::nullopt;

    double low = root_lower_bound(p);
    const auto [points, count] = critical_points(p, t_max);
    for (int i = 0; i <= count; ++i) {
        const double end = i < count ? points[static_cast<std::size_t>(i)] : t_max;
        if (end <= low) continue;
        if (!p.surely_positive(end)) return refine_from_below(p, low, end);
        low = end;  // monotone between critical points, positive at both ends: no root
    }
    return std::nullopt;
}

}  // namespace stiction
