#include "stiction/audit/closest.hpp"

#include <Eigen/Geometry>

#include <algorithm>

namespace stiction::audit {
namespace {

/// Candidates for the closest points, of which the nearest is kept. The differences are made so that they are at right
/// angles to edges and planes to the last bits even where they are many times shorter than these: p - q of rounded
/// closest points would not be.
class Nearest {
public:
    explicit Nearest(const std::array<Vec3, 4>& x) : x_(x) {}

    void take(const Vec3& difference, std::array<int, 2> points = {-1, -1}, std::array<int, 2> edge = {-1, -1}) {
        const double squared = difference.squaredNorm();
        if (found_ && !(squared < squared_)) return;
        found_ = true;
        squared_ = squared;
        best_ = {difference, points, edge};
    }

    /// Vertex p to the edge (a, b); `sign` is -1 when the edge is the first feature.
    void point_edge(int p, int a, int b, double sign = 1.0) {
        const Vec3 w = at(p) - at(a), e = at(b) - at(a);
        const double length = e.squaredNorm(), along = w.dot(e);
        if (!(along > 0.0)) return take(sign * w, {p, a});
        if (!(along < length)) return take(sign * (at(p) - at(b)), {p, b});
        Vec3 across = w - along / length * e;
        across -= across.dot(e) / length * e;
        take(sign * across, {p, -1}, {a, b});
    }

    void point_in_triangle() {
        const Vec3 u = at(2) - at(1), v = at(3) - at(1), w = at(0) - at(1), n = u.cross(v);
        const double area = n.squaredNorm();
        const double s = w.cross(v).dot(n), t = u.cross(w).dot(n);
        if (area > 0.0 && s > 0.0 && t > 0.0 && s + t < area)
            take_across(n.dot(w) / area * n, w - s / area * u - t / area * v);
    }

    void inside_edges() {
        const Vec3 u = at(1) - at(0), v = at(3) - at(2), w = at(2) - at(0), n = u.cross(v);
        const double area = n.squaredNorm();
        const double s = w.cross(v).dot(n), t = w.cross(u).dot(n);
        if (area > 0.0 && s > 0.0 && s < area && t > 0.0 && t < area)
            take_across(-n.dot(w) / area * n, s / area * u - t / area * v - w);
    }

    const ClosestPoints& best() const { return best_; }

private:
    /// A difference along the normal of a plane; `direct` is that of the two points. Where u and v are nearly parallel
    /// the normal is noise, and so is the distance along it: the points are then as far apart as they are, and one of
    /// the edges serves as well.
    void take_across(const Vec3& across, const Vec3& direct) {
        const double size = std::max(at(1).cwiseAbs().maxCoeff(), at(0).cwiseAbs().maxCoeff());
        const double noise = 1e-14 * (size + direct.cwiseAbs().maxCoeff());
        if (across.norm() < 0.9 * direct.norm() - noise) return;
        take(across);
    }

    const Vec3& at(int k) const { return x_[static_cast<std::size_t>(k)]; }
    const std::array<Vec3, 4>& x_;
    ClosestPoints best_;
    double squared_ = 0.0;
    bool found_ = false;
};

}  // namespace

ClosestPoints closest_points(PairKind kind, const std::array<Vec3, 4>& x) {
    Nearest nearest(x);
    switch (kind) {
        case PairKind::point_point: nearest.take(x[0] - x[1], {0, 1}); break;
        case PairKind::point_edge: nearest.point_edge(0, 1, 2); break;
        case PairKind::point_triangle:
            nearest.point_in_triangle();
            nearest.point_edge(0, 1, 2);
            nearest.point_edge(0, 2, 3);
            nearest.point_edge(0, 3, 1);
            break;
        case PairKind::edge_edge:
            nearest.inside_edges();
            nearest.point_edge(0, 2, 3);
            nearest.point_edge(1, 2, 3);
            nearest.point_edge(2, 0, 1, -1.0);
            nearest.point_edge(3, 0, 1, -1.0);
            break;
    }
    return nearest.best();
}

}  // namespace stiction::audit
