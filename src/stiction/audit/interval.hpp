// Interval arithmetic with outward rounding.
#pragma once

#include "stiction/base/types.hpp"

#include <algorithm>
#include <cmath>

namespace stiction::audit {

/// All real numbers from lo to hi. Every operation returns an interval that contains the exact result for all members
/// of its operands.
///
/// Needs rounding to nearest (which nothing in this program changes). The rounded result r of one operation is off by
/// at most u |r|, u = 2^-53, or half the smallest double where it underflows; moving r by 2u |r| plus the smallest
/// double, which is rounded itself, clears that. Overflow gives bounds that are infinite or NaN, from which no
/// comparison concludes anything: test with positive() and negative() only.
struct Interval {
    double lo = 0.0, hi = 0.0;

    Interval() = default;
    Interval(double value) : lo(value), hi(value) {}  // NOLINT: a double is an interval
    Interval(double low, double high) : lo(low), hi(high) {}

    bool positive() const { return lo > 0.0; }
    bool negative() const { return hi < 0.0; }
};

inline double rounded_down(double r) {
    return r - (0x1p-52 * std::abs(r) + 0x1p-1074);
}
inline double rounded_up(double r) {
    return r + (0x1p-52 * std::abs(r) + 0x1p-1074);
}

inline Interval operator-(const Interval& a) {
    return {-a.hi, -a.lo};
}
inline Interval operator+(const Interval& a, const Interval& b) {
    return {rounded_down(a.lo + b.lo), rounded_up(a.hi + b.hi)};
}
inline Interval operator-(const Interval& a, const Interval& b) {
    return {rounded_down(a.lo - b.hi), rounded_up(a.hi - b.lo)};
}
inline Interval operator*(double s, const Interval& a) {
    const double p = s * a.lo, q = s * a.hi;
    return {rounded_down(std::min(p, q)), rounded_up(std::max(p, q))};
}
inline Interval operator*(const Interval& a, const Interval& b) {
    const double p = a.lo * b.lo, q = a.lo * b.hi, r = a.hi * b.lo, s = a.hi * b.hi;
    return {rounded_down(std::min({p, q, r, s})), rounded_up(std::max({p, q, r, s}))};
}

using Interval3 = std::array<Interval, 3>;

/// p - q of two points.
inline Interval3 difference(const Vec3& p, const Vec3& q) {
    return {Interval(p[0]) - Interval(q[0]), Interval(p[1]) - Interval(q[1]), Interval(p[2]) - Interval(q[2])};
}
inline Interval3 operator+(const Interval3& a, const Interval3& b) {
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline Interval3 operator*(double s, const Interval3& a) {
    return {s * a[0], s * a[1], s * a[2]};
}
inline Interval dot(const Vec3& n, const Interval3& a) {
    return n[0] * a[0] + n[1] * a[1] + n[2] * a[2];
}
/// det [a, b, c].
inline Interval determinant(const Interval3& a, const Interval3& b, const Interval3& c) {
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

}  // namespace stiction::audit
