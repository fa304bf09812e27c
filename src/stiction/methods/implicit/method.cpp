#include "stiction/methods/implicit/method.hpp"

#include "stiction/methods/implicit/penalty_step.hpp"
#include "stiction/methods/implicit/stage_solve.hpp"
#include "stiction/world/start_check.hpp"

#include <algorithm>

namespace stiction {

struct Implicit::Workspace {
    /// Only what the kind of contact needs.
    Workspace(const World& world, const ImplicitOptions& options) : identity(world.identity) {
        if (options.contact == ContactModel::penalty) {
            penalty = std::make_unique<PenaltyWorkspace>(world, options);
        } else {
            barrier = std::make_unique<BarrierWorkspace>(world, options);
        }
    }
    std::shared_ptr<const char> identity;  ///< of the world
    std::unique_ptr<BarrierWorkspace> barrier;
    std::unique_ptr<PenaltyWorkspace> penalty;
    JacobianSolver jacobian;
};

Implicit::Implicit(const ImplicitOptions& options, Integrator integrator)
    : options_(options), integrator_(integrator) {}
Implicit::~Implicit() = default;

double Implicit::contact_distance(const World& world) const {
    if (options_.contact == ContactModel::barrier) return resolve_limits(options_, world).dhat;
    return std::max(resolve_penalty(options_, world).thickness, PenaltyDetection(world, options_).largest_radius());
}

void Implicit::check(const World& world) const {
    if (options_.contact != ContactModel::penalty) return;
    PenaltyDetection detection(world, options_);
    // Bodies that truly intersect are told apart by the check that every start goes through.
    State start;
    start.x = world.initial_positions;
    if (start_problems(world, start).empty()) detection.check_start();
}

void Implicit::barrier_step(const World& world, const State& state, const StepInput& input, StepResult& result) {
    StageSequence stages(integrator_, state, input);
    bool solved = true;
    while (!stages.done()) {
        StageSolve solve(world, stages, options_, *workspace_->barrier, workspace_->jacobian, result);
        StageEnd end = solve.run();
        if (!is_accepted(result.report.status)) break;
        solved = solved && end.solved;
        stages.finish(end.x, BarrierSolve::warm_start_key, std::move(end.warm_start));
    }
    if (!solved) result.report.notes.push_back("friction lagged instead of implicit");
    if (stages.done()) result.state = stages.end_state();
}

void Implicit::step(const World& world, const State& state, const StepInput& input, StepResult& result) {
    const double start = now_seconds();
    if (!workspace_ || workspace_->identity != world.identity)
        workspace_ = std::make_unique<Workspace>(world, options_);
    result.report = StepReport{};
    result.report.h = input.h;
    result.report.residual_unit = "m/s";
    if (workspace_->penalty) {
        PenaltyStep(world, state, input, options_, integrator_, *workspace_->penalty, workspace_->jacobian, result)
            .run();
    } else {
        barrier_step(world, state, input, result);
    }
    if (is_accepted(result.report.status)) measure(world, result.state, result.report);
    result.report.milliseconds = 1e3 * (now_seconds() - start);
}

}  // namespace stiction
