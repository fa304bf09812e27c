// The step of Li et al. 2020: every stage is a minimisation of the barrier-augmented incremental potential,
// Algorithm 1.
#include "stiction/barrier/solve.hpp"
#include "stiction/methods/ipc/method.hpp"

namespace stiction::ipc {

void Ipc::step(const World& world, const State& state, const StepInput& input, StepResult& result) {
    const double start = now_seconds();
    if (!workspace_ || !workspace_->is_of(world)) workspace_ = std::make_unique<BarrierWorkspace>(world, options_);
    result.report = StepReport{};
    result.report.h = input.h;
    result.report.residual_unit = "m/s";

    // Implicit Euler is one stage, from x^t and v^t; other integrators are sequences of the same problem.
    StageSequence stages(integrator_, state, input);
    while (!stages.done()) {
        // Lines 2 to 20: from the predicted positions, projected Newton under CCD until |p| / h is below the tolerance.
        // With friction (section 5) again, as often as normal forces and tangent frames are refreshed.
        BarrierSolve solve(world, stages.start(), stages.input(), options_, stages.stage(), *workspace_, result.report);
        solve.run();
        if (solve.linear_solver() != SystemSolver::direct) {
            result.report.linear_solver = system_solver_names()[static_cast<std::size_t>(solve.linear_solver())];
        }
        if (!is_accepted(result.report.status)) break;
        solve.fill_forces(result);
        // The velocity is what moved the vertices. The next stage or step starts with this barrier stiffness.
        stages.finish(solve.x(), AdaptiveStiffness::warm_start_key, solve.warm_start());
    }

    if (stages.done()) {
        result.state = stages.end_state();
        measure(world, result.state, result.report);
    }
    result.report.milliseconds = 1e3 * (now_seconds() - start);
}

}  // namespace stiction::ipc
