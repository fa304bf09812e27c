#include "stiction/methods/implicit/barrier_stage.hpp"

#include "stiction/methods/implicit/barrier_balance.hpp"

#include <fmt/format.h>

namespace stiction::implicit {

BarrierStage::BarrierStage(const World& world, const StageSequence& stages, const Options& options,
                           BarrierWorkspace& workspace, JacobianSolver& jacobian, StepResult& result)
    : world_(world),
      options_(options),
      workspace_(workspace),
      jacobian_(jacobian),
      result_(result),
      moves_(stages.input().moves),
      input_(held(stages.input())),
      status_before_(result.report.status),
      cause_before_(result.report.cause),
      lagged_(world, stages.start(), input_, options, stages.stage(), workspace, result.report) {}

std::optional<StageEnd> BarrierStage::run() {
    lagged_.run();
    moves_.pass_on();
    if (!is_accepted(result_.report.status)) return std::nullopt;
    keep_lagged();
    if (lagged_.potential().friction().empty() && lagged_.contacts().contacts.empty())
        return StageEnd{kept_.x, kept_.warm_start};
    jacobian_.begin(choose_solver(options_.solver, workspace_.assembly.map().node_count()));
    result_.report.linear_solver = linear_solver_names()[static_cast<std::size_t>(jacobian_.solver())];
    const int rescues_before = jacobian_.rescues();
    std::optional<StageEnd> end = newton();
    if (jacobian_.rescues() > rescues_before) result_.report.notes.push_back("LU in place of BiCGSTAB");
    return end;
}

StepInput BarrierStage::held(const StepInput& input) {
    StepInput copy = input;
    copy.moves = input.moves == nullptr ? nullptr : &moves_;
    return copy;
}

std::optional<StageEnd> BarrierStage::newton() {
    std::string stall;
    for (int restart = 0; restart <= options_.lagged_restarts; ++restart) {
        if (restart > 0 && !refresh()) break;
        BarrierBalance solve(world_, lagged_, options_, workspace_, jacobian_, input_, result_.report);
        const bool solved = solve.run();
        solve.fill_phases();
        if (!solved) {
            if (interrupted()) return std::nullopt;
            stall = solve.stall();
            continue;
        }
        solve.report_moves(input_.moves);
        moves_.pass_on();
        solve.fill_forces(input_.list_contacts, result_);
        solve.fill_report();
        result_.report.status = status_before_;
        result_.report.cause = cause_before_;
        return StageEnd{solve.x(), lagged_.warm_start()};
    }
    if (interrupted()) return std::nullopt;
    take_lagged(stall);
    lagged_only_ = true;
    return StageEnd{kept_.x, kept_.warm_start};
}

bool BarrierStage::refresh() {
    const bool accepted = lagged_.refresh_friction();
    if (!accepted) {
        moves_.forget();
        return false;
    }
    moves_.pass_on();
    keep_lagged();
    return true;
}

void BarrierStage::keep_lagged() {
    lagged_.fill_forces(result_);
    kept_ = {
        lagged_.x(),          result_.contact_force,   result_.friction_force, result_.contact_state,  result_.contacts,
        lagged_.warm_start(), result_.report.residual, result_.report.min_gap, result_.report.contacts};
}

void BarrierStage::take_lagged(const std::string& stall) {
    result_.contact_force = kept_.contact_force;
    result_.friction_force = kept_.friction_force;
    result_.contact_state = kept_.contact_state;
    result_.contacts = kept_.listed;
    result_.report.residual = kept_.residual;
    result_.report.min_gap = kept_.min_gap;
    result_.report.contacts = kept_.contacts;
    result_.report.status = Status::friction_not_converged;
    result_.report.cause = fmt::format("implicit friction: {}; friction lagged instead", stall);
}

std::optional<StageEnd> BarrierStages::solve(const StageSequence& stages) {
    BarrierStage stage(world_, stages, options_, workspace_, jacobian_, result_);
    std::optional<StageEnd> end = stage.run();
    any_lagged_ = any_lagged_ || stage.is_lagged();
    return end;
}

void BarrierStages::finish(State&) {
    if (any_lagged_) result_.report.notes.push_back("friction lagged instead of implicit");
}

}  // namespace stiction::implicit
