#include "stiction/contact/friction.hpp"

#include <algorithm>

namespace stiction {

double friction_f0(double y, double eps) {
    if (y >= eps) return y;
    const double ratio = y / eps;
    return eps * (ratio * ratio * (1.0 - ratio / 3.0) + 1.0 / 3.0);
}

double friction_f1_over_y(double y, double eps) {
    return y >= eps ? 1.0 / y : (2.0 - y / eps) / eps;
}

double friction_f1_derivative(double y, double eps) {
    return y >= eps ? 0.0 : 2.0 * (1.0 - y / eps) / eps;
}

Vec2 tangential_displacement(const LaggedFriction& contact, const VecX& x, const VecX& x_ref) {
    return contact.pair.tangents.transpose() * contact.pair.relative(x, x_ref);
}

double friction_energy(const LaggedFriction& contact, const Vec2& u, const FrictionLaw& law) {
    return contact.force_limit * law.of_pair(contact.slip_share).potential(u.norm(), contact.kinetic_ratio);
}

Vec12 friction_gradient(const LaggedFriction& contact, const Vec2& u, const FrictionLaw& law) {
    const Vec3 force = contact.force_limit *
                       law.of_pair(contact.slip_share).over_slip(u.norm(), contact.kinetic_ratio) *
                       (contact.pair.tangents * u);
    Vec12 gradient = Vec12::Zero();
    for (int i = 0; i < contact.pair.vertex_count(); ++i) gradient.segment<3>(3 * i) = contact.pair.weights[i] * force;
    return gradient;
}

Vec2 slip_direction(const Vec2& u) {
    const double y = u.norm();
    return y > 0.0 ? Vec2(u / y) : Vec2(0.0, 0.0);
}

Mat12 friction_hessian(const LaggedFriction& contact, const Vec2& u, const FrictionLaw& law, const Vec2& w) {
    // A concave term: zero is the nearest positive semi-definite matrix.
    if (contact.force_limit < 0.0) return Mat12::Zero();
    const FrictionLaw own = law.of_pair(contact.slip_share);
    const double across = own.over_slip(u.norm(), contact.kinetic_ratio);
    const double along = std::max(own.derivative(u.norm(), contact.kinetic_ratio), 0.0);
    const Mat2 couple = 0.5 * w * slip_direction(u).transpose();
    const Mat2 planar = across * Mat2::Identity() + (along - across) * (couple + couple.transpose());
    const Mat3 spatial = contact.force_limit * contact.pair.tangents * planar * contact.pair.tangents.transpose();
    Mat12 hessian = Mat12::Zero();
    for (int i = 0; i < contact.pair.vertex_count(); ++i) {
        for (int j = 0; j < contact.pair.vertex_count(); ++j) {
            hessian.block<3, 3>(3 * i, 3 * j) = contact.pair.weights[i] * contact.pair.weights[j] * spatial;
        }
    }
    return hessian;
}

Vec2 next_slip_direction(const LaggedFriction& contact, const Vec2& u, const FrictionLaw& law, const Vec2& w,
                         const Vec2& move) {
    const FrictionLaw own = law.of_pair(contact.slip_share);
    const double across = own.over_slip(u.norm(), contact.kinetic_ratio);
    const double along = std::max(own.derivative(u.norm(), contact.kinetic_ratio), 0.0);
    const Vec2 next = across * (u + move) + (along - across) * slip_direction(u).dot(move) * w;
    return next / std::max(1.0, next.norm());
}

}  // namespace stiction
