// x - ln(1 + x) without cancellation.
#pragma once

#include "stiction/base/host_device.hpp"

#include <cmath>

namespace stiction {

/// x - ln(1 + x) for x > -1, accurate to a few units in the last place also for small x, where it is about x^2 / 2.
/// With r = x / (2 + x): ln(1 + x) = 2 atanh(r) and x - 2 r = x r, so the value is x r - 2 (r^3/3 + r^5/5 + ...).
template <class T>
STICTION_HD T x_minus_log1p(const T& x) {
    using std::abs;
    using std::log1p;
    if (abs(x) > T(0.1)) return x - log1p(x);
    const T r = x / (T(2) + x);
    const T r2 = r * r;  // at most 0.0028: nine terms reach 1e-22
    T series = T(1) / T(19);
    for (int odd = 17; odd >= 3; odd -= 2) series = series * r2 + T(1) / T(odd);
    return x * r - T(2) * r * r2 * series;
}

}  // namespace stiction
