// Functions whose roots are the contact conditions, split as phi' = (omega H, E): what stays during a step and what
// does not.
#pragma once

#include "stiction/base/types.hpp"

#include <algorithm>
#include <cmath>

namespace stiction::local_global {

/// Which function stands for 0 <= a, 0 <= b, a b = 0.
enum class NcpFunction {
    min_map,             ///< min(a, b)
    fischer_burmeister,  ///< a + b - sqrt(a^2 + b^2)
};

/// One row: value phi and its derivatives, omega in the gap (no unit, 0 to 2) and E in the multiplier (m/N, at least
/// 0).
struct NcpRow {
    double omega = 1.0;
    double compliance = 0.0;
    double value = 0.0;
};

/// What friction adds to a contact: both of its rows have phi_f = omega slip + E lambda_f, with one E (m/N, at least
/// 0).
struct NcpFriction {
    double omega = 1.0;
    double compliance = 0.0;
};

/// 0 <= delta, 0 <= lambda, delta lambda = 0 (equations 46 to 48 and 52 to 54 of Zeng et al. 2025). Where both vanish,
/// half of the way between the two branches' derivatives is taken for Fischer-Burmeister, and the closed branch for the
/// minimum.
/// @param delta  gap (m)
/// @param r      what makes both sides of one size (m/N, positive): no root depends on it
inline NcpRow normal_ncp(NcpFunction function, double delta, double lambda, double r) {
    const double force = r * lambda;
    if (function == NcpFunction::min_map) return delta <= force ? NcpRow{1.0, 0.0, delta} : NcpRow{0.0, r, force};
    const double s = std::hypot(delta, force);
    if (s == 0.0) return {1.0 - std::sqrt(0.5), r * (1.0 - std::sqrt(0.5)), 0.0};
    // 1 - x / s and x + y - s where nothing cancels
    const double omega = delta > 0.0 ? force / s * (force / (s + delta)) : 1.0 - delta / s;
    const double slope = force > 0.0 ? delta / s * (delta / (s + force)) : 1.0 - force / s;
    const double value = delta > 0.0 && force > 0.0 ? 2.0 * delta * (force / (delta + force + s)) : delta + force - s;
    return {omega, r * slope, value};
}

/// slip = -(|slip| / |lambda_f|) lambda_f, 0 <= |slip|, |lambda_f| <= limit, |slip| (limit - |lambda_f|) = 0 (equations
/// 49 to 51 and 55 to 57). A force outside the cone counts as on its edge: E of equation 57 has a pole there. Where
/// nothing may rub (limit <= 0), omega = 0 and E = r drive lambda_f to 0.
/// @param slip   |H_f v - d_f| (m/s, or m with r to match)
/// @param force  |lambda_f|
/// @param limit  mu lambda_n
/// @param r      as in normal_ncp, of the tangential rows
inline NcpFriction friction_ncp(NcpFunction function, double slip, double force, double limit, double r) {
    if (!(limit > 0.0)) return {0.0, r};
    const double inside = r * std::max(limit - force, 0.0);
    if (function == NcpFunction::min_map) return {1.0, slip <= inside ? 0.0 : (slip - inside) / limit};
    if (slip == 0.0) return {1.0, 0.0};
    const double s = std::hypot(slip, inside);
    const double above = slip / (s + inside) * slip;  // s - inside
    const double below =
        r * std::min(force, limit) + 2.0 * slip * (inside / (slip + inside + s));  // slip + r limit - s
    return {1.0, r * (above / below)};
}

/// delta + E lambda = 0: pins, joints and cables; E = 0 is a hard one (equation 15b).
inline NcpRow bilateral_ncp(double delta, double lambda, double compliance) {
    return {1.0, compliance, delta + compliance * lambda};
}

}  // namespace stiction::local_global
