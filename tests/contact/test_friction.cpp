#include "stiction/barrier/friction_term.hpp"
#include "stiction/contact/friction.hpp"
#include "stiction/math/derivative_check.hpp"
#include "stiction/math/psd.hpp"

#include "support/compare.hpp"
#include <Eigen/Eigenvalues>
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

namespace {

/// Two points, slip of the first against the second in x and z.
LaggedFriction two_points(double force_limit) {
    LaggedFriction contact;
    contact.pair.key = {PairKind::point_point, false, {0, 1, -1, -1}};
    contact.pair.weights = {1.0, -1.0, 0.0, 0.0};
    contact.pair.tangents.col(0) = Vec3::UnitX();
    contact.pair.tangents.col(1) = Vec3::UnitZ();
    contact.force_limit = force_limit;
    return contact;
}

/// Full Newton steps on friction + stiffness/2 |u - free|^2 until its gradient is below 1e-10; 100 if they do not end.
int newton_steps(const LaggedFriction& contact, const FrictionLaw& law, double stiffness, const Vec2& free,
                 bool primal_dual, Vec2& u) {
    const Mat32& tangents = contact.pair.tangents;
    Vec2 w = Vec2::Zero();
    for (int step = 0; step < 100; ++step) {
        const Vec2 friction = tangents.transpose() * friction_gradient(contact, u, law).segment<3>(0);
        const Vec2 gradient = friction + stiffness * (u - free);
        if (gradient.norm() < 1e-10) return step;
        const Mat12 hessian = friction_hessian(contact, u, law, primal_dual ? w : slip_direction(u));
        const Mat2 planar = tangents.transpose() * hessian.block<3, 3>(0, 0) * tangents;
        const Vec2 move = (planar + stiffness * Mat2::Identity()).ldlt().solve(-gradient);
        w = next_slip_direction(contact, u, law, w, move);
        u += move;
    }
    return 100;
}

}  // namespace

TEST_CASE("the primal-dual curvature of friction is positive semi-definite for every direction in the unit disc") {
    const LaggedFriction contact = two_points(3.0);
    for (const FrictionProfile profile : {FrictionProfile::quadratic, FrictionProfile::rational}) {
        const FrictionLaw law{profile, 0.01, 0.1};
        for (const double y : {0.0, 1e-4, 5e-3, 0.02, 0.5}) {
            for (int k = 0; k < 60; ++k) {
                const Vec2 w = (k % 5) / 4.0 * Vec2(std::cos(k), std::sin(k)), u(0.6 * y, 0.8 * y);
                const Mat12 hessian = friction_hessian(contact, u, law, w);
                const Eigen::SelfAdjointEigenSolver<Mat12> solver(hessian);
                CHECK(hessian == hessian.transpose());
                CHECK(solver.eigenvalues()[0] >= -1e-13 * solver.eigenvalues()[11]);
            }
        }
    }
}

TEST_CASE("with primal-dual curvature full Newton steps find whether a contact sticks, slides or turns round") {
    const LaggedFriction contact = two_points(2.0);
    const FrictionLaw law{FrictionProfile::quadratic, 1e-5, 0.0};
    struct Case {
        Vec2 start, free;
    };
    int worst = 0, worst_hessian = 0;
    for (const Case& c : {Case{{-0.5, 0.1}, {1.0, 0.2}}, Case{{0.3, -0.4}, {1e-2, 1e-2}}, Case{{1e-6, 0.0}, {0.4, 0.3}},
                          Case{{-0.5, 0.1}, {0.0, 0.021}}, Case{{0.0, 1.0}, {0.03, -0.02}}}) {
        const double stiffness = 100.0, reach = 2.0 / stiffness;  // friction holds what is freed by less than `reach`
        Vec2 u = c.start, by_hessian = c.start;
        worst = std::max(worst, newton_steps(contact, law, stiffness, c.free, true, u));
        worst_hessian = std::max(worst_hessian, newton_steps(contact, law, stiffness, c.free, false, by_hessian));
        if (c.free.norm() < reach) {
            CHECK(u.norm() < law.sticking_slip);
        } else {
            CHECK((u - (1.0 - reach / c.free.norm()) * c.free).norm() < 1e-11);
        }
    }
    MESSAGE("steps: ", worst, ", with the Hessian: ", worst_hessian);
    CHECK(worst <= 25);
    CHECK(worst_hessian == 100);
}

TEST_CASE(
    "the error of linearised friction is that of contacts that turn round or come loose, by their largest forces") {
    const FrictionLaw law{FrictionProfile::quadratic, 1e-3, 0.0};
    FrictionTerm term{law, {two_points(3.0)}};
    const VecX reference = VecX::Zero(6);
    const Mat32 tangents = term.contacts[0].pair.tangents;
    const auto error = [&](const Vec2& from, const Vec2& to) {
        VecX x = VecX::Zero(6), move = VecX::Zero(6);
        x.head<3>() = tangents * from;
        move.head<3>() = tangents * (to - from);
        return term.linearisation_error(x, reference, move);
    };
    CHECK(error({0.3, 0.0}, {0.5, 0.0}) < 1e-12);                     // slides on
    CHECK(error({1e-4, 0.0}, {1.1e-4, 0.0}) == within(1e-4, 1e-15));  // sticks: (move / eps)^2 is left out
    CHECK(error({0.3, 0.0}, {-0.2, 0.0}) == 1.0);                     // turns round
    CHECK(error({1e-4, 0.0}, {0.1, 0.0}) == 1.0);                     // comes loose
    CHECK(error({0.3, 0.0}, {0.3, 0.3}) == relative(std::hypot(1.0 - M_SQRT1_2, 1.0 - M_SQRT1_2), 1e-12));  // turns

    // Another contact, three times as strong, has slid nowhere and does not move.
    term.contacts.push_back(two_points(9.0));
    term.contacts[1].pair.key.vertices = {2, 3, -1, -1};
    VecX x = VecX::Zero(12), move = VecX::Zero(12);
    x.head<3>() = tangents * Vec2(0.3, 0.0);
    move.head<3>() = tangents * Vec2(-0.5, 0.0);
    CHECK(term.linearisation_error(x, VecX::Zero(12), move) == relative(0.25, 1e-12));
    // What takes away what others count twice has no say.
    term.contacts[1].force_limit = -9.0;
    CHECK(term.linearisation_error(x, VecX::Zero(12), move) == 1.0);
    term.contacts.clear();
    CHECK(term.linearisation_error(x, VecX::Zero(12), move) == 0.0);
}

TEST_CASE("friction of a negative limit has its gradient, and no curvature") {
    LaggedFriction contact = two_points(-2.0);
    const FrictionLaw law{FrictionProfile::quadratic, 0.1, 0.0};
    const VecX reference = VecX::Zero(6);
    VecX x(6);
    x << 0.03, 0.2, -0.02, 0.01, -0.1, 0.05;
    const auto u = [&](const VecX& y) { return tangential_displacement(contact, y, reference); };
    const DerivativeCheck check =
        check_derivatives([&](const VecX& y) { return friction_energy(contact, u(y), law); },
                          [&](const VecX& y) { return VecX(friction_gradient(contact, u(y), law).head<6>()); },
                          [](const VecX&) { return Eigen::MatrixXd(Eigen::MatrixXd::Zero(6, 6)); }, x, 1e-3);
    CHECK(check.gradient_error < 1e-6);
    CHECK(friction_energy(contact, u(x), law) < 0.0);
    CHECK(friction_hessian(contact, u(x), law, slip_direction(u(x))).norm() == 0.0);
}
