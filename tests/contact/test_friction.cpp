#include "stiction/contact/friction.hpp"
#include "stiction/math/derivative_check.hpp"
#include "stiction/math/psd.hpp"

#include "support/compare.hpp"
#include <Eigen/Geometry>
#include <doctest/doctest.h>

#include <cmath>

using namespace stiction;
using namespace stiction::test;

TEST_CASE("smoothed friction profile: f0' = f1, f1' = f2, continuity at the threshold") {
    const double eps = 1e-3;
    CHECK(friction_f0(eps, eps) == relative(eps, 1e-13));
    CHECK(friction_f0(0.0, eps) == relative(eps / 3, 1e-13));
    CHECK(friction_f1_over_y(0.0, eps) == relative(2 / eps, 1e-13));
    for (const double ratio : {0.01, 0.3, 0.9, 1.5, 10.0}) {
        const double y = ratio * eps, step = 1e-6 * eps;
        CHECK((friction_f0(y + step, eps) - friction_f0(y - step, eps)) / (2 * step) ==
              relative(friction_f1_over_y(y, eps) * y, 1e-8));
        const auto f1 = [&](double z) { return friction_f1_over_y(z, eps) * z; };
        const double slope = (f1(y + step) - f1(y - step)) / (2 * step);
        if (y < eps)
            CHECK(slope == relative(friction_f1_derivative(y, eps), 1e-8));
        else
            CHECK((friction_f1_derivative(y, eps) == 0.0 && slope == within(0.0, 1e-15 / step)));  // f1 is 1, rounded
    }
}

TEST_CASE("friction of a stencil: derivatives, semi-definiteness, cone, no force on the frame's normal, no net force") {
    LaggedFriction contact;
    contact.pair.key = {PairKind::point_triangle, false, {0, 1, 2, 3}};
    contact.pair.weights = {1.0, -0.2, -0.3, -0.5};
    const Vec3 normal = Vec3(1, 2, 3).normalized();
    contact.pair.tangents.col(0) = normal.unitOrthogonal();
    contact.pair.tangents.col(1) = normal.cross(contact.pair.tangents.col(0));
    contact.force_limit = 2.5;
    const VecX reference = VecX::Zero(12);
    const FrictionLaw law{FrictionProfile::quadratic, 0.1, 0.0};
    for (const double size : {1e-3, 0.03, 0.3}) {
        VecX x(12);
        x << 1, 2, -1, 0.3, 0.2, 0.1, -0.4, 0.5, 0.6, 0.7, -0.8, 0.9;
        x *= size;
        const auto u = [&](const VecX& y) { return tangential_displacement(contact, y, reference); };
        const DerivativeCheck check = check_derivatives(
            [&](const VecX& y) { return friction_energy(contact, u(y), law); },
            [&](const VecX& y) { return VecX(friction_gradient(contact, u(y), law)); },
            [&](const VecX& y) { return Eigen::MatrixXd(friction_hessian(contact, u(y), law, slip_direction(u(y)))); },
            x, 1e-2);
        CHECK(check.gradient_error < 1e-6);
        CHECK(check.hessian_error < 1e-6);
        const Mat12 hessian = friction_hessian(contact, u(x), law, slip_direction(u(x)));
        CHECK(smallest_eigenvalue(hessian) > -1e-10 * hessian.norm());
        const Vec12 gradient = friction_gradient(contact, u(x), law);
        CHECK(gradient.segment<3>(0).norm() <= contact.force_limit * (1 + 1e-12));
        CHECK(std::abs(gradient.segment<3>(0).dot(normal)) < 1e-12);
        CHECK(
            (gradient.segment<3>(0) + gradient.segment<3>(3) + gradient.segment<3>(6) + gradient.segment<3>(9)).norm() <
            1e-12);
        // Dissipative: the force opposes the sliding.
        CHECK(gradient.segment<3>(0).dot(contact.pair.tangents * u(x)) > 0.0);
    }
}

TEST_CASE("the secant curvature majorises the friction energy from any slip, the tangent one does not") {
    LaggedFriction contact;
    contact.pair.key = {PairKind::point_point, false, {0, 1, -1, -1}};
    contact.pair.weights = {1.0, -1.0, 0.0, 0.0};
    contact.pair.tangents.col(0) = Vec3::UnitX();
    contact.pair.tangents.col(1) = Vec3::UnitZ();
    contact.force_limit = 3.0;
    const FrictionLaw law{FrictionProfile::quadratic, 0.01, 0.0};
    bool tangent_violates = false;
    for (const double y : {1e-4, 5e-3, 0.02, 0.5}) {
        const Vec2 u(0.6 * y, 0.8 * y);
        const Vec12 gradient = friction_gradient(contact, u, law);
        const Mat12 secant = friction_hessian(contact, u, law, Vec2(0.0, 0.0));
        const Mat12 tangent = friction_hessian(contact, u, law, slip_direction(u));
        for (int k = 0; k < 200; ++k) {
            const Vec2 other(std::cos(0.7 * k) * 0.01 * k, std::sin(1.3 * k) * 0.005 * k);
            Vec12 step = Vec12::Zero();
            step.segment<3>(0) = contact.pair.tangents * (other - u);
            const double energy = friction_energy(contact, other, law) - friction_energy(contact, u, law);
            CHECK(energy <= gradient.dot(step) + 0.5 * step.dot(secant * step) + 1e-12);
            tangent_violates = tangent_violates || energy > gradient.dot(step) + 0.5 * step.dot(tangent * step) + 1e-9;
        }
    }
    CHECK(tangent_violates);
}
