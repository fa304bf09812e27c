// The step of Larionov et al. 2022: every stage is one nonlinear system for friction, contact and elasticity together.
#include "stiction/base/timer.hpp"
#include "stiction/methods/implicit/method.hpp"
#include "stiction/methods/implicit/workspace.hpp"

namespace stiction::implicit {

void Implicit::step(const World& world, const State& state, const StepInput& input, StepResult& result) {
    const double start = now_seconds();
    if (!workspace_ || workspace_->identity != world.identity)
        workspace_ = std::make_unique<Workspace>(world, options_);
    result.report = StepReport{};
    result.report.h = input.h;
    result.report.residual_unit = "m/s";

    const std::unique_ptr<StageSolver> solver = workspace_->stage_solver(world, state, input, options_, result);
    State end;
    bool solved = solver->can_start() && solve_stages(*solver, state, input, end);
    // Section 4.4: where a vertex ends inside a surface, kappa grows and the step is solved again.
    while (solved && solver->stiffen()) solved = solve_stages(*solver, state, input, end);

    if (is_accepted(result.report.status)) {
        solver->finish(end);
        result.state = std::move(end);
        measure(world, result.state, result.report);
    }
    result.report.milliseconds = 1e3 * (now_seconds() - start);
}

bool Implicit::solve_stages(StageSolver& solver, const State& state, const StepInput& input, State& end) const {
    // Section 4.1: every integrator is a sequence of systems M (v - v_bar) = a h f(q_bar + a h v, v).
    StageSequence stages(integrator_, state, input);
    while (!stages.done()) {
        // Algorithms 1 and 2: damped Newton, with exact or inexact directions, on the residual of that system.
        std::optional<StageEnd> stage = solver.solve(stages);
        if (!stage) return false;
        stages.finish(stage->q, solver.warm_start_key(), std::move(stage->warm_start));
    }
    end = stages.end_state();
    return true;
}

}  // namespace stiction::implicit
