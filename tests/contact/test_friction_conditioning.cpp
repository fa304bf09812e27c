// Conditioning of one frictional contact (Larionov et al. 2022, appendix A): a point mass on a belt, with the laws that
// methods use.
#include "stiction/contact/friction_law.hpp"
#include "stiction/contact/penalty.hpp"

#include "support/compare.hpp"
#include <Eigen/Dense>
#include <doctest/doctest.h>

#include <cmath>

using namespace stiction;
using namespace stiction::test;

namespace {

struct Belt {
    double mass = 1.0, h = 0.01, mu = 0.3, delta = 0.01, eps = 0.05;
    FrictionProfile profile = FrictionProfile::rational;
};

/// v - h f(q + h v)/m of backward Euler at gap q_y = 0 and zero velocity of the end step, per unit mass. The paper's
/// penalty is
/// -(kappa/delta)(x - delta)^3: ours with stiffness kappa/delta.
Eigen::Vector2d residual(const Belt& belt, double kappa, const Eigen::Vector2d& v) {
    const double gap = belt.h * v.y();
    const double normal_force = penalty_force(gap, belt.delta, kappa / belt.delta);
    const FrictionLaw law{belt.profile, belt.eps, 0.0};
    const double slip = std::abs(v.x());
    const double friction = belt.mu * normal_force * law.over_slip(slip, 1.0) * v.x();
    return v - belt.h / belt.mass * Eigen::Vector2d(-friction, normal_force);
}

double condition(const Belt& belt, double kappa) {
    const double step = 1e-7 * belt.eps;
    Eigen::Matrix2d jacobian;
    for (int i = 0; i < 2; ++i) {
        Eigen::Vector2d forward = Eigen::Vector2d::Zero(), backward = forward;
        forward[i] = step;
        backward[i] = -step;
        jacobian.col(i) = (residual(belt, kappa, forward) - residual(belt, kappa, backward)) / (2.0 * step);
    }
    const Eigen::Vector2d singular = jacobian.jacobiSvd().singularValues();
    return singular[0] / singular[1];
}

double limit(const Belt& belt) {
    const double ratio = belt.delta * belt.mu / (2.0 * belt.h * belt.eps);
    return std::max(ratio, 1.0 / ratio);
}

}  // namespace

TEST_CASE(
    "conditioning: for a stiff contact at rest it tends to equation 28; the quadratic profile doubles the ratio") {
    for (const double eps : {1e-3, 0.05, 1.0}) {
        for (const double delta : {1e-3, 0.1}) {
            Belt belt;
            belt.eps = eps;
            belt.delta = delta;
            CAPTURE(eps);
            CAPTURE(delta);
            CHECK(condition(belt, 1e12) == relative(limit(belt), 1e-3));
            // s_a is twice as steep at rest: equation 28 with mu doubled.
            Belt quadratic = belt, doubled = belt;
            quadratic.profile = FrictionProfile::quadratic;
            doubled.mu *= 2.0;
            CHECK(condition(quadratic, 1e12) == relative(limit(doubled), 1e-3));
        }
    }
}

TEST_CASE("conditioning: it grows at most like min(1/delta, kappa), equation 29") {
    Belt belt;
    double worst = 0.0;
    for (double delta = 1e-1; delta > 1e-7; delta /= 10.0) {
        for (double kappa = 1.0; kappa < 1e9; kappa *= 10.0) {
            belt.delta = delta;
            worst = std::max(worst, condition(belt, kappa) / std::min(1.0 / delta, kappa));
        }
    }
    CHECK(worst < 10.0);
    // And not less: along kappa = 1/delta^2 it does grow like 1/delta.
    belt.delta = 1e-3;
    const double coarse = condition(belt, 1e6 / 1e-3);
    belt.delta = 1e-5;
    CHECK(condition(belt, 1e10 / 1e-5) / coarse == relative(100.0, 1e-3));
}

TEST_CASE("conditioning: it grows at most like 1 / eps, equation 30") {
    Belt belt;
    double last = 0.0;
    for (double eps = 1e-1; eps > 1e-8; eps /= 10.0) {
        belt.eps = eps;
        const double scaled = condition(belt, 1e4) * eps;
        CAPTURE(eps);
        if (eps < 1e-5) CHECK(scaled == relative(last, 0.02));
        last = scaled;
    }
}
