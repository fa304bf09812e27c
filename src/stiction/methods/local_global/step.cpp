#include "stiction/methods/local_global/step.hpp"

#include <fmt/format.h>

#include <utility>

namespace stiction {

LocalGlobalWorkspace::LocalGlobalWorkspace(const World& world, const LocalGlobalOptions& options)
    : identity(world.identity), elements(world, options.extrapolate_below), objective(world, elements), solve(objective, options) {}

const GlobalSystem& LocalGlobalWorkspace::system(const World& world, const LocalGlobalOptions& options, const StepInput& input) {
    if (systems_[0] && systems_[0]->fits(input.h, input.driven_axes)) return *systems_[0];
    std::swap(systems_[0], systems_[1]);
    if (systems_[0] && systems_[0]->fits(input.h, input.driven_axes)) return *systems_[0];
    systems_[0] = std::make_unique<GlobalSystem>(world, elements, objective, options, input.h, input.driven_axes);
    ++factorisations;
    return *systems_[0];
}

void LocalGlobalStep::run() {
    const GlobalSystem* system = nullptr;
    try {
        const ScopedTimer timer(timers_, "factorisation");
        system = &workspace_.system(world_, options_, input_);
    } catch (const NotPositiveDefinite& error) {
        report_.status = Status::linear_solve_failed;
        report_.cause = error.what();
        return;
    }
    if (!start(*system)) {
        report_.status = Status::infeasible_start;
        report_.cause = "the energy is not finite at the start of the step: an element is collapsed";
        return;
    }
    iterate();
    finish();
}

/// At the prediction x_t + h v_t, or where that has no finite energy at x_t; driven vertices at their targets.
bool LocalGlobalStep::start(const GlobalSystem& system) {
    const ScopedTimer timer(timers_, "solve");
    workspace_.objective.begin(state_, input_, system.unknowns());
    VecX& guess = workspace_.guess;
    guess = input_.target;
    for (const Index v : system.unknowns()) guess.segment<3>(3 * v) = state_.x.segment<3>(3 * v) + input_.h * state_.v.segment<3>(3 * v);
    if (workspace_.solve.start(system, guess)) return true;
    for (const Index v : system.unknowns()) guess.segment<3>(3 * v) = state_.x.segment<3>(3 * v);
    return workspace_.solve.start(system, guess);
}

void LocalGlobalStep::iterate() {
    const ScopedTimer timer(timers_, "solve");
    LocalGlobalSolve& solve = workspace_.solve;
    while (report_.iterations < options_.iterations) {
        const bool decreased = solve.iterate();
        ++report_.iterations;
        report_.residual = solve.change() / input_.h;
        report_.trace.push_back({.objective = solve.decrease(), .residual = report_.residual, .step_length = solve.step_length()});
        if (!decreased) {
            report_.notes.push_back("line search stalled");
            break;
        }
        if (report_.residual < options_.tolerance) break;
    }
    report_.linear_solves = solve.global_steps();
    report_.line_search = solve.evaluations() - 1 - report_.iterations;
}

void LocalGlobalStep::finish() {
    const VecX& x = workspace_.solve.x();
    if (input_.moves != nullptr) input_.moves->accepted_move(state_.x, x);
    if (count_extrapolated(workspace_.elements, x.data()) > 0) report_.notes.push_back("elements of a barrier law beyond the volume ratio where it is continued");
    State& next = result_.state;
    next = state_;
    next.x = x;
    next.v = (x - state_.x) / input_.h;
    next.t = state_.t + input_.h;
    next.previous_x = state_.x;
    next.previous_v = state_.v;
    next.previous_h = input_.h;
    next.acceleration.resize(0);
    next.anchor = input_.anchor;
    next.anchor_time = input_.anchor_time;
    next.active_motion = input_.active_motion;
    result_.contact_force = VecX::Zero(x.size());
    result_.friction_force = VecX::Zero(x.size());
    result_.contact_state.clear();
    report_.min_gap = std::numeric_limits<double>::infinity();
    for (const auto& [phase, ms] : timers_.milliseconds()) report_.phases_ms[phase] += ms;
}

}  // namespace stiction
