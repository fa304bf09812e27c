#include "stiction/methods/implicit/barrier_stage.hpp"

#include "stiction/methods/implicit/barrier_balance.hpp"

#include <fmt/format.h>

namespace stiction::implicit {
namespace {

/// Looseness of lagged solves that are not the last: more digits are lost again when friction is lagged anew, which
/// changes the solution by as much as a tenth of the first direction and more.
constexpr double loose = 0.1;
/// Friction has settled where BarrierSolve::friction_change() is at most this. Newton's method on the whole balance
/// converged from 35 of 45 such starts of a tennis ball at a wall, from 6 of 77 others.
constexpr double settled_change = 0.03;
/// How often friction is lagged anew for it to settle. Where it goes to and fro, Newton's method may find what lies
/// between.
constexpr int most_refreshes = 6;

}  // namespace

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
    loose_ = options_.lagged_restarts > 0 && !world_.friction.frictionless();
    if (loose_) lagged_.set_looseness(loose);
    lagged_.run();
    moves_.pass_on();
    if (!is_accepted(result_.report.status)) return std::nullopt;
    keep_lagged();
    if (lagged_.potential().friction().empty() && lagged_.contacts().contacts.empty())
        return StageEnd{kept_.x, kept_.warm_start};
    jacobian_.begin(choose_solver(options_.solver, workspace_.assembly.map().node_count()));
    result_.report.linear_solver = linear_solver_names()[static_cast<std::size_t>(jacobian_.solver())];
    const int rescues_before = jacobian_.rescues(), double_before = jacobian_.double_factors();
    if (!settle_friction()) return std::nullopt;
    std::optional<StageEnd> end = newton();
    if (jacobian_.rescues() > rescues_before) result_.report.notes.push_back("LU in place of BiCGSTAB");
    if (jacobian_.double_factors() > double_before)
        result_.report.notes.push_back("single precision did not suffice for an LU: MUMPS took over");
    return end;
}

StepInput BarrierStage::held(const StepInput& input) {
    StepInput copy = input;
    copy.moves = input.moves == nullptr ? nullptr : &moves_;
    return copy;
}

bool BarrierStage::settle_friction() {
    if (!loose_) return true;
    for (int k = 0; k < most_refreshes && lagged_.friction_change() > settled_change; ++k) {
        if (!refresh(loose)) return false;
    }
    return true;
}

std::optional<StageEnd> BarrierStage::newton() {
    std::string stall;
    for (int restart = 0; restart <= options_.lagged_restarts; ++restart) {
        if (restart > 0 && !refresh(restart < options_.lagged_restarts ? loose : 0.0)) {
            if (loose_) return std::nullopt;
            break;
        }
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

bool BarrierStage::refresh(double looseness) {
    lagged_.set_looseness(looseness);
    const bool accepted = lagged_.refresh_friction();
    if (!accepted) {
        moves_.forget();
        return false;
    }
    loose_ = looseness > 0.0;
    moves_.pass_on();
    keep_lagged();
    return true;
}

void BarrierStage::keep_lagged() {
    lagged_.fill_forces(result_);
    kept_ = {lagged_.x(),
             result_.contact_force,
             result_.friction_force,
             result_.contact_state,
             result_.contacts,
             lagged_.warm_start(),
             result_.report.residual,
             result_.report.min_gap,
             result_.report.contact_energy,
             result_.report.contacts};
}

void BarrierStage::take_lagged(const std::string& stall) {
    result_.contact_force = kept_.contact_force;
    result_.friction_force = kept_.friction_force;
    result_.contact_state = kept_.contact_state;
    result_.contacts = kept_.listed;
    result_.report.residual = kept_.residual;
    result_.report.min_gap = kept_.min_gap;
    result_.report.contact_energy = kept_.contact_energy;
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
