// What the contact solver does with one contact or one bilateral row, on a CPU or a GPU. z is h^2 lambda (kg m); r is
// the scale of the rows (1/kg).
#pragma once

#include "stiction/methods/local_global/contact/ncp.hpp"

namespace stiction::local_global {

/// Below it an indicator counts as 0, and the row is inactive: phi does not depend on its gap.
inline constexpr double smallest_indicator = 1e-14;

/// Sweeps over the contacts before and after a Newton step.
inline constexpr int sweeps_before = 1, sweeps_after = 3;

/// omega, E and phi of the three rows of a contact, by pointers.
struct Linearised {
    double* omega;
    double* compliance;
    double* value;
};

/// 1 / sqrt(x). A GPU has an instruction for it.
STICTION_HD inline double inverse_root(double x) {
#ifdef __CUDA_ARCH__
    return rsqrt(x);
#else
    return 1.0 / std::sqrt(x);
#endif
}

/// 1 / r for r > 0, else 0.
STICTION_HD inline double inverse_scale(double r) {
    return r > 0.0 ? 1.0 / r : 0.0;
}

/// |z_f| <= mu z_n.
STICTION_HD inline void project_onto_cone(double friction, double* z) {
    const double limit = friction * z[0] > 0.0 ? friction * z[0] : 0.0, force = std::hypot(z[1], z[2]);
    if (force <= limit) return;
    z[1] *= limit / force;
    z[2] *= limit / force;
}

/// Turns two tangential numbers into an axis (along = 1), or back (along = -1).
STICTION_HD inline void turn_tangents(const double* axis, double along, double* rows) {
    const double c = axis[0], s = along * axis[1], first = rows[1], second = rows[2];
    rows[1] = c * first + s * second;
    rows[2] = c * second - s * first;
}

/// phi_n of the normal row.
STICTION_HD inline void linearise_normal(NcpFunction function, double r, const double* z, const double* values,
                                         const Linearised& out) {
    const NcpRow normal = normal_ncp(function, values[0], z[0], r);
    out.omega[0] = normal.omega;
    out.compliance[0] = normal.compliance;
    out.value[0] = normal.value;
}

/// phi_f = slip + E z_f with E kept.
STICTION_HD inline void linearise_secant(NcpFunction function, double friction, double r, const double* z,
                                         const double* values, const Linearised& out) {
    const NcpFriction row =
        friction_ncp(function, std::hypot(values[1], values[2]), std::hypot(z[1], z[2]), friction * z[0], r);
    for (int d = 1; d <= 2; ++d) {
        out.omega[d] = row.omega;
        out.compliance[d] = row.compliance;
        out.value[d] = row.omega * values[d] + row.compliance * z[d];
    }
}

/// phi_f = z_f - P(z_f - slip / r). A sliding contact has its first axis along z_f - slip / r: its force along that
/// axis is mu z_n, and across it P acts like a spring. z and values come out in the axes.
STICTION_HD inline void linearise_projection(double friction, double r, double* z, double* values, double* axis,
                                             const Linearised& out) {
    const double limit = friction * z[0];
    const double wanted[2] = {z[1] - values[1] / r, z[2] - values[2] / r};
    const double size = std::sqrt(wanted[0] * wanted[0] + wanted[1] * wanted[1]);
    const bool rubs = limit > 0.0, slides = rubs && size > limit;
    axis[0] = slides ? wanted[0] / size : 1.0;
    axis[1] = slides ? wanted[1] / size : 0.0;
    turn_tangents(axis, 1.0, z);
    turn_tangents(axis, 1.0, values);
    for (int d = 1; d <= 2; ++d) {
        out.omega[d] = rubs ? 1.0 : 0.0;
        out.compliance[d] = rubs ? 0.0 : r;
    }
    if (slides) {
        out.omega[1] = 0.0;
        out.compliance[1] = r;
        out.compliance[2] = r * (size - limit) / limit;
    }
    for (int d = 1; d <= 2; ++d) out.value[d] = out.omega[d] * values[d] + out.compliance[d] * z[d];
    if (slides) out.value[1] = r * (z[1] - limit);
}

/// phi of a bilateral row, or of a one-sided one.
/// @param given  compliance over h^2 (1/kg)
STICTION_HD inline NcpRow linearise_bilateral(NcpFunction function, bool one_sided, double given, double r, double z,
                                              double value) {
    if (!one_sided) return bilateral_ncp(value, z, given);
    NcpRow row = normal_ncp(function, value + given * z, z, r);
    row.compliance += row.omega * given;
    return row;
}

/// z of a contact whose rows have these values, while the other contacts are held. Exact where its block of W is r
/// times the identity.
/// @param inverse_r  1 / r; 0 for a contact that no force moves
STICTION_HD inline void solve_contact(double friction, double inverse_r, const double* value, double* z) {
    if (!(inverse_r > 0.0)) return;
    const double normal = z[0] - value[0] * inverse_r;
    z[0] = normal > 0.0 ? normal : 0.0;
    const double limit = friction * z[0];
    const double wanted[2] = {z[1] - value[1] * inverse_r, z[2] - value[2] * inverse_r};
    const double square = wanted[0] * wanted[0] + wanted[1] * wanted[1];
    const double ratio = square > limit * limit ? limit * inverse_root(square) : 1.0;
    z[1] = ratio * wanted[0];
    z[2] = ratio * wanted[1];
}

/// What solves a bilateral row while the others are held.
/// @param diagonal, compliance  of W, and the row's own over h^2 (1/kg)
STICTION_HD inline double bilateral_step(bool one_sided, double diagonal, double compliance, double value, double z) {
    const double stiffness = diagonal + compliance;
    const double step = stiffness > 0.0 ? -(value + compliance * z) / stiffness : 0.0;
    return one_sided && step < -z ? -z : step;
}

/// Residuals of the conditions of one contact (m): |min(gap, r z_n)|, and r |z_f - P(z_f - slip / r)|.
STICTION_HD inline Vec2 contact_errors(double friction, double r, const double* z, const double* value) {
    const double limit = friction * z[0] > 0.0 ? friction * z[0] : 0.0;
    const Vec2 wanted(z[1] - value[1] / r, z[2] - value[2] / r);
    const double size = wanted.norm(), scaled = r * z[0];
    const Vec2 admissible = size > limit ? Vec2(wanted * (limit / size)) : wanted;
    return {std::abs(value[0] < scaled ? value[0] : scaled), r * (Vec2(z[1], z[2]) - admissible).norm()};
}

}  // namespace stiction::local_global
