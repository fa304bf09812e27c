#include "stiction/methods/ipc/method.hpp"

#include "stiction/dynamics/barrier/solve.hpp"

namespace stiction {

Ipc::Ipc(const IpcOptions& options, Integrator integrator) : options_(options), integrator_(integrator) {}
Ipc::~Ipc() = default;

double Ipc::contact_distance(const World& world) const {
    return resolve_limits(options_, world).dhat;
}

void Ipc::step(const World& world, const State& state, const StepInput& input, StepResult& result) {
    const double start = now_seconds();
    if (!workspace_ || !workspace_->is_of(world)) workspace_ = std::make_unique<BarrierWorkspace>(world, options_);
    result.report = StepReport{};
    result.report.h = input.h;
    result.report.residual_unit = "m/s";
    StageSequence stages(integrator_, state, input);
    while (!stages.done()) {
        BarrierSolve solve(world, stages.start(), stages.input(), options_, stages.stage(), *workspace_, result.report);
        solve.run();
        if (!is_accepted(result.report.status)) break;
        solve.fill_forces(result);
        stages.finish(solve.x(), BarrierSolve::warm_start_key, solve.warm_start());
    }
    if (stages.done()) {
        result.state = stages.end_state();
        measure(world, result.state, result.report);
    }
    result.report.milliseconds = 1e3 * (now_seconds() - start);
}

}  // namespace stiction
