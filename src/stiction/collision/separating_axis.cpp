#include "stiction/collision/separating_axis.hpp"

#include "stiction/collision/ccd_certificate.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction {
namespace {

using detail::rounding_unit;

/// The features of a pair and their move.
template <PairKind kind>
struct MovingPair {
    static constexpr int first = first_count(kind), count = vertex_count(kind);
    const Vec3 *x0, *x1;  ///< the same where nothing moves

    Vec3 between_centres() const {
        Vec3 between = Vec3::Zero();
        for (int a = 0; a < first; ++a) between += x0[a] / first;
        for (int b = first; b < count; ++b) between -= x0[b] / (count - first);
        return between;
    }

    /// A lower bound (m) of how far the features stay apart along an axis, or 0 where it is less than `enough`.
    /// Differences of positions at one time are linear in it, and so are their products with the axis: the least is at
    /// an end of the move.
    double apart_along(const Vec3& axis, double enough) const {
        // Rounding of a difference, of three products and of their sum; and what products lose to underflow, of an axis
        // whose own squares lose nothing to it.
        constexpr double relative = 8.0 * rounding_unit, absolute = 1e-290, shortest_squared = 1e-250;
        const double squared = axis.squaredNorm();
        if (!(squared >= shortest_squared)) return 0.0;
        const double length = std::sqrt(squared) * (1.0 + relative), needed = enough * length + absolute;
        double least = std::numeric_limits<double>::infinity();
        for (const Vec3* x = x0;; x = x1) {
            for (int a = 0; a < first; ++a) {
                for (int b = first; b < count; ++b) {
                    const Vec3 along = axis.cwiseProduct(x[a] - x[b]);
                    // No number where a coordinate is not finite.
                    const double lowest = along.sum() - relative * along.cwiseAbs().sum();
                    if (!(lowest >= needed)) return 0.0;
                    least = std::min(least, lowest);
                }
            }
            if (x == x1) break;
        }
        return (1.0 - relative) * (least - absolute) / length;
    }
};

/// Calls show(axis) for one axis after the other until it returns true.
template <PairKind kind, class Show>
bool any_axis(const MovingPair<kind>& pair, const Show& show) {
    const Vec3* const x = pair.x0;
    const Vec3 between = pair.between_centres();
    if (show(between)) return true;
    // Edges of one surface that are next to each other often overlap along `between`.
    const auto across = [&](const Vec3& edge) -> bool {
        return show(between - between.dot(edge) / edge.squaredNorm() * edge);
    };
    const auto along_normal = [&](const Vec3& normal) -> bool {
        return show(normal.dot(between) < 0.0 ? Vec3(-normal) : normal);
    };
    if constexpr (kind == PairKind::point_edge) return across(x[2] - x[1]);
    if constexpr (kind == PairKind::point_triangle) return along_normal((x[2] - x[1]).cross(x[3] - x[1]));
    if constexpr (kind == PairKind::edge_edge) {
        const Vec3 u = x[1] - x[0], v = x[3] - x[2];
        return across(u) || across(v) || along_normal(u.cross(v));
    }
    return false;
}

/// Calls visit(pair) with the MovingPair of the kind.
template <class Visit>
auto visit_pair(PairKind kind, const Vec3* x0, const Vec3* x1, const Visit& visit) {
    switch (kind) {
        case PairKind::point_edge: return visit(MovingPair<PairKind::point_edge>{x0, x1});
        case PairKind::point_triangle: return visit(MovingPair<PairKind::point_triangle>{x0, x1});
        case PairKind::edge_edge: return visit(MovingPair<PairKind::edge_edge>{x0, x1});
        default: return visit(MovingPair<PairKind::point_point>{x0, x1});
    }
}

}  // namespace

bool separated(PairKind kind, const Vec3* x0, const Vec3* x1, double distance) {
    return visit_pair(kind, x0, x1, [&](const auto& pair) {
        return any_axis(pair, [&](const Vec3& axis) { return pair.apart_along(axis, distance) > 0.0; });
    });
}

double separation_bound(PairKind kind, const Vec3* x, double enough) {
    return visit_pair(kind, x, x, [&](const auto& pair) {
        double bound = 0.0;
        any_axis(pair, [&](const Vec3& axis) {
            bound = std::max(bound, pair.apart_along(axis, bound));
            return bound > enough;
        });
        return bound;
    });
}

}  // namespace stiction
