// NCP functions: their roots are the contact conditions. Their derivatives are split into the constant rows H and the
// non-smooth indicators omega, phi' = (omega H, E).
#pragma once

#include "stiction/base/host_device.hpp"
#include "stiction/base/types.hpp"

#include <algorithm>
#include <cmath>

namespace stiction::local_global {

/// The function whose root is 0 <= a, 0 <= b, a b = 0.
enum class NcpFunction {
    min_map,             ///< min(a, b)
    fischer_burmeister,  ///< a + b - sqrt(a^2 + b^2)
};

/// Value and derivatives of phi for one row.
struct NcpRow {
    double omega = 1.0;       ///< derivative in the gap: the indicator, from 0 to 2
    double compliance = 0.0;  ///< derivative E in the multiplier (m/N), >= 0
    double value = 0.0;       ///< phi (m)
};

/// phi_f = omega slip + E lambda_f, the same for both friction rows of a contact.
struct NcpFriction {
    double omega = 1.0;
    double compliance = 0.0;  ///< E (m/N), >= 0
};

/// 0 <= delta, 0 <= lambda, delta lambda = 0 (equations 46 to 48 and 52 to 54 of Zeng et al. 2025). Where both vanish
/// phi has no derivative: Fischer-Burmeister's is taken as that along delta = r lambda, the minimum's as that of delta.
/// @param delta  gap (m)
/// @param r      scale (m/N), > 0, that makes delta and r lambda comparable: the root does not depend on it
STICTION_HD inline NcpRow normal_ncp(NcpFunction function, double delta, double lambda, double r) {
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
/// 49 to 51 and 55 to 57). A force outside the cone is taken to be on its edge, for E of equation 57 has a pole
/// outside. Without normal force (limit <= 0) omega = 0 and E = r drive lambda_f to 0.
/// @param slip   |H_f v - d_f| (m/s, or m with r to match)
/// @param force  |lambda_f|
/// @param limit  mu lambda_n
/// @param r      as in normal_ncp, of the tangential rows
STICTION_HD inline NcpFriction friction_ncp(NcpFunction function, double slip, double force, double limit, double r) {
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

/// delta + E lambda = 0: attachments and cables; E = 0 is a hard constraint (equation 15b).
STICTION_HD inline NcpRow bilateral_ncp(double delta, double lambda, double compliance) {
    return {1.0, compliance, delta + compliance * lambda};
}

}  // namespace stiction::local_global
