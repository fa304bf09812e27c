#include "stiction/dynamics/stage.hpp"

#include "stiction/base/enum_names.hpp"

#include <cmath>

namespace stiction {
namespace {

const double sdirk_alpha = 1.0 - std::sqrt(0.5);
const double trbdf_gamma = 2.0 - std::sqrt(2.0);

bool has_acceleration(const State& state) {
    return state.acceleration.size() == state.x.size();
}

/// The rule that can be applied to this state: one that needs a history starts with SDIRK2, also where motions were
/// switched on or off, since the history of what was driven says nothing about what is free now. So does a step that is
/// to be damped.
Integrator applicable(Integrator wanted, const State& state, const StepInput& input) {
    const bool goes_on = state.active_motion == input.active_motion && !input.damped;
    switch (wanted) {
        case Integrator::trapezoidal:
        case Integrator::tr_bdf2: return goes_on && has_acceleration(state) ? wanted : Integrator::sdirk2;
        case Integrator::bdf2:
            return goes_on && state.previous_h == input.h && state.previous_x.size() == state.x.size()
                       ? wanted
                       : Integrator::sdirk2;
        default: return wanted;
    }
}

Stage trapezoidal_rule(const State& state, double h) {
    const double s = 0.5 * h;
    return {0.5, h, state.x + s * state.v, state.v + s * state.acceleration};
}

Stage bdf2_rule(const State& state, double h) {
    return {2.0 / 3.0, h, (4.0 * state.x - state.previous_x) / 3.0, (4.0 * state.v - state.previous_v) / 3.0};
}

/// Only the first of two stages, or the only one.
Stage first_stage(Integrator rule, const State& state, double h) {
    switch (rule) {
        case Integrator::backward_euler: return {1.0, h, state.x, state.v};
        case Integrator::trapezoidal: return trapezoidal_rule(state, h);
        case Integrator::bdf2: return bdf2_rule(state, h);
        case Integrator::quasi_static: return {1.0, h, state.x, VecX::Zero(state.x.size()), 0.0};
        case Integrator::sdirk2: return {sdirk_alpha, h, state.x, state.v};
        case Integrator::tr_bdf2: {
            Stage stage = trapezoidal_rule(state, trbdf_gamma * h);
            stage.a *= trbdf_gamma;
            stage.h = h;
            return stage;
        }
    }
    throw InternalError("an integrator without a first stage");
}

/// @param x, v, acceleration  at the end of the first stage
Stage second_stage(Integrator rule, const State& state, double h, const VecX& x, const VecX& v,
                   const VecX& acceleration) {
    if (rule == Integrator::sdirk2) {
        const double rest = h * (1.0 - sdirk_alpha);
        return {sdirk_alpha, h, state.x + rest * v, state.v + rest * acceleration};
    }
    const double scale = trbdf_gamma * (2.0 - trbdf_gamma), a = 1.0 / scale,
                 b = -(1.0 - trbdf_gamma) * (1.0 - trbdf_gamma) / scale;
    return {(1.0 - trbdf_gamma) / (2.0 - trbdf_gamma), h, a * x + b * state.x, a * v + b * state.v};
}

/// Fraction of the step that has passed at the end of the first of two stages.
double first_fraction(Integrator rule) {
    return rule == Integrator::sdirk2 ? sdirk_alpha : trbdf_gamma;
}

/// Driven coordinates move at (target - x) / h, whatever the history says, and carry collision meshes along.
void set_mean_speed(const State& state, const StepInput& input, const VecX& stage_target, Stage& stage) {
    for (std::size_t vertex = 0; vertex < input.driven_axes.size(); ++vertex) {
        for (int axis = 0; axis < 3; ++axis) {
            if (!(input.driven_axes[vertex] >> axis & 1)) continue;
            const Eigen::Index i = 3 * static_cast<Eigen::Index>(vertex) + axis;
            const double speed = (input.target[i] - state.x[i]) / input.h;
            stage.q_bar[i] = stage_target[i] - stage.scale() * speed;
            stage.v_bar[i] = speed;
        }
    }
    carry(input.carried, stage.q_bar);
    carry(input.carried, stage.v_bar);
}

/// Whether states carry an acceleration, and driven coordinates their mean speed.
bool has_history(Integrator integrator) {
    return integrator != Integrator::backward_euler && integrator != Integrator::quasi_static;
}

}  // namespace

const std::vector<std::string>& integrator_names() {
    static const std::vector<std::string> names{"backward_euler", "trapezoidal", "bdf2",
                                                "tr_bdf2",        "sdirk2",      "quasi_static"};
    return names;
}

Integrator integrator_from_name(const std::string& name) {
    return enum_from_name<Integrator>(integrator_names(), name);
}

bool may_gain_energy(Integrator integrator, const State& state, const StepInput& input) {
    const Integrator rule = applicable(integrator, state, input);
    return rule == Integrator::trapezoidal || rule == Integrator::tr_bdf2 || rule == Integrator::bdf2;
}

StageSequence::StageSequence(Integrator integrator, const State& state, const StepInput& input)
    : integrator_(applicable(integrator, state, input)),
      keeps_acceleration_(has_history(integrator)),
      state_(state),
      input_(input),
      stage_count_(integrator_ == Integrator::sdirk2 || integrator_ == Integrator::tr_bdf2 ? 2 : 1),
      start_(state),
      stage_input_(input) {
    make_stage();
}

void StageSequence::make_stage() {
    const bool second = stage_number_ == 1;
    stage_ = second ? second_stage(integrator_, state_, input_.h, start_.x, v_, acceleration_)
                    : first_stage(integrator_, state_, input_.h);
    stage_input_.target = input_.target;
    if (!second && stage_count_ == 2) {
        const double fraction = first_fraction(integrator_);
        stage_input_.h = fraction * input_.h;
        stage_input_.target = state_.x + fraction * (input_.target - state_.x);
    } else if (second) {
        stage_input_.h = (1.0 - first_fraction(integrator_)) * input_.h;
    }
    if (has_history(integrator_)) set_mean_speed(state_, input_, stage_input_.target, stage_);
}

void StageSequence::finish(const VecX& x, const std::string& method, std::string warm_start) {
    STICTION_CHECK(!done(), "a step has no more stages");
    v_ = stage_.inertia > 0.0 ? stage_.velocity(x) : VecX::Zero(x.size());
    if (keeps_acceleration_) acceleration_ = stage_.acceleration(x);
    start_.x = x;
    start_.warm_start[method] = std::move(warm_start);
    if (++stage_number_ < stage_count_) make_stage();
}

State StageSequence::end_state() const {
    STICTION_CHECK(done(), "a step ends with its last stage");
    State next;
    end_step(state_, input_, start_.x, v_, next);
    next.acceleration = acceleration_;
    next.warm_start = start_.warm_start;
    return next;
}

namespace {

/// LastStage::stage.
Stage end_stage(Integrator integrator, const State& before, const State& after, const StepInput& input) {
    const StageSequence sequence(integrator, before, input);
    const Integrator rule = applicable(integrator, before, input);
    if (rule != Integrator::sdirk2 && rule != Integrator::tr_bdf2) return sequence.stage();
    Stage stage;
    stage.h = input.h;
    stage.a = rule == Integrator::sdirk2 ? sdirk_alpha : (1.0 - trbdf_gamma) / (2.0 - trbdf_gamma);
    stage.q_bar = after.x - stage.scale() * after.v;
    stage.v_bar = after.v - stage.scale() * after.acceleration;
    return stage;
}

}  // namespace

LastStage last_stage(Integrator integrator, const State& before, const State& after, const StepInput& input) {
    LastStage last{end_stage(integrator, before, after, input), before.x, 0.0};
    const Integrator rule = applicable(integrator, before, input);
    if (rule != Integrator::sdirk2 && rule != Integrator::tr_bdf2) return last;
    VecX mismatch;
    if (rule == Integrator::sdirk2) {
        const double rest = (1.0 - sdirk_alpha) * input.h, first = sdirk_alpha * input.h;
        const VecX v1 = (last.stage.q_bar - before.x) / rest, a1 = (last.stage.v_bar - before.v) / rest;
        last.start = before.x + first * v1;
        mismatch = v1 - before.v - first * a1;
    } else {
        const double scale = trbdf_gamma * (2.0 - trbdf_gamma), a = 1.0 / scale,
                     b = -(1.0 - trbdf_gamma) * (1.0 - trbdf_gamma) / scale;
        last.start = (last.stage.q_bar - b * before.x) / a;
        const VecX v_g = (last.stage.v_bar - b * before.v) / a;
        mismatch = (last.start - before.x) / (0.5 * trbdf_gamma * input.h) - before.v - v_g;
    }
    for (std::size_t vertex = 0; vertex < input.driven_axes.size(); ++vertex) {
        for (int axis = 0; axis < 3; ++axis) {
            if (input.driven_axes[vertex] >> axis & 1) mismatch[3 * static_cast<Eigen::Index>(vertex) + axis] = 0.0;
        }
    }
    last.velocity_mismatch = mismatch.lpNorm<Eigen::Infinity>();
    return last;
}

}  // namespace stiction
