#include "stiction/contact/barrier_stencil.hpp"

#include "stiction/contact/barrier.hpp"
#include "stiction/math/psd.hpp"

#include <Eigen/Eigenvalues>

namespace stiction {
namespace {

/// Positions of the reduced pair that realises the distance.
void gather_reduced(const Contact& contact, const VecX& x, Vec3* points) {
    for (int k = 0; k < vertex_count(contact.pair); ++k) {
        const auto place = static_cast<std::size_t>(contact.local[static_cast<std::size_t>(k)]);
        points[k] = x.segment<3>(3 * contact.vertices[place]);
    }
}

/// Derivatives of a reduced pair's squared distance, moved to the places the contact's stencil has for its vertices.
Vec12 spread(const Contact& contact, const Vec12& reduced) {
    Vec12 result = Vec12::Zero();
    for (int k = 0; k < vertex_count(contact.pair); ++k) {
        result.segment<3>(3 * contact.local[static_cast<std::size_t>(k)]) = reduced.segment<3>(3 * k);
    }
    return result;
}

Mat12 spread(const Contact& contact, const Mat12& reduced) {
    Mat12 result = Mat12::Zero();
    for (int a = 0; a < vertex_count(contact.pair); ++a) {
        for (int b = 0; b < vertex_count(contact.pair); ++b) {
            result.block<3, 3>(3 * contact.local[static_cast<std::size_t>(a)],
                               3 * contact.local[static_cast<std::size_t>(b)]) = reduced.block<3, 3>(3 * a, 3 * b);
        }
    }
    return result;
}

/// Orthonormal basis of the range of the squared distance's Hessian: w (x) e for the closest weights w and every e, and
/// dw/dbeta (x) n for every barycentric parameter. At most 5 columns, so the eigenproblem is 5x5, not 12x12.
Eigen::Matrix<double, 12, 5> range_basis(PairKind pair, const Vec3* points, int& columns) {
    const Vec4 weights = closest_weights(pair, points).normalized();
    Vec4 derivatives[2] = {Vec4::Zero(), Vec4::Zero()};
    int parameters = 0;
    if (pair == PairKind::point_edge) {
        derivatives[parameters++] = Vec4(0, 1, -1, 0);
    } else if (pair == PairKind::point_triangle) {
        derivatives[parameters++] = Vec4(0, 1, -1, 0);
        derivatives[parameters++] = Vec4(0, 1, 0, -1);
    } else if (pair == PairKind::edge_edge) {
        derivatives[parameters++] = Vec4(-1, 1, 0, 0);
        derivatives[parameters++] = Vec4(0, 0, 1, -1);
    }
    const Vec3 normal = separation(pair, points).normalized();
    const Mat32 tangents = any_tangents(normal);
    Eigen::Matrix<double, 12, 5> basis = Eigen::Matrix<double, 12, 5>::Zero();
    const auto set_column = [&](int column, const Vec4& w, const Vec3& direction) {
        for (int i = 0; i < 4; ++i) basis.block<3, 1>(3 * i, column) = w[i] * direction;
    };
    set_column(0, weights, normal);
    set_column(1, weights, tangents.col(0));
    set_column(2, weights, tangents.col(1));
    columns = 3;
    Vec4 previous[3] = {weights, Vec4::Zero(), Vec4::Zero()};
    for (int k = 0; k < parameters; ++k) {
        Vec4 w = derivatives[k];
        for (int j = 0; j <= k; ++j) w -= previous[j].dot(w) * previous[j];
        previous[k + 1] = w.normalized();
        set_column(columns++, previous[k + 1], normal);
    }
    return basis;
}

Mat12 project_in_range(const Mat12& hessian, PairKind pair, const Vec3* points) {
    int columns = 0;
    const Eigen::Matrix<double, 12, 5> full = range_basis(pair, points, columns);
    const auto basis = full.leftCols(columns);
    using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 5, 5>;
    const Small reduced = basis.transpose() * hessian * basis;
    const Eigen::SelfAdjointEigenSolver<Small> solver(reduced);
    if (solver.eigenvalues()[0] >= 0.0) return hessian;
    const Eigen::Matrix<double, 12, Eigen::Dynamic, 0, 12, 5> vectors = basis * solver.eigenvectors();
    return vectors * solver.eigenvalues().cwiseMax(0.0).asDiagonal() * vectors.transpose();
}

struct MollifiedParts {
    Vec3 edges[4];
    Vec3 reduced[4];
    ScalarJet mollifier;
};

MollifiedParts mollified_parts(const Contact& contact, const VecX& x) {
    MollifiedParts parts;
    gather_stencil(contact.vertices, x, parts.edges);
    gather_reduced(contact, x, parts.reduced);
    parts.mollifier = edge_edge_mollifier(edge_cross_squared(parts.edges), contact.mollifier_threshold);
    return parts;
}

Mat12 mollified_hessian(const Contact& contact, const VecX& x, const ScalarJet& barrier) {
    const MollifiedParts parts = mollified_parts(contact, x);
    const Vec12 cross = edge_cross_squared_gradient(parts.edges);
    const Vec12 distance = spread(contact, squared_distance_gradient(contact.pair, parts.reduced));
    const auto& [e, e1, e2] = parts.mollifier;
    const auto& [b, b1, b2] = barrier;
    return (b * e2) * cross * cross.transpose() + (b * e1) * edge_cross_squared_hessian(parts.edges) +
           (e1 * b1) * (cross * distance.transpose() + distance * cross.transpose()) +
           (e * b2) * distance * distance.transpose() +
           (e * b1) * spread(contact, squared_distance_hessian(contact.pair, parts.reduced));
}

Vec12 half_space_direction(const Contact& contact) {
    Vec12 direction = Vec12::Zero();
    direction.segment<3>(0) = contact.normal;
    direction.segment<3>(3) = -contact.normal;
    return direction;
}

}  // namespace

double mollifier(const Contact& contact, const VecX& x) {
    if (contact.kind != ContactKind::mollified_pair) return 1.0;
    Vec3 edges[4];
    gather_stencil(contact.vertices, x, edges);
    return edge_edge_mollifier(edge_cross_squared(edges), contact.mollifier_threshold).value;
}

ScalarJet contact_barrier(const Contact& contact, double s_hat) {
    const ScalarJet b = barrier(contact.squared_gap(), contact.squared_reach(s_hat));
    if (contact.offset == 0.0 || contact.squared_gap() == 0.0) return b;
    const double d = std::sqrt(contact.squared_distance), first = 1.0 - contact.offset / d,
                 second = 0.5 * contact.offset / (d * d * d);
    return {b.value, b.first * first, b.second * first * first + b.first * second};
}

double barrier_value(const Contact& contact, const VecX& x, double s_hat) {
    double value = contact.multiplicity * contact_barrier(contact, s_hat).value;
    if (contact.kind == ContactKind::mollified_pair) value *= mollified_parts(contact, x).mollifier.value;
    return value;
}

Vec12 barrier_gradient(const Contact& contact, const VecX& x, double s_hat) {
    const ScalarJet b = contact_barrier(contact, s_hat);
    if (contact.kind == ContactKind::half_space) {
        return contact.multiplicity * b.first * 2.0 * std::sqrt(contact.squared_distance) *
               half_space_direction(contact);
    }
    Vec3 points[4];
    gather_reduced(contact, x, points);
    const Vec12 distance = spread(contact, squared_distance_gradient(contact.pair, points));
    if (contact.kind == ContactKind::pair) return contact.multiplicity * b.first * distance;
    const MollifiedParts parts = mollified_parts(contact, x);
    return contact.multiplicity * (b.value * parts.mollifier.first * edge_cross_squared_gradient(parts.edges) +
                                   parts.mollifier.value * b.first * distance);
}

Mat12 barrier_hessian(const Contact& contact, const VecX& x, double s_hat, bool project) {
    return barrier_hessian(contact, x, project, contact_barrier(contact, s_hat));
}

Mat12 barrier_hessian(const Contact& contact, const VecX& x, bool project, const ScalarJet& b) {
    if (contact.kind == ContactKind::half_space) {
        // b(d^2) is convex in the linear d, and chords rise too: already positive semi-definite.
        const Vec12 direction = half_space_direction(contact);
        return contact.multiplicity * slope_over_distance(b, contact.squared_distance) * direction *
               direction.transpose();
    }
    if (contact.kind == ContactKind::mollified_pair) {
        Mat12 hessian = contact.multiplicity * mollified_hessian(contact, x, b);
        if (project) project_psd(hessian);
        return hessian;
    }
    Vec3 points[4];
    gather_reduced(contact, x, points);
    const Vec12 gradient = squared_distance_gradient(contact.pair, points);
    const Mat12 hessian = contact.multiplicity * (b.second * gradient * gradient.transpose() +
                                                  b.first * squared_distance_hessian(contact.pair, points));
    return project ? project_in_range(hessian, contact.pair, points) : hessian;
}

Vec4 contact_weights(const Contact& contact, const VecX& x) {
    if (contact.kind == ContactKind::half_space) return {1.0, -1.0, 0.0, 0.0};
    Vec3 points[4];
    gather_reduced(contact, x, points);
    const Vec4 reduced = closest_weights(contact.pair, points);
    Vec4 weights = Vec4::Zero();
    for (int k = 0; k < vertex_count(contact.pair); ++k)
        weights[contact.local[static_cast<std::size_t>(k)]] = reduced[k];
    return weights;
}

Mat32 contact_frame(const Contact& contact, const VecX& x) {
    if (contact.kind == ContactKind::half_space) return any_tangents(contact.normal);
    Vec3 points[4];
    gather_reduced(contact, x, points);
    return tangent_frame(contact.pair, points);
}

}  // namespace stiction
