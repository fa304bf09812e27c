// The stages of a step on springs without contact, against the Runge-Kutta and multistep schemes written as such.
#include "stiction/dynamics/stage.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <random>
#include <stdexcept>

using namespace stiction;

namespace {

constexpr Eigen::Index count = 6;  // coordinates of two vertices
constexpr double h = 0.07;
constexpr std::array dynamic_integrators{Integrator::backward_euler, Integrator::trapezoidal, Integrator::bdf2,
                                         Integrator::tr_bdf2, Integrator::sdirk2};

/// Each coordinate a spring of its own: x'' = force - stiffness x, damped.
struct Springs {
    VecX stiffness = (VecX(count) << 3.0, 50.0, 0.0, 7.0, 400.0, 1.5).finished();
    VecX damping = (VecX(count) << 0.0, 0.3, 2.0, 0.1, 5.0, 0.0).finished();
    VecX force = (VecX(count) << 1.0, -2.0, 0.5, 0.0, 9.0, -4.0).finished();

    VecX acceleration(const VecX& x, const VecX& v) const {
        return force - stiffness.cwiseProduct(x) - damping.cwiseProduct(v);
    }
    /// The q of v - v_bar = s f(q_bar + s v, v), q = q_bar + s v.
    VecX solve(const Stage& stage) const {
        const double s = stage.a * stage.h;
        VecX q(count);
        for (Eigen::Index i = 0; i < count; ++i) {
            const double v = (stage.v_bar[i] + s * (force[i] - stiffness[i] * stage.q_bar[i])) /
                             (1.0 + s * damping[i] + s * s * stiffness[i]);
            q[i] = stage.q_bar[i] + s * v;
        }
        return q;
    }
    /// (x, v) with y' = slope y + constant.
    Mat2 slope(Eigen::Index i) const { return (Mat2() << 0.0, 1.0, -stiffness[i], -damping[i]).finished(); }
    Vec2 constant(Eigen::Index i) const { return {0.0, force[i]}; }
};

/// A state with a history of its own and consistent accelerations; nothing is driven.
State random_state(const Springs& springs, std::mt19937& random) {
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    State state;
    state.t = 2.5;
    state.step = 11;
    for (VecX* vector : {&state.x, &state.v, &state.previous_x, &state.previous_v}) {
        *vector = VecX::NullaryExpr(count, [&] { return uniform(random); });
    }
    state.previous_h = h;
    state.acceleration = springs.acceleration(state.x, state.v);
    state.active_motion = {-1, -1};
    state.warm_start["other"] = "kept";
    return state;
}

StepInput free_input(const State& state) {
    StepInput input;
    input.h = h;
    input.driven_axes = {0, 0};
    input.target = state.x;
    input.active_motion = state.active_motion;
    return input;
}

/// One step of a scheme for y' = L y + c, as textbooks have it: Butcher's tableau or the multistep formula.
Vec2 reference_step(Integrator integrator, const Mat2& L, const Vec2& c, const Vec2& y, const Vec2& previous) {
    const Mat2 one = Mat2::Identity();
    const auto implicit = [&](double diagonal, const Vec2& known) -> Vec2 {  // slope k of k = L (known + d h k) + c
        return (one - diagonal * h * L).inverse() * (L * known + c);
    };
    const auto slope = [&](const Vec2& at) -> Vec2 { return L * at + c; };
    switch (integrator) {
        case Integrator::backward_euler: return y + h * implicit(1.0, y);
        case Integrator::trapezoidal: return y + 0.5 * h * (slope(y) + implicit(0.5, y + 0.5 * h * slope(y)));
        case Integrator::bdf2:
            return (one - 2.0 / 3.0 * h * L).inverse() * ((4.0 * y - previous) / 3.0 + 2.0 / 3.0 * h * c);
        case Integrator::sdirk2: {
            const double alpha = 1.0 - std::sqrt(2.0) / 2.0;
            const Vec2 first = implicit(alpha, y), second = implicit(alpha, y + (1.0 - alpha) * h * first);
            return y + h * ((1.0 - alpha) * first + alpha * second);
        }
        case Integrator::tr_bdf2: break;
        case Integrator::quasi_static: throw std::logic_error("no scheme of motion");
    }
    // Hosea and Shampine 1996: d = gamma / 2, w = sqrt(2) / 4; rows (d, d, 0) and (w, w, d), weights those of the last.
    const double d = 1.0 - std::sqrt(2.0) / 2.0, w = std::sqrt(2.0) / 4.0;
    const Vec2 first = slope(y), second = implicit(d, y + d * h * first),
               third = implicit(d, y + w * h * (first + second));
    return y + h * (w * (first + second) + d * third);
}

struct Step {
    std::vector<VecX> ends;  ///< positions at the end of each stage
    std::vector<Stage> stages;
    State state;
};

Step take_step(Integrator integrator, const Springs& springs, const State& state, const StepInput& input) {
    StageSequence stages(integrator, state, input);
    Step step;
    while (!stages.done()) {
        step.stages.push_back(stages.stage());
        step.ends.push_back(springs.solve(stages.stage()));
        for (Eigen::Index i = 0; i < count; ++i) {
            if (input.driven_axes[static_cast<std::size_t>(i / 3)] >> (i % 3) & 1)
                step.ends.back()[i] = stages.input().target[i];
        }
        stages.finish(step.ends.back(), "springs", std::to_string(step.stages.size()));
    }
    step.state = stages.end_state();
    return step;
}

double largest(const VecX& difference) {
    return difference.lpNorm<Eigen::Infinity>();
}

}  // namespace

TEST_CASE("stages: one step of each integrator is that of its scheme") {
    const unsigned seed = 3;
    CAPTURE(seed);
    std::mt19937 random(seed);
    const Springs springs;
    for (int trial = 0; trial < 20; ++trial) {
        const State state = random_state(springs, random);
        const StepInput input = free_input(state);
        for (const Integrator integrator : dynamic_integrators) {
            CAPTURE(static_cast<int>(integrator));
            const Step step = take_step(integrator, springs, state, input);
            for (Eigen::Index i = 0; i < count; ++i) {
                const Vec2 y(state.x[i], state.v[i]), previous(state.previous_x[i], state.previous_v[i]),
                    expected = reference_step(integrator, springs.slope(i), springs.constant(i), y, previous);
                CHECK(std::abs(step.state.x[i] - expected[0]) < 1e-13);
                CHECK(std::abs(step.state.v[i] - expected[1]) < 1e-12);
            }
            if (integrator == Integrator::backward_euler) {
                CHECK(step.state.acceleration.size() == 0);
            } else {
                CHECK(largest(step.state.acceleration - springs.acceleration(step.state.x, step.state.v)) < 1e-9);
            }
        }
    }
}

TEST_CASE("stages: time, history and warm starts at the end of a step") {
    std::mt19937 random(5);
    const Springs springs;
    const State state = random_state(springs, random);
    const StepInput input = free_input(state);
    for (const Integrator integrator : dynamic_integrators) {
        CAPTURE(static_cast<int>(integrator));
        const bool two = integrator == Integrator::sdirk2 || integrator == Integrator::tr_bdf2;
        StageSequence stages(integrator, state, input);
        CHECK(stages.start() == state);
        if (two) {
            const VecX middle = springs.solve(stages.stage());
            CHECK_FALSE(stages.done());
            stages.finish(middle, "springs", "first");
            CHECK(stages.start().x == middle);
            CHECK(stages.start().v == state.v);
            CHECK(stages.start().warm_start.at("springs") == "first");
        }
        CHECK_FALSE(stages.done());
        stages.finish(springs.solve(stages.stage()), "springs", "last");
        REQUIRE(stages.done());
        const State end = stages.end_state();
        CHECK(end.t == state.t + h);
        CHECK(end.step == state.step);
        CHECK(end.previous_x == state.x);
        CHECK(end.previous_v == state.v);
        CHECK(end.previous_h == h);
        CHECK(end.warm_start == std::map<std::string, std::string>{{"other", "kept"}, {"springs", "last"}});
    }
}

TEST_CASE("stages: what is driven moves at its mean speed in every stage and has no acceleration") {
    std::mt19937 random(7);
    const Springs springs;
    const State state = random_state(springs, random);
    StepInput input = free_input(state);
    input.driven_axes = {5, 2};  // coordinates 0, 2 and 4
    input.target = state.x + VecX::LinSpaced(count, 0.1, 0.6);
    const VecX speed = (input.target - state.x) / h;
    const StepInput all_free = free_input(state);
    for (const Integrator integrator : dynamic_integrators) {
        CAPTURE(static_cast<int>(integrator));
        const Step step = take_step(integrator, springs, state, input),
                   without = take_step(integrator, springs, state, all_free);
        for (Eigen::Index i = 0; i < count; ++i) {
            if (i % 2 == 1) {  // coordinates are independent: the free ones do not see the driven ones
                CHECK(step.state.x[i] == without.state.x[i]);
                CHECK(step.state.v[i] == without.state.v[i]);
                continue;
            }
            CHECK(step.state.x[i] == input.target[i]);
            CHECK(std::abs(step.state.v[i] - speed[i]) < 1e-12);
            if (integrator != Integrator::backward_euler) CHECK(std::abs(step.state.acceleration[i]) < 1e-9);
            for (const Stage& stage : step.stages) {
                CHECK(stage.v_bar[i] == (integrator == Integrator::backward_euler ? state.v[i] : speed[i]));
            }
        }
    }
}

TEST_CASE("stages: each of two stages has its part of the step and of the way to the targets") {
    std::mt19937 random(9);
    const Springs springs;
    const State state = random_state(springs, random);
    StepInput input = free_input(state);
    input.target = state.x + VecX::LinSpaced(count, -0.3, 0.6);
    for (const Integrator integrator : {Integrator::sdirk2, Integrator::tr_bdf2}) {
        // Where the first stage ends: c of the tableau.
        const double part = integrator == Integrator::sdirk2 ? 1.0 - std::sqrt(2.0) / 2.0 : 2.0 - std::sqrt(2.0);
        StageSequence stages(integrator, state, input);
        CHECK(std::abs(stages.input().h - part * h) < 1e-15);
        CHECK(largest(stages.input().target - (state.x + part * (input.target - state.x))) < 1e-15);
        CHECK(std::abs(stages.stage().a - (1.0 - std::sqrt(2.0) / 2.0)) < 1e-15);
        CHECK(stages.stage().h == h);
        stages.finish(springs.solve(stages.stage()), "springs", "");
        CHECK(std::abs(stages.input().h - (1.0 - part) * h) < 1e-15);
        CHECK(stages.input().target == input.target);
        CHECK(std::abs(stages.stage().a - (1.0 - std::sqrt(2.0) / 2.0)) < 1e-15);
        CHECK(stages.stage().h == h);
    }
    for (const Integrator integrator : {Integrator::backward_euler, Integrator::trapezoidal, Integrator::bdf2}) {
        const StageSequence stages(integrator, state, input);
        CHECK(stages.input().h == h);
        CHECK(stages.input().target == input.target);
    }
}

TEST_CASE("stages: an integrator without the history that it needs takes a step of SDIRK2") {
    std::mt19937 random(11);
    const Springs springs;
    const State whole = random_state(springs, random);
    const StepInput input = free_input(whole);
    StepInput switched = input;
    switched.active_motion = {-1, 0};
    State no_acceleration = whole, other_size = whole, no_previous = whole;
    no_acceleration.acceleration.resize(0);
    other_size.previous_h = 0.5 * h;
    no_previous.previous_x.resize(0);
    const auto falls_back = [&](Integrator integrator, const State& state, const StepInput& given) {
        const Step step = take_step(integrator, springs, state, given),
                   sdirk2 = take_step(Integrator::sdirk2, springs, whole, input);
        CHECK(last_stage(integrator, state, step.state, given).stage.a == step.stages.back().a);
        return step.stages.size() == 2 && step.stages[0].q_bar == sdirk2.stages[0].q_bar &&
               step.state.x == sdirk2.state.x && step.state.v == sdirk2.state.v;
    };
    for (const Integrator integrator : dynamic_integrators) {
        CAPTURE(static_cast<int>(integrator));
        const bool sdirk2 = integrator == Integrator::sdirk2, bdf2 = integrator == Integrator::bdf2,
                   by_acceleration = integrator == Integrator::trapezoidal || integrator == Integrator::tr_bdf2;
        CHECK(falls_back(integrator, whole, input) == sdirk2);
        CHECK(falls_back(integrator, whole, switched) == (sdirk2 || bdf2 || by_acceleration));
        CHECK(falls_back(integrator, no_acceleration, input) == (sdirk2 || by_acceleration));
        CHECK(falls_back(integrator, other_size, input) == (sdirk2 || bdf2));
        CHECK(falls_back(integrator, no_previous, input) == (sdirk2 || bdf2));
    }
}

TEST_CASE("stages: the last stage is recomputed from the states before and after a step") {
    std::mt19937 random(13);
    const Springs springs;
    const State before = random_state(springs, random);
    StepInput input = free_input(before);
    input.driven_axes = {0, 1};  // coordinate 3
    input.target[3] += 0.2;
    for (const Integrator integrator : dynamic_integrators) {
        CAPTURE(static_cast<int>(integrator));
        const Step step = take_step(integrator, springs, before, input);
        const LastStage last = last_stage(integrator, before, step.state, input);
        CHECK(last.stage.a == step.stages.back().a);
        CHECK(last.stage.h == h);
        CHECK(largest(last.stage.q_bar - step.stages.back().q_bar) < 1e-13);
        CHECK(largest(last.stage.v_bar - step.stages.back().v_bar) < 1e-11);
        const bool two = step.stages.size() == 2;
        CHECK(largest(last.start - (two ? step.ends[0] : before.x)) < 1e-13);
        CHECK(last.velocity_mismatch < 1e-11);
        // A wrong acceleration by 1 m/s^2 at the end makes the first stage's velocity wrong by this much.
        const double alpha = 1.0 - std::sqrt(2.0) / 2.0, gamma = 2.0 * alpha;
        const double expected = integrator == Integrator::sdirk2    ? alpha * alpha * h / (1.0 - alpha)
                                : integrator == Integrator::tr_bdf2 ? alpha * h * gamma * (2.0 - gamma)
                                                                    : 0.0;
        State wrong = step.state;
        if (integrator != Integrator::backward_euler) {
            wrong.acceleration[4] += 1.0;
            CHECK(std::abs(last_stage(integrator, before, wrong, input).velocity_mismatch - expected) < 1e-11);
            wrong = step.state;
            wrong.acceleration[3] += 1.0;
        }
        CHECK(last_stage(integrator, before, wrong, input).velocity_mismatch < 1e-11);  // driven: nothing to hold
        // Positions: v1 = (x - s v - x0) / rest, or x_gamma and from it the mean speed of the first stage.
        wrong = step.state;
        wrong.x[4] += 1e-3;
        const double by_position = integrator == Integrator::sdirk2    ? 1e-3 / ((1.0 - alpha) * h)
                                   : integrator == Integrator::tr_bdf2 ? 1e-3 * (2.0 - gamma) / (0.5 * h)
                                                                       : 0.0;
        CHECK(std::abs(last_stage(integrator, before, wrong, input).velocity_mismatch - by_position) < 1e-11);
    }
}

TEST_CASE("stages: names") {
    CHECK(integrator_names().size() == dynamic_integrators.size() + 1);
    CHECK(integrator_from_name("quasi_static") == Integrator::quasi_static);
    for (const Integrator integrator : dynamic_integrators)
        CHECK(integrator_from_name(integrator_names()[static_cast<std::size_t>(integrator)]) == integrator);
    CHECK(integrator_from_name("tr_bdf2") == Integrator::tr_bdf2);
    CHECK(integrator_from_name("bdf2") == Integrator::bdf2);
    CHECK(integrator_from_name("trapezoidal") == Integrator::trapezoidal);
}

TEST_CASE("stages: a quasi-static step has one stage without inertia, and ends at rest") {
    std::mt19937 random(5);
    const Springs springs;
    const State state = random_state(springs, random);
    StepInput input = free_input(state);
    input.driven_axes = {0, 7};
    StageSequence stages(Integrator::quasi_static, state, input);
    CHECK(stages.stage().inertia == 0.0);
    CHECK(stages.stage().scale() == h);
    CHECK(stages.stage().q_bar == state.x);
    CHECK(stages.stage().v_bar.isZero(0.0));
    const VecX end = state.x + VecX::Constant(count, 0.25);
    stages.finish(end, "springs", "1");
    REQUIRE(stages.done());
    const State next = stages.end_state();
    CHECK(next.x == end);
    CHECK(next.v.isZero(0.0));
    CHECK(next.acceleration.size() == 0);
    CHECK(last_stage(Integrator::quasi_static, state, next, input).stage.inertia == 0.0);
}

TEST_CASE("stages: speeds of tolerances count as lengths over s, and over a tenth of a second at most") {
    Stage stage;
    for (const double s : {1e-3, 0.05, 0.1}) {
        stage.h = s;
        CHECK(stage.stopping_scale() == s);
        CHECK(stage.sticking_scale() == s);
        CHECK_FALSE(stage.is_static());
    }
    for (const double s : {0.2, 10.0, 1000.0}) {
        stage.h = s;
        CHECK(stage.stopping_scale() == 0.1);
        CHECK(stage.sticking_scale() == 0.1);
        CHECK(stage.is_static());
    }
    stage.inertia = 0.0;
    stage.h = 0.01;
    CHECK(stage.stopping_scale() == 1e-3);
    CHECK(stage.sticking_scale() == 0.01);
    CHECK(stage.is_static());
}
