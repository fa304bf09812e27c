// Closest features, squared distances with their derivatives, and tangent frames of pairs of simplices.
#pragma once

#include "stiction/base/types.hpp"

#include <Eigen/Core>

#include <array>
#include <cstdint>

namespace stiction {

using Mat32 = Eigen::Matrix<double, 3, 2>;
using Vec4 = Eigen::Vector4d;
using Mat4 = Eigen::Matrix4d;

/// The pairs of features that can touch. A stencil lists the vertices of the first feature, then those of the second:
/// {a, b}; {point, e0, e1}; {point, t0, t1, t2}; {a0, a1, b0, b1}.
enum class PairKind : std::uint8_t { point_point, point_edge, point_triangle, edge_edge };

/// Number of vertices of the first feature: 2 for edge_edge, else 1.
constexpr int first_count(PairKind kind) {
    return kind == PairKind::edge_edge ? 2 : 1;
}

/// Number of vertices of the second feature: 1 (point_point), 2 (point_edge, edge_edge) or 3 (point_triangle).
constexpr int second_count(PairKind kind) {
    return kind == PairKind::point_point ? 1 : (kind == PairKind::point_triangle ? 3 : 2);
}

/// Number of vertices of a stencil: 2, 3, 4 or 4.
constexpr int vertex_count(PairKind kind) {
    return first_count(kind) + second_count(kind);
}

/// The sub-features that realise the distance of a pair.
struct ClosestFeature {
    PairKind kind;  ///< of the reduced pair: never of higher dimension than the pair classified
    /// Positions in the classified stencil, in the reduced pair's own order (point first); unused entries are -1. When
    /// two edges reduce to a point and an edge, the point may be the second edge's: r then points from the first edge
    /// to the second.
    std::array<int, 4> local;
};

/// Closest features of a point x[0] and the edge x[1] x[2] (3 cases). An edge of length zero reduces to point_point.
ClosestFeature classify_point_edge(const Vec3* x);

/// Closest features of a point x[0] and the triangle x[1] x[2] x[3] (7 cases). Triangles without area reduce to their
/// edges.
ClosestFeature classify_point_triangle(const Vec3* x);

/// Closest features of the edges x[0] x[1] and x[2] x[3] (9 cases). Nearly parallel edges, |u x v|^2 < 1e-16 |u|^2
/// |v|^2, never report the interior case: the closest of the four point-edge pairs stands in.
ClosestFeature classify_edge_edge(const Vec3* x);

/// Closest features of a pair of any kind; x has vertex_count(kind) entries.
ClosestFeature classify(PairKind kind, const Vec3* x);

// The functions below take a REDUCED pair, as `classify` returns it: edges stand for their lines and triangles for
// their planes, so that every function is smooth. With the separation r(x, beta) = sum_i c_i(beta) x_i, linear in each
// barycentric parameter beta, the squared distance is f = min over beta of |r|^2.

/// Squared distance in m^2 of a reduced pair.
double squared_distance(PairKind kind, const Vec3* x);

/// Signed barycentric weights of the closest points: r = sum_i w_i x_i points from the second feature to the first, and
/// |r|^2 is the squared distance. First feature's weights add up to 1, the second's to -1; unused entries are 0.
Vec4 closest_weights(PairKind kind, const Vec3* x);

/// r itself, from the second feature to the first. For point_triangle and edge_edge it is taken along the exact normal,
/// so that its direction survives gaps of 1e-9 of the size of the features.
Vec3 separation(PairKind kind, const Vec3* x);

/// Gradient of the squared distance, 2 c_i r for vertex i (the envelope theorem: beta's own change does not count);
/// entries beyond 3 vertex_count(kind) are zero.
Vec12 squared_distance_gradient(PairKind kind, const Vec3* x);

/// Hessian of the squared distance, f_xx - f_xb f_bb^-1 f_bx at the minimising beta; symmetric, indefinite in general;
/// rows and columns beyond 3 vertex_count(kind) are zero.
Mat12 squared_distance_hessian(PairKind kind, const Vec3* x);

/// True squared distance in m^2 of an unreduced pair: classifies, then measures the closest features.
double closest_squared_distance(PairKind kind, const Vec3* x);

/// A lower bound of the distance (m) that costs little: what the boxes around both features keep along one axis,
/// rounding included. Negative where they overlap.
double axis_distance(PairKind kind, const Vec3* x);
/// The same for all of a straight move of the vertices from x0 to x1. Negative also where a coordinate is not finite.
double axis_distance(PairKind kind, const Vec3* x0, const Vec3* x1);

/// |e1 x e2|^2 in m^4 of the edges e1 = x[1] - x[0], e2 = x[3] - x[2]: the argument of the mollifier for nearly
/// parallel edges.
double edge_cross_squared(const Vec3* x);

/// Gradient of edge_cross_squared in the four vertices.
Vec12 edge_cross_squared_gradient(const Vec3* x);

/// Hessian of edge_cross_squared in the four vertices; symmetric, indefinite in general.
Mat12 edge_cross_squared_hessian(const Vec3* x);

/// Orthonormal tangents of a reduced pair, as columns: point_triangle {t12, (t12 x t13) x t12}, edge_edge {u, (u x v) x
/// u}, point_edge {e, e x (p - e0)}, point_point any two at right angles to the line between the points. For a
/// degenerate pair (lengths of zero, parallel edges, a point on the line) any orthonormal completion is returned.
Mat32 tangent_frame(PairKind kind, const Vec3* x);

/// Two orthonormal vectors at right angles to `normal`; any pair of columns if normal is zero.
Mat32 any_tangents(const Vec3& normal);

/// u x v, orthogonal to both u and v up to rounding even if they are nearly parallel: the shorter one is made
/// orthogonal to the longer one first. Zero if they are parallel up to rounding.
Vec3 accurate_cross(const Vec3& u, const Vec3& v);

}  // namespace stiction
