#include "stiction/collision/ccd_certificate.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace stiction::detail {

namespace {

// n . d with |n| = 1 carries 3 roundings of the dot product, 1 of the difference d, 1 of subtracting this bound, each
// times |d|; the rest is room for the norms themselves.
constexpr double constant_error = 8.0 * rounding_unit;
// 4 roundings of the interpolated difference, 3 of the dot product, 4 of combining coefficients, times |N| |d|, and
// room.
constexpr double turning_error = 32.0 * rounding_unit;
// Keeps the bounds valid where squares underflow: stencils this small are never proven apart.
constexpr double underflow = 1e-140;

Vec3 mix(const Vec3& a, const Vec3& b, double t) {
    return (1.0 - t) * a + t * b;
}

Vec3 unit(const Vec3& v) {
    const double length = v.norm();
    return length > 0.0 ? Vec3(v / length) : Vec3(Vec3::Zero());
}

}  // namespace

PairMotion::PairMotion(PairKind kind, const Vec3* x0, const Vec3* x1)
    : kind_(kind), vertices_(vertex_count(kind)), pairs_(0), magnitude0_(underflow), magnitude1_(underflow) {
    for (int k = 0; k < vertices_; ++k) {
        relative0_[k] = x0[k] - x0[0];
        relative1_[k] = x1[k] - x1[0];
    }
    for (int i = 0; i < first_count(kind); ++i) {
        for (int j = first_count(kind); j < vertices_; ++j, ++pairs_) {
            difference0_[pairs_] = x0[i] - x0[j];
            difference1_[pairs_] = x1[i] - x1[j];
            const double length0 = difference0_[pairs_].norm() + underflow;
            const double length1 = difference1_[pairs_].norm() + underflow;
            error0_[pairs_] = constant_error * length0;
            error1_[pairs_] = constant_error * length1;
            magnitude0_ = std::max(magnitude0_, length0);
            magnitude1_ = std::max(magnitude1_, length1);
        }
    }
}

void PairMotion::positions(double t, Vec3* out) const {
    for (int k = 0; k < vertices_; ++k) out[k] = mix(relative0_[k], relative1_[k], t);
}

TimeInterval PairMotion::prove_constant(const Vec3& n, double target) const {
    constexpr double outwards = 1.0 + 16.0 * rounding_unit;
    constexpr double inwards = 1.0 - 16.0 * rounding_unit;
    constexpr TimeInterval nothing{1.0, 0.0};
    const double needed = target * (1.0 + 1e-14);
    TimeInterval interval{0.0, 1.0};
    for (int k = 0; k < pairs_; ++k) {
        // Lower bounds at both ends: their linear interpolation is a lower bound in between.
        const double at0 = n.dot(difference0_[k]) - error0_[k] - needed;
        const double at1 = n.dot(difference1_[k]) - error1_[k] - needed;
        if (at0 >= 0.0 && at1 >= 0.0) continue;
        if (at0 >= 0.0) {
            interval.end = std::min(interval.end, at0 / (at0 - at1) * inwards);
        } else if (at1 >= 0.0) {
            interval.begin = std::max(interval.begin, at0 / (at0 - at1) * outwards);
        } else {
            return nothing;  // also where a value is not a number
        }
    }
    return interval.begin <= interval.end ? interval : nothing;
}

bool PairMotion::prove_turning(double a, double b, const Vec3& n0, const Vec3& n1, const Vec3& n2,
                               double target) const {
    const double longest = std::sqrt(std::max({n0.squaredNorm(), n1.squaredNorm(), n2.squaredNorm()}));
    if (!(longest > underflow)) return false;
    const double needed = longest * (target * (1.0 + 1e-14) + turning_error * std::max(magnitude(a), magnitude(b)));
    for (int k = 0; k < pairs_; ++k) {
        const Vec3 da = mix(difference0_[k], difference1_[k], a);
        const Vec3 db = mix(difference0_[k], difference1_[k], b);
        const bool proven = n0.dot(da) >= needed && n2.dot(db) >= needed &&
                            (n0.dot(db) + 2.0 * n1.dot(da)) / 3.0 >= needed &&
                            (n2.dot(da) + 2.0 * n1.dot(db)) / 3.0 >= needed;
        if (!proven) return false;
    }
    return true;
}

ClosestState closest_state(const PairMotion& motion, double t) {
    ClosestState state;
    state.t = t;
    motion.positions(t, state.x);
    state.feature = classify(motion.kind(), state.x);
    Vec3 y[4];
    for (int k = 0; k < vertex_count(state.feature.kind); ++k)
        y[k] = state.x[state.feature.local[static_cast<std::size_t>(k)]];
    // Reduced pairs of two edges may list the second edge's vertex first: r always points to the first feature.
    const bool reversed = state.feature.local[0] >= first_count(motion.kind());
    state.r = reversed ? Vec3(-separation(state.feature.kind, y)) : separation(state.feature.kind, y);
    state.distance = state.r.norm();
    return state;
}

double closing_speed(const PairMotion& motion, const ClosestState& state) {
    if (state.distance == 0.0) return 0.0;
    Vec3 y[4];
    Vec3 rate = Vec3::Zero();
    const int n = vertex_count(state.feature.kind);
    for (int k = 0; k < n; ++k) y[k] = state.x[state.feature.local[static_cast<std::size_t>(k)]];
    const Vec4 w = closest_weights(state.feature.kind, y);
    for (int k = 0; k < n; ++k) rate += w[k] * motion.velocity(state.feature.local[static_cast<std::size_t>(k)]);
    const bool reversed = state.feature.local[0] >= first_count(motion.kind());
    return (reversed ? 1.0 : -1.0) * rate.dot(state.r) / state.distance;
}

double distance_upper_bound(const PairMotion& motion, const ClosestState& state) {
    Vec3 y[4];
    const int n = vertex_count(state.feature.kind);
    const int n_first = first_count(state.feature.kind);
    for (int k = 0; k < n; ++k) y[k] = state.x[state.feature.local[static_cast<std::size_t>(k)]];
    const Vec4 w = closest_weights(state.feature.kind, y);
    // Clamped weights make points of the features; the last weight of each feature makes up the sum.
    const auto point_of = [&](int begin, int end, double sign) {
        Vec3 p = y[begin];
        double left = 1.0;
        for (int k = begin + 1; k < end; ++k) {
            const double weight = std::clamp(sign * w[k], 0.0, left);
            left -= weight;
            p += weight * (y[k] - y[begin]);
        }
        return p;
    };
    const double distance = (point_of(0, n_first, 1.0) - point_of(n_first, n, -1.0)).norm();
    return distance * (1.0 + 8.0 * rounding_unit) + turning_error * motion.magnitude(state.t);
}

namespace {

bool prove_with_normals_of(const PairMotion& motion, const ClosestFeature& feature, const ClosestState& a,
                           const ClosestState& b, double target) {
    const std::array<int, 4>& v = feature.local;
    const auto side = [&](const ClosestState& s, int from, int to) {
        return Vec3(s.x[v[static_cast<std::size_t>(to)]] - s.x[v[static_cast<std::size_t>(from)]]);
    };
    if (feature.kind == PairKind::point_edge) {
        // m x e(t) stays at right angles to the edge; m is fixed, so that it is linear in t.
        const Vec3 ea = side(a, 1, 2);
        const Vec3 eb = side(b, 1, 2);
        const Vec3 m = unit(ea.cross(a.r)) + unit(eb.cross(b.r));
        const Vec3 n0 = m.cross(ea);
        const Vec3 n2 = m.cross(eb);
        return motion.prove_turning(a.t, b.t, n0, 0.5 * (n0 + n2), n2, target);
    }
    if (feature.kind == PairKind::point_point) return false;
    const bool edges = feature.kind == PairKind::edge_edge;
    const Vec3 ua = edges ? side(a, 0, 1) : side(a, 1, 2);
    const Vec3 ub = edges ? side(b, 0, 1) : side(b, 1, 2);
    const Vec3 va = edges ? side(a, 2, 3) : side(a, 1, 3);
    const Vec3 vb = edges ? side(b, 2, 3) : side(b, 1, 3);
    const Vec3 n0 = ua.cross(va);
    const double sign = n0.dot(a.r) < 0.0 ? -1.0 : 1.0;
    return motion.prove_turning(a.t, b.t, sign * n0, 0.5 * sign * (ua.cross(vb) + ub.cross(va)), sign * ub.cross(vb),
                                target);
}

}  // namespace

bool prove_turning_any(const PairMotion& motion, const ClosestState& a, const ClosestState& b, double target) {
    if (prove_with_normals_of(motion, a.feature, a, b, target)) return true;
    if (b.feature.local != a.feature.local && prove_with_normals_of(motion, b.feature, a, b, target)) return true;
    const Vec3 n0 = unit(a.r);
    const Vec3 n2 = unit(b.r);
    return motion.prove_turning(a.t, b.t, n0, 0.5 * (n0 + n2), n2, target);
}

Vec3 full_normal(PairKind kind, const ClosestState& state) {
    Vec3 n = Vec3::Zero();
    if (kind == PairKind::point_triangle) n = accurate_cross(state.x[2] - state.x[1], state.x[3] - state.x[1]);
    if (kind == PairKind::edge_edge) n = accurate_cross(state.x[1] - state.x[0], state.x[3] - state.x[2]);
    const int other = first_count(kind);
    return n.dot(state.x[0] - state.x[other]) < 0.0 ? Vec3(-unit(n)) : unit(n);
}

}  // namespace stiction::detail
