#include "stiction/collision/distance.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stiction {

namespace {

// Below these relative values of |e1 x e2|^2 the interior case is left to the boundary (sines of 1e-8 and 1e-10).
constexpr double parallel_edges = 1e-16;
constexpr double flat_triangle = 1e-20;
// Below this the interior case must also beat the boundary by its own measured distance.
constexpr double doubtful = 1e-8;

struct Reduced {
    ClosestFeature feature;
    double squared;  // distance between points of the closed features
};

ClosestFeature points(int a, int b) {
    return {PairKind::point_point, {a, b, -1, -1}};
}
ClosestFeature point_line(int p, int e0, int e1) {
    return {PairKind::point_edge, {p, e0, e1, -1}};
}

// Both the case and the distance come from the difference to the nearer end: that to the farther end is longer by
// orders of magnitude where the closest point is near an end, and its rounding would decide.
Reduced reduce_point_edge(const Vec3* x, int p, int e0, int e1) {
    const Vec3 e = x[e1] - x[e0];
    const Vec3 w0 = x[p] - x[e0];
    const Vec3 w1 = x[p] - x[e1];
    const double squared0 = w0.squaredNorm();
    const double squared1 = w1.squaredNorm();
    const bool second = squared1 < squared0;
    if (e.squaredNorm() == 0.0) return second ? Reduced{points(p, e1), squared1} : Reduced{points(p, e0), squared0};
    if (!second && w0.dot(e) <= 0.0) return {points(p, e0), squared0};
    if (second && w1.dot(e) >= 0.0) return {points(p, e1), squared1};
    return {point_line(p, e0, e1), (second ? w1 : w0).cross(e).squaredNorm() / e.squaredNorm()};
}

// Is `edge` a point and an edge, and `vertex` the same point and an end of that edge?
bool ends_at(const ClosestFeature& edge, const ClosestFeature& vertex) {
    if (edge.kind != PairKind::point_edge || vertex.kind != PairKind::point_point) return false;
    const auto [p, e0, e1, none] = edge.local;
    const auto [a, b, c, d] = vertex.local;
    return (a == p && (b == e0 || b == e1)) || (b == p && (a == e0 || a == e1));
}

// An edge is never farther than its ends, whatever rounding says.
Reduced nearest(const Reduced& a, const Reduced& b) {
    if (ends_at(a.feature, b.feature)) return a;
    if (ends_at(b.feature, a.feature)) return b;
    return b.squared < a.squared ? b : a;
}

struct TrianglePoint {
    double b1, b2;  // barycentric weights of the triangle's second and third vertex
};

TrianglePoint project_on_plane(const Vec3& w, const Vec3& e1, const Vec3& e2, const Vec3& n) {
    const double nn = n.squaredNorm();
    return {w.cross(e2).dot(n) / nn, e1.cross(w).dot(n) / nn};
}

struct LinePoints {
    double s, t;  // parameters on the first and second line
};

// s from the cross products, t by projecting the first line's point: keeps the residual accurate for nearly parallel
// lines.
LinePoints closest_on_lines(const Vec3& w, const Vec3& u, const Vec3& v, const Vec3& n) {
    const double s = -w.cross(v).dot(n) / n.squaredNorm();
    return {s, v.dot(w + s * u) / v.squaredNorm()};
}

// Component of w along n, as a vector.
Vec3 along_normal(const Vec3& w, const Vec3& n) {
    const double nn = n.squaredNorm();
    return nn > 0.0 ? Vec3(n * (n.dot(w) / nn)) : w;
}

// The difference of any vertex of one feature and any vertex of the other has the same component along n. The shortest
// difference has the smallest rounding error.
Vec3 shortest_difference(PairKind kind, const Vec3* x) {
    const int n_first = first_count(kind);
    Vec3 best = x[0] - x[n_first];
    for (int i = 0; i < n_first; ++i) {
        for (int j = n_first; j < vertex_count(kind); ++j) {
            const Vec3 w = x[i] - x[j];
            if (w.squaredNorm() < best.squaredNorm()) best = w;
        }
    }
    return best;
}

// How the weights c_i change with the barycentric parameters beta; columns are parameters.
using WeightSlopes = Eigen::Matrix<double, 4, 2>;

WeightSlopes weight_slopes(PairKind kind) {
    WeightSlopes d = WeightSlopes::Zero();
    if (kind == PairKind::point_edge) {
        d.col(0) << 0.0, 1.0, -1.0, 0.0;
    } else if (kind == PairKind::point_triangle) {
        d.col(0) << 0.0, 1.0, -1.0, 0.0;
        d.col(1) << 0.0, 1.0, 0.0, -1.0;
    } else if (kind == PairKind::edge_edge) {
        d.col(0) << -1.0, 1.0, 0.0, 0.0;
        d.col(1) << 0.0, 0.0, 1.0, -1.0;
    }
    return d;
}

int parameter_count(PairKind kind) {
    return vertex_count(kind) - 2;
}

// Inverse of the Gram matrix of the columns of `slopes` (dr/dbeta); its determinant is |a x b|^2, free of cancellation.
Mat2 inverse_gram(const Eigen::Matrix<double, 3, 2>& slopes) {
    const Vec3 a = slopes.col(0);
    const Vec3 b = slopes.col(1);
    const double determinant = accurate_cross(a, b).squaredNorm();
    if (determinant == 0.0) return Mat2::Zero();
    Mat2 inverse;
    inverse << b.squaredNorm(), -a.dot(b), -a.dot(b), a.squaredNorm();
    return inverse / determinant;
}

Vec3 unit_or_zero(const Vec3& v) {
    const double largest = v.cwiseAbs().maxCoeff();
    if (!(largest > 0.0)) return Vec3::Zero();
    return (v / largest).normalized();
}

// {first, second made orthogonal to first}, normalised; a vanishing one is replaced.
Mat32 orthonormal(const Vec3& first, const Vec3& second) {
    const Vec3 a = unit_or_zero(first);
    if (a.isZero(0.0)) return second.isZero(0.0) ? any_tangents(Vec3::Zero()) : orthonormal(second, Vec3::Zero());
    const Vec3 direction = unit_or_zero(second);
    const Vec3 b = direction - a * a.dot(direction);
    Mat32 frame;
    frame.col(0) = a;
    frame.col(1) = b.norm() > 1e-8 ? Vec3((b - a * a.dot(b)).normalized()) : Vec3(any_tangents(a).col(0));
    return frame;
}

}  // namespace

Vec3 accurate_cross(const Vec3& u, const Vec3& v) {
    const double uu = u.squaredNorm();
    const double vv = v.squaredNorm();
    if (uu == 0.0 || vv == 0.0) return Vec3::Zero();
    if (uu >= vv) return u.cross(v - u * (u.dot(v) / uu));
    return (u - v * (u.dot(v) / vv)).cross(v);
}

ClosestFeature classify_point_edge(const Vec3* x) {
    return reduce_point_edge(x, 0, 1, 2).feature;
}

ClosestFeature classify_point_triangle(const Vec3* x) {
    const Vec3 e1 = x[2] - x[1];
    const Vec3 e2 = x[3] - x[1];
    const Vec3 w = x[0] - x[1];
    const Vec3 n = accurate_cross(e1, e2);
    const double relative = n.squaredNorm() / (e1.squaredNorm() * e2.squaredNorm());
    double interior = -1.0;  // squared distance of the interior case, negative if it does not apply
    if (relative > flat_triangle) {
        const TrianglePoint b = project_on_plane(w, e1, e2, n);
        if (b.b1 > 0.0 && b.b2 > 0.0 && b.b1 + b.b2 < 1.0) interior = (w - b.b1 * e1 - b.b2 * e2).squaredNorm();
    }
    constexpr ClosestFeature whole{PairKind::point_triangle, {0, 1, 2, 3}};
    if (interior >= 0.0 && relative > doubtful) return whole;
    const Reduced boundary =
        nearest(nearest(reduce_point_edge(x, 0, 1, 2), reduce_point_edge(x, 0, 2, 3)), reduce_point_edge(x, 0, 3, 1));
    return interior >= 0.0 && interior <= boundary.squared ? whole : boundary.feature;
}

ClosestFeature classify_edge_edge(const Vec3* x) {
    const Vec3 u = x[1] - x[0];
    const Vec3 v = x[3] - x[2];
    const Vec3 w = x[0] - x[2];
    const Vec3 n = accurate_cross(u, v);
    const double relative = n.squaredNorm() / (u.squaredNorm() * v.squaredNorm());
    double interior = -1.0;
    if (relative >= parallel_edges) {  // false for edges of length zero (0 / 0)
        const LinePoints c = closest_on_lines(w, u, v, n);
        if (c.s > 0.0 && c.s < 1.0 && c.t > 0.0 && c.t < 1.0) interior = (w + c.s * u - c.t * v).squaredNorm();
    }
    constexpr ClosestFeature whole{PairKind::edge_edge, {0, 1, 2, 3}};
    if (interior >= 0.0 && relative > doubtful) return whole;
    // |r|^2 is convex in (s, t): if the minimum is not inside the unit square it lies on one of its four sides.
    const Reduced boundary = nearest(nearest(reduce_point_edge(x, 0, 2, 3), reduce_point_edge(x, 1, 2, 3)),
                                     nearest(reduce_point_edge(x, 2, 0, 1), reduce_point_edge(x, 3, 0, 1)));
    return interior >= 0.0 && interior <= boundary.squared ? whole : boundary.feature;
}

ClosestFeature classify(PairKind kind, const Vec3* x) {
    switch (kind) {
        case PairKind::point_point: return points(0, 1);
        case PairKind::point_edge: return classify_point_edge(x);
        case PairKind::point_triangle: return classify_point_triangle(x);
        case PairKind::edge_edge: break;
    }
    return classify_edge_edge(x);
}

Vec3 separation(PairKind kind, const Vec3* x) {
    switch (kind) {
        case PairKind::point_point: return x[0] - x[1];
        case PairKind::point_edge: {
            const Vec3 e = x[2] - x[1];
            const Vec3 w = shortest_difference(kind, x);
            const double length2 = e.squaredNorm();
            return length2 > 0.0 ? Vec3(e.cross(w.cross(e)) / length2) : w;
        }
        case PairKind::point_triangle:
            return along_normal(shortest_difference(kind, x), accurate_cross(x[2] - x[1], x[3] - x[1]));
        case PairKind::edge_edge: break;
    }
    return along_normal(shortest_difference(kind, x), accurate_cross(x[1] - x[0], x[3] - x[2]));
}

double squared_distance(PairKind kind, const Vec3* x) {
    return separation(kind, x).squaredNorm();
}

Vec4 closest_weights(PairKind kind, const Vec3* x) {
    switch (kind) {
        case PairKind::point_point: return {1.0, -1.0, 0.0, 0.0};
        case PairKind::point_edge: {
            const Vec3 e = x[2] - x[1];
            const double length2 = e.squaredNorm();
            const double t = length2 > 0.0 ? e.dot(x[0] - x[1]) / length2 : 0.0;
            return {1.0, t - 1.0, -t, 0.0};
        }
        case PairKind::point_triangle: {
            const Vec3 e1 = x[2] - x[1];
            const Vec3 e2 = x[3] - x[1];
            const Vec3 n = accurate_cross(e1, e2);
            if (n.isZero(0.0)) return {1.0, -1.0, 0.0, 0.0};
            const TrianglePoint b = project_on_plane(x[0] - x[1], e1, e2, n);
            return {1.0, b.b1 + b.b2 - 1.0, -b.b1, -b.b2};
        }
        case PairKind::edge_edge: break;
    }
    const Vec3 u = x[1] - x[0];
    const Vec3 v = x[3] - x[2];
    const Vec3 n = accurate_cross(u, v);
    if (n.isZero(0.0)) return {1.0, 0.0, -1.0, 0.0};
    const LinePoints c = closest_on_lines(x[0] - x[2], u, v, n);
    return {1.0 - c.s, c.s, c.t - 1.0, -c.t};
}

Vec12 squared_distance_gradient(PairKind kind, const Vec3* x) {
    const Vec4 c = closest_weights(kind, x);
    const Vec3 r = separation(kind, x);
    Vec12 gradient;
    for (int i = 0; i < 4; ++i) gradient.segment<3>(3 * i) = 2.0 * c[i] * r;
    return gradient;
}

Mat12 squared_distance_hessian(PairKind kind, const Vec3* x) {
    const Vec4 c = closest_weights(kind, x);
    const Vec3 r = separation(kind, x);
    const WeightSlopes dc = weight_slopes(kind);
    const int parameters = parameter_count(kind);

    Mat12 hessian = Mat12::Zero();
    const Mat4 cc = 2.0 * c * c.transpose();
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) hessian.block<3, 3>(3 * i, 3 * j).diagonal().setConstant(cc(i, j));
    }
    if (parameters == 0) return hessian;

    Mat32 slopes = Mat32::Zero();  // dr/dbeta
    for (int i = 0; i < vertex_count(kind); ++i) slopes += x[i] * dc.row(i);
    // f_xb / 2, 12 x 2, and (f_bb / 2)^-1: the factors 2 leave one factor 2 in front.
    Eigen::Matrix<double, 12, 2> mixed;
    for (int i = 0; i < 4; ++i) mixed.block<3, 2>(3 * i, 0) = r * dc.row(i) + c[i] * slopes;
    if (parameters == 1) {
        const double length2 = slopes.col(0).squaredNorm();
        if (length2 > 0.0) hessian.noalias() -= (2.0 / length2) * mixed.col(0) * mixed.col(0).transpose();
        return hessian;
    }
    const Eigen::Matrix<double, 12, 2> weighted = 2.0 * mixed * inverse_gram(slopes);
    hessian.noalias() -= weighted * mixed.transpose();
    return 0.5 * (hessian + hessian.transpose());
}

double closest_squared_distance(PairKind kind, const Vec3* x) {
    const ClosestFeature feature = classify(kind, x);
    Vec3 y[4];
    for (int k = 0; k < vertex_count(feature.kind); ++k) y[k] = x[feature.local[static_cast<std::size_t>(k)]];
    return squared_distance(feature.kind, y);
}

double axis_distance(PairKind kind, const Vec3* x) {
    return axis_distance(kind, x, x);
}

double axis_distance(PairKind kind, const Vec3* x0, const Vec3* x1) {
    using Axes = Eigen::Array3d;
    Axes sum = Axes::Zero();
    const auto box = [&](int begin, int end) {
        Axes low = x0[begin], high = low;
        for (int k = begin; k < end; ++k) {
            low = low.min(x0[k].array()).min(x1[k].array());
            high = high.max(x0[k].array()).max(x1[k].array());
            sum += x0[k].array() + x1[k].array();
        }
        return std::pair(low, high);
    };
    const auto [low_a, high_a] = box(0, first_count(kind));
    const auto [low_b, high_b] = box(first_count(kind), vertex_count(kind));
    if (!std::isfinite(sum.sum())) return -1.0;
    constexpr double inwards = 1.0 - 4.0 * std::numeric_limits<double>::epsilon();
    return (low_a - high_b).max(low_b - high_a).maxCoeff() * inwards;
}

double edge_cross_squared(const Vec3* x) {
    return (x[1] - x[0]).cross(x[3] - x[2]).squaredNorm();
}

Vec12 edge_cross_squared_gradient(const Vec3* x) {
    const Vec3 u = x[1] - x[0];
    const Vec3 v = x[3] - x[2];
    const Vec3 n = u.cross(v);
    const Vec3 by_u = 2.0 * v.cross(n);
    const Vec3 by_v = 2.0 * n.cross(u);
    Vec12 gradient;
    gradient << -by_u, by_u, -by_v, by_v;
    return gradient;
}

Mat12 edge_cross_squared_hessian(const Vec3* x) {
    const Vec3 u = x[1] - x[0];
    const Vec3 v = x[3] - x[2];
    const Mat3 one = Mat3::Identity();
    const Mat3 uu = 2.0 * (v.squaredNorm() * one - v * v.transpose());
    const Mat3 vv = 2.0 * (u.squaredNorm() * one - u * u.transpose());
    const Mat3 uv = 2.0 * (2.0 * u * v.transpose() - u.dot(v) * one - v * u.transpose());
    Mat12 hessian;
    const Mat3 vu = uv.transpose();
    hessian << uu, -uu, uv, -uv, -uu, uu, -uv, uv, vu, -vu, vv, -vv, -vu, vu, -vv, vv;
    return hessian;
}

Mat32 any_tangents(const Vec3& normal) {
    const Vec3 n = unit_or_zero(normal);
    Mat32 frame;
    if (n.isZero(0.0)) {
        frame << 1.0, 0.0, 0.0, 1.0, 0.0, 0.0;
        return frame;
    }
    Index smallest = 0;
    for (Index k = 1; k < 3; ++k) {
        if (std::abs(n[k]) < std::abs(n[smallest])) smallest = k;
    }
    frame.col(0) = n.cross(Vec3::Unit(smallest)).normalized();
    frame.col(1) = n.cross(frame.col(0)).normalized();
    return frame;
}

Mat32 tangent_frame(PairKind kind, const Vec3* x) {
    switch (kind) {
        case PairKind::point_point: return any_tangents(x[0] - x[1]);
        case PairKind::point_edge: {
            const Vec3 e = x[2] - x[1];
            return orthonormal(e, e.cross(x[0] - x[1]));
        }
        case PairKind::point_triangle: {
            const Vec3 e1 = x[2] - x[1];
            const Vec3 e2 = x[3] - x[1];
            return e1.isZero(0.0) ? orthonormal(e2, e1) : orthonormal(e1, accurate_cross(e1, e2).cross(e1));
        }
        case PairKind::edge_edge: break;
    }
    const Vec3 u = x[1] - x[0];
    const Vec3 v = x[3] - x[2];
    return u.isZero(0.0) ? orthonormal(v, u) : orthonormal(u, accurate_cross(u, v).cross(u));
}

}  // namespace stiction
