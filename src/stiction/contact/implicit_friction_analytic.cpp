// The derivative of friction with nothing lagged, by formulas (docs/physics/implicit.md).
#include "stiction/contact/barrier.hpp"
#include "stiction/contact/barrier_stencil.hpp"
#include "stiction/contact/implicit_friction.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <cmath>

namespace stiction {
namespace {

using Row12 = Eigen::Matrix<double, 1, 12>;
using Mat3x12 = Eigen::Matrix<double, 3, 12>;
using Mat4x12 = Eigen::Matrix<double, 4, 12>;
using Points = Eigen::Matrix<double, 3, 4>;  ///< a vertex of the contact a column, unused ones zero

Points gather(const Contact& contact, const VecX& x) {
    Points points = Points::Zero();
    for (int i = 0; i < contact.vertex_count(); ++i)
        points.col(i) = x.segment<3>(3 * contact.vertices[static_cast<std::size_t>(i)]);
    return points;
}

using ParameterWeights = Eigen::Matrix<double, 4, Eigen::Dynamic, 0, 4, 2>;

ParameterWeights two_columns(const Vec4& first, const Vec4& second) {
    ParameterWeights result(4, 2);
    result << first, second;
    return result;
}

/// Changes of the closest points' weights with the barycentric parameters of a reduced pair, a parameter a column, on
/// the contact's vertices.
ParameterWeights parameter_weights(const Contact& contact) {
    ParameterWeights reduced(4, 0);
    if (contact.kind != ContactKind::half_space) {
        switch (contact.pair) {
            case PairKind::point_point: break;
            case PairKind::point_edge: reduced = Vec4(0, 1, -1, 0); break;
            case PairKind::point_triangle: reduced = two_columns(Vec4(0, 1, -1, 0), Vec4(0, 1, 0, -1)); break;
            case PairKind::edge_edge: reduced = two_columns(Vec4(-1, 1, 0, 0), Vec4(0, 0, 1, -1)); break;
        }
    }
    ParameterWeights placed = ParameterWeights::Zero(4, reduced.cols());
    for (int k = 0; k < 4; ++k) {
        const int place = contact.local[static_cast<std::size_t>(k)];
        if (place >= 0) placed.row(place) = reduced.row(k);
    }
    return placed;
}

/// Adds w_i I to the columns of each vertex i: how sum_i w_i x_i changes while the weights stay.
void add_weighted_identity(const Vec4& weights, Mat3x12& change) {
    for (int i = 0; i < 4; ++i) change.block<3, 3>(0, 3 * i) += weights[i] * Mat3::Identity();
}

/// Closest points and normal of a contact, and how they change with the 12 coordinates.
struct ClosestPoints {
    Vec4 weights;
    Mat4x12 weights_change = Mat4x12::Zero();
    Vec3 separation;  ///< r = sum_i w_i x_i; of a half-space its part along the normal
    Vec3 normal;
    Mat3x12 normal_change = Mat3x12::Zero();
};

ClosestPoints closest_points(const Contact& contact, const VecX& x, const Points& points) {
    ClosestPoints result;
    result.weights = contact_weights(contact, x);
    if (contact.kind == ContactKind::half_space) {
        result.normal = contact.normal;
        result.separation = std::sqrt(contact.squared_distance) * contact.normal;
        return result;
    }
    Vec3 reduced[4];
    for (int k = 0; k < vertex_count(contact.pair); ++k)
        reduced[k] = points.col(contact.local[static_cast<std::size_t>(k)]);
    result.separation = separation(contact.pair, reduced);
    const double distance = result.separation.norm();
    result.normal = result.separation / distance;
    Mat3x12 separation_change = Mat3x12::Zero();
    add_weighted_identity(result.weights, separation_change);
    const auto parameters = parameter_weights(contact);
    if (parameters.cols() > 0) {
        // At the closest points t_a . r = 0 for every parameter a, with t_a = sum_i c_ai x_i = dr/d beta_a. Its
        // derivative is dt_a . r + t_a . (sum_i w_i dx_i + sum_b t_b d beta_b) = 0.
        const Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, 2> tangents = points * parameters;
        Eigen::Matrix<double, Eigen::Dynamic, 12, 0, 2, 12> right(parameters.cols(), 12);
        for (Eigen::Index a = 0; a < parameters.cols(); ++a) {
            for (int i = 0; i < 4; ++i)
                right.block<1, 3>(a, 3 * i) =
                    -(parameters(i, a) * result.separation + result.weights[i] * tangents.col(a)).transpose();
        }
        const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 2, 2> metric = tangents.transpose() * tangents;
        const Eigen::Matrix<double, Eigen::Dynamic, 12, 0, 2, 12> parameter_change = metric.fullPivLu().solve(right);
        result.weights_change = parameters * parameter_change;
        separation_change += tangents * parameter_change;
    }
    result.normal_change =
        (separation_change - result.normal * (result.normal.transpose() * separation_change)) / distance;
    return result;
}

/// lambda and how it changes. The distance changes as if the weights stayed: r is orthogonal to what they move.
struct NormalForce {
    double value = 0.0;
    Row12 change = Row12::Zero();
};

NormalForce normal_force(const ImplicitFriction& friction, const Contact& contact, const Points& points,
                         const ClosestPoints& closest) {
    const double d = std::sqrt(contact.squared_distance);
    const ScalarJet b = contact_barrier(contact, friction.squared_dhat);
    const double factor = friction.barrier_stiffness * contact.multiplicity;
    NormalForce result;
    result.value = factor * -2.0 * d * b.first;
    const double slope = factor * (-b.first / d - 2.0 * d * b.second);
    for (int i = 0; i < 4; ++i)
        result.change.segment<3>(3 * i) = 2.0 * slope * closest.weights[i] * closest.separation.transpose();
    if (contact.kind != ContactKind::mollified_pair) return result;
    const Vec3 first = points.col(1) - points.col(0), second = points.col(3) - points.col(2),
               cross = first.cross(second);
    const ScalarJet e = edge_edge_mollifier(cross.squaredNorm(), contact.mollifier_threshold);
    const Vec3 by_first = 2.0 * second.cross(cross), by_second = 2.0 * cross.cross(first);  // of |cross|^2
    Row12 mollifier_change;
    mollifier_change << -by_first.transpose(), by_first.transpose(), -by_second.transpose(), by_second.transpose();
    result.change = e.value * result.change + (result.value * e.first) * mollifier_change;
    result.value *= e.value;
    return result;
}

}  // namespace

Mat12 implicit_friction_jacobian_analytic(const ImplicitFriction& friction, const Contact& contact, const VecX& x,
                                          const VecX& q_bar) {
    const Points points = gather(contact, x), moved = points - gather(contact, q_bar);
    const ClosestPoints closest = closest_points(contact, x, points);
    const NormalForce lambda = normal_force(friction, contact, points, closest);
    const Vec3& n = closest.normal;
    const Vec3 relative = moved * closest.weights;
    Mat3x12 relative_change = moved * closest.weights_change;
    add_weighted_identity(closest.weights, relative_change);
    // u = (1 - n n^T) relative
    const double along = n.dot(relative);
    const Vec3 u = relative - along * n;
    const Mat3x12 u_change = relative_change -
                             n * (n.transpose() * relative_change + relative.transpose() * closest.normal_change) -
                             along * closest.normal_change;
    const double y = u.norm();
    const double over_slip = friction.law.over_slip(y, friction.kinetic_ratio),
                 over_slip_slope = friction.law.over_slip_derivative(y, friction.kinetic_ratio);
    Mat3x12 force_change = lambda.value * over_slip * u_change + over_slip * u * lambda.change;
    if (y > 0.0) force_change += (lambda.value * over_slip_slope / y) * u * (u.transpose() * u_change);
    force_change *= friction.coefficient;
    const Vec3 force = friction.coefficient * lambda.value * over_slip * u;
    Mat12 jacobian;
    for (int i = 0; i < 4; ++i)
        jacobian.block<3, 12>(3 * i, 0) = force * closest.weights_change.row(i) + closest.weights[i] * force_change;
    return jacobian;
}

}  // namespace stiction
