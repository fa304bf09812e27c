// Slow, obvious references: distances by long double formulas over all sub-features and by blind search, derivatives by
// differences.
#pragma once

#include "stiction/collision/distance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace stiction::testing {

using Real = long double;
using LVec = Eigen::Matrix<Real, 3, 1>;

inline Real point_segment(const LVec& p, const LVec& a, const LVec& b) {
    const LVec e = b - a;
    const Real ee = e.dot(e);
    const Real t = ee > 0 ? std::clamp<Real>((p - a).dot(e) / ee, 0, 1) : 0;
    return (p - a - t * e).norm();
}

inline LVec cross(const LVec& a, const LVec& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

inline Real point_triangle(const LVec& p, const LVec& a, const LVec& b, const LVec& c) {
    Real best = std::min({point_segment(p, a, b), point_segment(p, b, c), point_segment(p, c, a)});
    const LVec n = cross(b - a, c - a);
    const bool inside =
        cross(b - a, p - a).dot(n) >= 0 && cross(c - b, p - b).dot(n) >= 0 && cross(a - c, p - c).dot(n) >= 0;
    const Real nn = n.norm();
    if (inside && nn > 1e-15L * (b - a).norm() * (c - a).norm()) best = std::min(best, std::abs((p - a).dot(n)) / nn);
    return best;
}

inline Real segment_segment(const LVec& a0, const LVec& a1, const LVec& b0, const LVec& b1) {
    Real best = std::min(std::min(point_segment(a0, b0, b1), point_segment(a1, b0, b1)),
                         std::min(point_segment(b0, a0, a1), point_segment(b1, a0, a1)));
    const LVec u = a1 - a0;
    const LVec v = b1 - b0;
    const LVec w = b0 - a0;
    const LVec n = cross(u, v);
    const Real nn = n.dot(n);
    if (nn > 1e-30L * u.dot(u) * v.dot(v)) {
        const Real s = cross(w, v).dot(n) / nn;
        const Real t = cross(w, u).dot(n) / nn;
        if (s >= 0 && s <= 1 && t >= 0 && t <= 1) best = std::min(best, std::abs(w.dot(n)) / std::sqrt(nn));
    }
    return best;
}

/// Distance of an unreduced pair.
inline Real reference_distance(PairKind kind, const std::array<LVec, 4>& x) {
    switch (kind) {
        case PairKind::point_point: return (x[0] - x[1]).norm();
        case PairKind::point_edge: return point_segment(x[0], x[1], x[2]);
        case PairKind::point_triangle: return point_triangle(x[0], x[1], x[2], x[3]);
        case PairKind::edge_edge: break;
    }
    return segment_segment(x[0], x[1], x[2], x[3]);
}

inline std::array<LVec, 4> widen(const std::array<Vec3, 4>& x) {
    std::array<LVec, 4> y;
    for (std::size_t k = 0; k < 4; ++k) y[k] = x[k].cast<Real>();
    return y;
}

/// Positions at time t of a linear motion.
inline std::array<LVec, 4> positions_at(const std::array<Vec3, 4>& x0, const std::array<Vec3, 4>& x1, Real t) {
    std::array<LVec, 4> y;
    for (std::size_t k = 0; k < 4; ++k) y[k] = (1 - t) * x0[k].cast<Real>() + t * x1[k].cast<Real>();
    return y;
}

/// Distance by sampling the barycentric parameters of both features and closing in on the best sample.
inline double searched_distance(PairKind kind, const std::array<Vec3, 4>& x) {
    const auto at = [&](double a, double b) {
        switch (kind) {
            case PairKind::point_point: return (x[0] - x[1]).norm();
            case PairKind::point_edge: return (x[0] - x[1] - a * (x[2] - x[1])).norm();
            case PairKind::point_triangle: {
                const double excess = std::max(0.0, 0.5 * (a + b - 1.0));
                const double u = std::clamp(a - excess, 0.0, 1.0);
                const double v = std::clamp(b - excess, 0.0, 1.0 - u);
                return (x[0] - x[1] - u * (x[2] - x[1]) - v * (x[3] - x[1])).norm();
            }
            case PairKind::edge_edge: break;
        }
        return (x[0] + a * (x[1] - x[0]) - x[2] - b * (x[3] - x[2])).norm();
    };
    double a = 0.5, b = 0.5, width = 0.5, best = at(a, b);
    for (int round = 0; round < 120; ++round) {
        const double ca = a, cb = b;
        for (int i = -6; i <= 6; ++i) {
            for (int j = -6; j <= 6; ++j) {
                const double ta = std::clamp(ca + width * i / 6.0, 0.0, 1.0);
                const double tb = std::clamp(cb + width * j / 6.0, 0.0, 1.0);
                const double d = at(ta, tb);
                if (d < best) best = d, a = ta, b = tb;
            }
        }
        width *= 0.75;
    }
    return best;
}

/// Central differences of a scalar function of four points.
inline Vec12 difference_gradient(const std::function<double(const Vec3*)>& f, std::array<Vec3, 4> x, double step) {
    Vec12 g;
    for (int k = 0; k < 12; ++k) {
        double& entry = x[static_cast<std::size_t>(k / 3)][k % 3];
        const double centre = entry;
        entry = centre + step;
        const double ahead = f(x.data());
        entry = centre - step;
        const double behind = f(x.data());
        entry = centre;
        g[k] = (ahead - behind) / (2.0 * step);
    }
    return g;
}

/// Central differences of a gradient of four points.
inline Mat12 difference_hessian(const std::function<Vec12(const Vec3*)>& gradient, std::array<Vec3, 4> x, double step) {
    Mat12 h;
    for (int k = 0; k < 12; ++k) {
        double& entry = x[static_cast<std::size_t>(k / 3)][k % 3];
        const double centre = entry;
        entry = centre + step;
        const Vec12 ahead = gradient(x.data());
        entry = centre - step;
        const Vec12 behind = gradient(x.data());
        entry = centre;
        h.col(k) = (ahead - behind) / (2.0 * step);
    }
    return h;
}

}  // namespace stiction::testing
