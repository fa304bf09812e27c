// Certificates that two features stay apart over an interval of time. ccd.cpp chains them. See
// docs/physics/collision.md.
#pragma once

#include "stiction/base/types.hpp"
#include "stiction/collision/distance.hpp"

namespace stiction::detail {

/// Half of a unit in the last place of 1: relative error of one rounded operation.
inline constexpr double rounding_unit = 0x1p-53;

/// Closed interval of time; empty if begin > end.
struct TimeInterval {
    double begin;
    double end;
    bool contains(double t) const { return begin <= t && t <= end; }
};

/// Linear motion of a pair. Only differences of positions are kept, so a common translation has no effect.
class PairMotion {
public:
    PairMotion(PairKind kind, const Vec3* x0, const Vec3* x1);

    PairKind kind() const { return kind_; }

    /// Positions at time t relative to the stencil's first vertex. Rounded: they serve to choose directions, not to
    /// prove anything.
    void positions(double t, Vec3* out) const;

    /// Relative velocity of vertex k against the stencil's first vertex, per unit of t (rounded).
    Vec3 velocity(int k) const { return relative1_[k] - relative0_[k]; }

    /// Larger of magnitude(0) and magnitude(1).
    double largest_magnitude() const { return magnitude0_ > magnitude1_ ? magnitude0_ : magnitude1_; }

    /// Bound on the lengths of all differences between the two features' vertices at time t, up to a few roundings.
    double magnitude(double t) const { return (1.0 - t) * magnitude0_ + t * magnitude1_; }

    /// Interval on which a constant direction proves distance >= target: along unit `n` all vertices of the
    /// first feature are ahead of all vertices of the second by at least target, rounding included.
    /// @param n       unit vector up to rounding
    /// @param target  > 0; comparisons leave room for the rounding of the norm of n
    TimeInterval prove_constant(const Vec3& n, double target) const;

    /// Does the direction turning with t, N(t) = (1-s)^2 n0 + 2 s (1-s) n1 + s^2 n2 with s = (t - a) / (b - a), prove
    /// distance >= target on all of [a, b]? Tests the Bernstein coefficients of the cubics N(t) . (x_i(t) - x_j(t)).
    bool prove_turning(double a, double b, const Vec3& n0, const Vec3& n1, const Vec3& n2, double target) const;

private:
    PairKind kind_;
    int vertices_;
    int pairs_;
    Vec3 relative0_[4], relative1_[4];      // x_k - x_0
    Vec3 difference0_[4], difference1_[4];  // x_i - x_j, i of the first feature, j of the second
    double error0_[4], error1_[4];          // bounds on the rounding of n . difference for unit n
    double magnitude0_, magnitude1_;
};

/// The closest features at one time.
struct ClosestState {
    double t;
    Vec3 x[4];  ///< relative positions
    ClosestFeature feature;
    Vec3 r;           ///< from the second feature to the first
    double distance;  ///< |r|, rounded
};

ClosestState closest_state(const PairMotion& motion, double t);

/// Rate at which the two closest points of a state approach each other. It is no bound; it helps to choose the next
/// time to look at.
double closing_speed(const PairMotion& motion, const ClosestState& state);

/// Upper bound of the distance at a state, rounding included (a distance between two points of the features).
double distance_upper_bound(const PairMotion& motion, const ClosestState& state);

/// Tries three turning directions on [a.t, b.t]: normal to the closest features of a, normal to those of b, and from
/// a.r to b.r.
bool prove_turning_any(const PairMotion& motion, const ClosestState& a, const ClosestState& b, double target);

/// Normal of the unreduced triangle or pair of edges, pointing to the first feature; zero if there is none.
Vec3 full_normal(PairKind kind, const ClosestState& state);

}  // namespace stiction::detail
