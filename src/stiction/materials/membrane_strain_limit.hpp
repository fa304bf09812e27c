// A barrier that keeps the stretches of a sheet below a limit.
#pragma once

#include "stiction/materials/membrane_stretches.hpp"

namespace stiction {

/// Adds, for each principal stretch s above `start`, stiffness * b(y) to the energy density (J/m^3), with
///   b(y) = -y^2 ln(1 - y),  y = (s - start) / (limit - start);
/// zero with two continuous derivatives at `start`, +inf from `limit` on: a barrier of the kind that Li, Kaufman and
/// Jiang 2021 ("Codimensional Incremental Potential Contact") limit strain with. The largest stretch is a convex
/// function of F, so a straight step between two admissible states never leaves the limit on its way: a line search
/// that refuses +inf is enough. Off by default. Has the interface of a membrane law, for doubles.
struct StrainLimit {
    double start = std::numeric_limits<double>::infinity();  ///< stretch from which the limit is felt, > 1
    double limit = std::numeric_limits<double>::infinity();  ///< stretch that is never reached, > start
    double stiffness = 0.0;                                  ///< Pa; 0 switches the limit off

    /// Whether it adds anything at these stretches (sorted, the largest first).
    bool active(const Vec2& s) const { return stiffness > 0.0 && s[0] > start; }

    /// Energy density of principal stretches.
    double value(const Vec2& s) const { return energy(s[0]) + energy(s[1]); }
    /// Principal stresses d psi / d s.
    Vec2 gradient(const Vec2& s) const { return {slope(s[0]), slope(s[1])}; }
    /// d^2 psi / d s_i d s_j: diagonal.
    Mat2 hessian(const Vec2& s) const { return Vec2(curvature(s[0]), curvature(s[1])).asDiagonal(); }
    /// (g_0 - g_1) / (s_0 - s_1), also for s_0 = s_1.
    double flip(const Vec2& s) const;
    /// (g_0 + g_1) / (s_0 + s_1).
    double twist(const Vec2& s) const { return (slope(s[0]) + slope(s[1])) / s.sum(); }
    /// g_i / s_i.
    double normal(const Vec2& s, int i) const { return s[i] > start ? slope(s[i]) / s[i] : 0.0; }

private:
    double energy(double stretch) const;
    double slope(double stretch) const;
    double curvature(double stretch) const;
};

}  // namespace stiction
