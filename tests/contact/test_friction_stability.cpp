// Stability of one frictional contact (Larionov et al. 2022, appendix A.2, figures 12 to 14): the free end of a springy
// rod on a belt, with the laws that methods use and the stages of the integrators.
//
// The paper prints neither the rest length of the rod nor the height of the belt: equations 31 and 32 give sqrt(2) and
// y = -1. Nor does it print gravity (here 9.81 m/s^2) or where the run of figure 14 starts (here as that of figure 13).
// Its K has the sign of a spring that pulls when it is compressed; the equations are those of one that pushes.
#include "stiction/contact/friction_law.hpp"
#include "stiction/contact/penalty.hpp"
#include "stiction/dynamics/stage.hpp"

#include "support/compare.hpp"
#include <Eigen/Dense>
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>

using namespace stiction;
using namespace stiction::test;

namespace {

constexpr double rest_length = 1.4142135623730951, belt_height = -1.0;

/// Figure 12: fixed at the origin; the numbers are those of figure 13.
struct Rod {
    double stiffness = 10.0, mass = 1.0, mu = 1.2, kappa = 100.0, delta = 0.4, eps = 0.01;
    double belt_speed = 0.0, gravity = 9.81;
};

/// What the rod and the belt do to the free end, per unit mass, and its derivatives.
struct Acceleration {
    Vec2 value;
    Mat2 by_position, by_velocity;
};

Acceleration acceleration(const Rod& rod, const Vec2& q, const Vec2& v) {
    const double length = q.norm(), slip = v.x() - rod.belt_speed, sign = slip < 0.0 ? -1.0 : 1.0;
    const Vec2 along = q / length;
    const double push = rod.stiffness * (rest_length - length);
    // -(kappa/delta)(x - delta)^3 of the paper is our penalty with stiffness kappa/delta.
    const ScalarJet contact = penalty(q.y() - belt_height, rod.delta, rod.kappa / rod.delta);
    const FrictionLaw law{FrictionProfile::rational, rod.eps, 0.0};
    const double drag = sign * law.over_slip(std::abs(slip), 1.0) * std::abs(slip);
    Acceleration result;
    result.value = push * along + Vec2(rod.mu * contact.first * drag, -contact.first);
    result.by_position =
        push / length * (Mat2::Identity() - along * along.transpose()) - rod.stiffness * along * along.transpose();
    result.by_position.col(1) += Vec2(rod.mu * contact.second * drag, -contact.second);
    result.by_velocity.setZero();
    result.by_velocity(0, 0) = rod.mu * contact.first * law.derivative(std::abs(slip), 1.0);
    result.value = result.value / rod.mass - Vec2(0.0, rod.gravity);
    result.by_position /= rod.mass;
    result.by_velocity /= rod.mass;
    return result;
}

using Eigenvalues = std::array<std::complex<double>, 4>;

/// Of dF/du with u = (q, v) and F = (v, acceleration), rising by real part, then by imaginary part.
Eigenvalues eigenvalues(const Rod& rod, const Vec2& q, const Vec2& v) {
    const Acceleration a = acceleration(rod, q, v);
    Eigen::Matrix4d slope = Eigen::Matrix4d::Zero();
    slope.topRightCorner<2, 2>().setIdentity();
    slope.bottomLeftCorner<2, 2>() = a.by_position;
    slope.bottomRightCorner<2, 2>() = a.by_velocity;
    const Eigen::Vector4cd found = slope.eigenvalues();
    Eigenvalues sorted{found[0], found[1], found[2], found[3]};
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.real() < b.real(); });
    return sorted;
}

/// Velocity at the end of a stage by Newton's method: v - v_bar = s a(q_bar + s v, v).
Vec2 solve(const Rod& rod, const Stage& stage, Vec2 v) {
    const double s = stage.scale();
    const Vec2 q_bar = stage.q_bar.head<2>(), v_bar = stage.v_bar.head<2>();
    const auto residual = [&](const Vec2& at) -> Vec2 {
        return at - v_bar - s * acceleration(rod, q_bar + s * at, at).value;
    };
    for (int iteration = 0; iteration < 100; ++iteration) {
        const Vec2 wrong = residual(v);
        if (wrong.norm() <= 1e-11) return v;
        const Acceleration a = acceleration(rod, q_bar + s * v, v);
        const Mat2 slope = Mat2::Identity() - s * (s * a.by_position + a.by_velocity);
        const Vec2 step = slope.partialPivLu().solve(wrong);
        double part = 1.0;
        while (part > 1e-9 && residual(v - part * step).norm() > (1.0 - 1e-4 * part) * wrong.norm()) part *= 0.5;
        v -= part * step;
    }
    FAIL("Newton's method does not end");
    return v;
}

struct Frame {
    double t = 0.0;
    Vec2 q, v;

    double gap() const { return q.y() - belt_height; }
};

/// The states of a run from rest, the first one included.
std::vector<Frame> run(const Rod& rod, Integrator integrator, double h, double duration) {
    State state;
    state.x = VecX::Zero(3);
    state.x.head<2>() = Vec2(-1.0, belt_height + rod.delta);
    state.v = VecX::Zero(3);
    // With it the trapezoidal rules need no other one to start.
    state.acceleration = VecX::Zero(3);
    state.acceleration.head<2>() = acceleration(rod, state.x.head<2>(), state.v.head<2>()).value;
    state.active_motion = {-1};
    StepInput input;
    input.h = h;
    input.driven_axes = {0};
    input.target = state.x;
    input.active_motion = state.active_motion;
    std::vector<Frame> frames{{0.0, state.x.head<2>(), state.v.head<2>()}};
    for (long step = 1; step <= std::lround(duration / h); ++step) {
        StageSequence stages(integrator, state, input);
        while (!stages.done()) {
            VecX x = stages.stage().q_bar;
            x.head<2>() += stages.stage().scale() * solve(rod, stages.stage(), stages.start().v.head<2>());
            stages.finish(x, "", "");
        }
        state = stages.end_state();
        frames.push_back({static_cast<double>(step) * h, state.x.head<2>(), state.v.head<2>()});
    }
    return frames;
}

double energy(const Rod& rod, const Frame& frame) {
    const double stretch = frame.q.norm() - rest_length;
    return 0.5 * rod.mass * frame.v.squaredNorm() + 0.5 * rod.stiffness * stretch * stretch +
           rod.mass * rod.gravity * frame.q.y() + penalty(frame.gap(), rod.delta, rod.kappa / rod.delta).value;
}

/// Whether a step h lets an error along one of the eigenvalues grow: |1 - h lambda| < 1 under backward Euler, a
/// positive real part under the trapezoidal rule. Rounding of the imaginary pairs does not count.
bool grows(Integrator integrator, const Eigenvalues& lambdas, double h) {
    return std::any_of(lambdas.begin(), lambdas.end(), [&](const std::complex<double>& lambda) {
        if (lambda.real() <= 1e-9 * std::abs(lambda)) return false;
        return integrator != Integrator::backward_euler || std::abs(1.0 - h * lambda) < 1.0;
    });
}

/// The kinetic energy of a run after its first 3 s, in which the belt carries the free end over to the side where the
/// rod holds it back.
struct Shaking {
    double vertical = 0.0;  ///< root of the mean square of the vertical speed (m/s)
    double turns = 0.0;     ///< extrema of the kinetic energy a second
};

Shaking shaking(const Rod& rod, Integrator integrator, double h) {
    constexpr double begin = 3.0, end = 8.0;
    const std::vector<Frame> frames = run(rod, integrator, h, end);
    Shaking result;
    double last = 0.0, count = 0.0;
    for (std::size_t i = 1; i < frames.size(); ++i) {
        if (frames[i].t <= begin) continue;
        const double change = frames[i].v.squaredNorm() - frames[i - 1].v.squaredNorm();
        if (change * last < 0.0) result.turns += 1.0 / (end - begin);
        last = change;
        result.vertical += frames[i].v.y() * frames[i].v.y();
        count += 1.0;
    }
    result.vertical = std::sqrt(result.vertical / count);
    return result;
}

/// The rod of figure 14.
Rod dragged_rod() {
    Rod rod;
    rod.stiffness = 15.0;
    rod.mu = 0.2;
    rod.kappa = 1e3;
    rod.delta = rod.eps = 0.01;
    rod.belt_speed = -0.5;
    return rod;
}

}  // namespace

TEST_CASE("stability: derivatives of the rod's acceleration are its difference quotients") {
    Rod rod;
    rod.belt_speed = -0.5;
    constexpr double step = 1e-6;
    const Vec2 q(-0.9, -0.8), v(0.3, -0.2);
    const Acceleration at = acceleration(rod, q, v);
    for (int k = 0; k < 2; ++k) {
        const Vec2 d = step * Vec2::Unit(k);
        const Vec2 by_position = (acceleration(rod, q + d, v).value - acceleration(rod, q - d, v).value) / (2.0 * step);
        const Vec2 by_velocity = (acceleration(rod, q, v + d).value - acceleration(rod, q, v - d).value) / (2.0 * step);
        // The largest entry is the stiffness of the contact, 300 / s^2.
        CHECK((at.by_position.col(k) - by_position).norm() == within(0.0, 1e-6 * at.by_position.norm()));
        CHECK((at.by_velocity.col(k) - by_velocity).norm() == within(0.0, 1e-6 * at.by_velocity.norm()));
    }
    CHECK(at.by_position(0, 1) != 0.0);
    CHECK(at.by_velocity(0, 0) < 0.0);
}

TEST_CASE("stability: an upright, compressed rod at zero gap has the eigenvalues of equation 31") {
    for (const double eps : {1e-1, 1e-2, 1e-3}) {
        for (const double delta : {0.01, 0.4}) {
            Rod rod;
            rod.eps = eps;
            rod.delta = delta;
            rod.mass = 0.7;
            CAPTURE(eps);
            CAPTURE(delta);
            const double k = rod.stiffness, m = rod.mass, drag = 3.0 * delta * rod.kappa * rod.mu;
            const double root = std::sqrt((4.0 * std::sqrt(2.0) - 4.0) * k * m * eps * eps + drag * drag);
            const Eigenvalues lambda = eigenvalues(rod, {0.0, -1.0}, Vec2::Zero());
            CHECK(lambda[0].real() == relative((-drag - root) / (2.0 * m * eps), 1e-9));
            CHECK(lambda[3].real() == relative((-drag + root) / (2.0 * m * eps), 1e-4));
            for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
                // Rounding of the largest entries is all that the real part may hold.
                CHECK(lambda[i].real() == within(0.0, 1e-13 * (drag / eps + 6.0 * rod.kappa) / m));
                CHECK(std::abs(lambda[i].imag()) == relative(std::sqrt(k + 6.0 * rod.kappa) / std::sqrt(m), 1e-9));
            }
        }
    }
}

TEST_CASE("stability: friction weakens the unstable direction of equation 31 in proportion to eps, and leaves it") {
    for (const double eps : {1e-1, 1e-2, 1e-3}) {
        Rod rod;
        rod.eps = eps;
        CAPTURE(eps);
        const double drag = 3.0 * rod.delta * rod.kappa * rod.mu;
        const double limit = rod.stiffness * (std::sqrt(2.0) - 1.0) * eps / drag;
        CHECK(eigenvalues(rod, {0.0, -1.0}, Vec2::Zero())[3].real() == relative(limit, 1e-4));
    }
}

TEST_CASE("stability: where the contact opens the rod has the eigenvalues of equation 32, with or without friction") {
    for (const double delta : {0.1, 0.4, 1.0, 1.9}) {
        Rod rod;
        rod.delta = delta;
        CAPTURE(delta);
        const double k = rod.stiffness, m = rod.mass;
        const Vec2 q(-1.0, -1.0 + delta);
        const double grown = std::sqrt(k / m * (std::sqrt(2.0 / ((delta - 1.0) * (delta - 1.0) + 1.0)) - 1.0));
        // At the gap delta itself, and where the contact is still active: with a stiffness of 6e-7 / delta N/m.
        for (const Vec2& at : {q, Vec2(q - Vec2(0.0, 1e-9))}) {
            const Eigenvalues lambda = eigenvalues(rod, at, Vec2::Zero());
            CHECK(lambda[3].real() == relative(grown, 1e-5));
            CHECK(lambda[0].real() == relative(-grown, 1e-5));
            CHECK(std::abs(lambda[1].imag()) == relative(std::sqrt(k / m), 1e-6));
            CHECK(std::abs(lambda[2].imag()) == relative(std::sqrt(k / m), 1e-6));
        }
        // The paper calls this instability one of smoothed friction. Its eigenvalues hold no friction: it is that of a
        // compressed rod which neither contact nor friction holds any longer.
        Rod alone = rod;
        alone.mu = alone.kappa = 0.0;
        CHECK(eigenvalues(alone, q, Vec2::Zero())[3].real() == relative(grown, 1e-12));
        CHECK(eigenvalues(rod, q, Vec2::Zero())[3].real() == relative(grown, 1e-12));
    }
    Rod stretched;
    stretched.delta = 2.1;  // beyond 2 the rod is longer than at rest
    CHECK(eigenvalues(stretched, {-1.0, 1.1}, Vec2::Zero())[3].real() == within(0.0, 1e-12));
}

TEST_CASE("stability: figure 13, eigenvalues are unstable for h = 4e-5 s while the contact opens, the motion is not") {
    const Rod rod;
    constexpr double h = 4e-5;
    const std::vector<Frame> frames = run(rod, Integrator::backward_euler, h, 4.0);
    int unstable = 0, transitions = 0;
    double deepest_unstable = 0.0, depth = 0.0;
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const Frame& frame = frames[i];
        const bool is_open = frame.gap() >= rod.delta,
                   is_unstable = grows(Integrator::backward_euler, eigenvalues(rod, frame.q, frame.v), h);
        if (is_open && !is_unstable) FAIL_CHECK("stable out of contact at ", frame.t, " s");
        // 1e-9 J of 5.6 J: what Newton's method leaves.
        if (energy(rod, frame) > energy(rod, frames.front()) + 1e-9) FAIL_CHECK("energy rises at ", frame.t, " s");
        if (i > 0 && is_open != (frames[i - 1].gap() >= rod.delta)) ++transitions;
        if (is_unstable) deepest_unstable = std::max(deepest_unstable, rod.delta - frame.gap());
        unstable += is_unstable;
        depth += std::max(rod.delta - frame.gap(), 0.0) / static_cast<double>(frames.size());
    }
    CHECK(transitions >= 10);
    CHECK(unstable > static_cast<int>(frames.size() / 20));
    CHECK(unstable < static_cast<int>(frames.size() / 5));
    // The contact is 0.095 m deep on average. Where it is deeper than a twentieth of delta, no eigenvalue is unstable.
    CHECK(depth == relative(0.095, 0.1));
    CHECK(deepest_unstable > 0.0);
    CHECK(deepest_unstable < 0.05 * rod.delta);
}

TEST_CASE(
    "stability: larger steps leave fewer eigenvalues unstable under backward Euler, not under the trapezoidal rule") {
    const Rod rod;
    const auto unstable_part = [&](Integrator integrator, double h) {
        const std::vector<Frame> frames = run(rod, integrator, h, 4.0);
        const auto unstable = std::count_if(frames.begin(), frames.end(), [&](const Frame& frame) {
            return grows(integrator, eigenvalues(rod, frame.q, frame.v), h);
        });
        return static_cast<double>(unstable) / static_cast<double>(frames.size());
    };
    const double finest = unstable_part(Integrator::backward_euler, 4e-5);
    const double fine = unstable_part(Integrator::backward_euler, 4e-4);
    const double coarse = unstable_part(Integrator::backward_euler, 4e-3);
    CHECK(fine < 0.6 * finest);
    CHECK(coarse < 0.6 * fine);
    const double trapezoidal = unstable_part(Integrator::trapezoidal, 4e-4);
    CHECK(unstable_part(Integrator::trapezoidal, 4e-3) == relative(trapezoidal, 0.1));
    CHECK(unstable_part(Integrator::trapezoidal, 4e-2) > trapezoidal);
}

TEST_CASE("stability: figure 14, fast oscillations of the kinetic energy appear as the step of TR-BDF2 gets smaller") {
    const Rod rod = dragged_rod();
    std::vector<Shaking> by_step;
    for (const double h : {0.04, 0.02, 0.01, 0.005}) by_step.push_back(shaking(rod, Integrator::tr_bdf2, h));
    // Only the slow swinging of the rod is left of the coarsest one.
    CHECK(by_step[0].turns < 4.0);
    CHECK(by_step[0].vertical < 0.003);
    for (std::size_t i = 1; i < by_step.size(); ++i) CHECK(by_step[i].vertical > by_step[i - 1].vertical);
    CHECK(by_step[3].vertical > 50.0 * by_step[0].vertical);
    // The kinetic energy turns four times a period of bouncing on the contact. Under the weight less the pull of the
    // rod, 9 N, the contact has the overlap o and the stiffness 6 kappa o / delta, which gives 36 turns a second. That
    // is for small bounces; these leave the contact, and take a tenth longer.
    const double weight = 9.0, overlap = std::sqrt(weight * rod.delta / (3.0 * rod.kappa));
    const double expected = 4.0 * std::sqrt(6.0 * rod.kappa * overlap / rod.delta / rod.mass) / (2.0 * M_PI);
    CHECK(by_step[3].turns == relative(expected, 0.15));
}

TEST_CASE("stability: figure 14, the trapezoidal rule has the oscillations for h = 0.04 s, backward Euler for 1e-4 s") {
    const Rod rod = dragged_rod();
    const Shaking full = shaking(rod, Integrator::tr_bdf2, 0.005);
    CHECK(shaking(rod, Integrator::trapezoidal, 0.04).vertical == relative(full.vertical, 0.1));
    const Shaking coarse = shaking(rod, Integrator::backward_euler, 1e-3);
    const Shaking fine = shaking(rod, Integrator::backward_euler, 1e-4);
    CHECK(coarse.turns < 4.0);
    CHECK(coarse.vertical < 0.003);
    CHECK(fine.turns == relative(full.turns, 0.1));
    CHECK(fine.vertical > 50.0 * coarse.vertical);
}
