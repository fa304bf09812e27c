#include "stiction/methods/implicit/method.hpp"

#include "stiction/base/error.hpp"
#include "stiction/methods/implicit/penalty_step.hpp"
#include "stiction/methods/implicit/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

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

const std::vector<std::string>& linear_solver_names() {
    static const std::vector<std::string> names{"auto", "direct", "iterative"};
    return names;
}

LinearSolver linear_solver_from_name(const std::string& name) {
    const auto& names = linear_solver_names();
    const auto found = std::find(names.begin(), names.end(), name);
    STICTION_CHECK(found != names.end(), "the name of a linear solver has been checked");
    return static_cast<LinearSolver>(found - names.begin());
}

LinearSolver choose_solver(LinearSolver wanted, Index nodes) {
    if (wanted != LinearSolver::automatic) return wanted;
    return nodes >= implicit_iterative_nodes ? LinearSolver::iterative : LinearSolver::direct;
}

Implicit::Implicit(const ImplicitOptions& options, Integrator integrator) : options_(options), integrator_(integrator) {}
Implicit::~Implicit() = default;

double Implicit::contact_distance(const World& world) const {
    if (options_.contact == ContactModel::barrier) return resolve_limits(options_, world).dhat;
    return std::max(resolve_penalty(options_, world).thickness, PenaltyDetection(world, options_).largest_radius());
}

void Implicit::check(const World& world) const {
    if (options_.contact == ContactModel::penalty) PenaltyDetection(world, options_).check_start();
}

namespace {

/// Holds moves back until it is known whether they lead anywhere.
class HeldMoves final : public MoveSink {
public:
    explicit HeldMoves(MoveSink* sink) : sink_(sink) {}
    void accepted_move(const VecX& x0, const VecX& x1) override {
        if (sink_ != nullptr) moves_.emplace_back(x0, x1);
    }
    void pass_on() {
        for (const auto& [x0, x1] : moves_) sink_->accepted_move(x0, x1);
        moves_.clear();
    }
    void forget() { moves_.clear(); }

private:
    MoveSink* sink_;
    std::vector<std::pair<VecX, VecX>> moves_;
};

/// How a stage ended.
struct StageEnd {
    VecX x;
    std::string warm_start;
    bool solved = false;  ///< or friction is lagged
};

/// One stage: lagged solve, then Newton on the whole balance; where that stalls, again from friction lagged once more.
class StageSolve {
public:
    StageSolve(const World& world, const StageSequence& stages, const ImplicitOptions& options, BarrierWorkspace& workspace, JacobianSolver& jacobian,
               StepResult& result)
        : world_(world), options_(options), workspace_(workspace), jacobian_(jacobian), result_(result), moves_(stages.input().moves), input_(held(stages.input())),
          status_before_(result.report.status), cause_before_(result.report.cause),
          lagged_(world, stages.start(), input_, options, stages.stage(), workspace, result.report) {}

    /// @return what is meaningful when the report's status is accepted
    StageEnd run() {
        lagged_.run();
        moves_.pass_on();
        if (!is_accepted(result_.report.status)) return {};
        keep_lagged();
        if (lagged_.potential().friction().empty() && lagged_.contacts().contacts.empty()) return {kept_.x, kept_.warm_start, true};
        jacobian_.begin(choose_solver(options_.solver, workspace_.assembly.map().node_count()));
        const int rescues_before = jacobian_.rescues();
        const StageEnd end = newton();
        if (jacobian_.rescues() > rescues_before) result_.report.notes.push_back("LU in place of BiCGSTAB");
        return end;
    }

private:
    StepInput held(const StepInput& input) {
        StepInput copy = input;
        copy.moves = input.moves == nullptr ? nullptr : &moves_;
        return copy;
    }

    StageEnd newton() {
        std::string stall;
        for (int restart = 0; restart <= options_.lagged_restarts; ++restart) {
            if (restart > 0 && !refresh()) break;
            ImplicitSolve solve(world_, lagged_, options_, workspace_, jacobian_, input_.moves != nullptr, result_.report);
            const bool solved = solve.run();
            solve.fill_phases();
            if (!solved) {
                stall = solve.stall();
                continue;
            }
            solve.report_moves(input_.moves);
            moves_.pass_on();
            solve.fill_forces(result_);
            solve.fill_report();
            result_.report.status = status_before_;
            result_.report.cause = cause_before_;
            return {solve.x(), lagged_.warm_start(), true};
        }
        take_lagged(stall);
        return {kept_.x, kept_.warm_start, false};
    }

    /// Friction lagged once more; what cannot be solved with it changes nothing.
    bool refresh() {
        const bool accepted = lagged_.refresh_friction();
        if (!accepted) {
            moves_.forget();
            return false;
        }
        moves_.pass_on();
        keep_lagged();
        return true;
    }

    void keep_lagged() {
        lagged_.fill_forces(result_);
        kept_ = {lagged_.x(), result_.contact_force, result_.friction_force, lagged_.warm_start(), result_.report.residual, result_.report.min_gap, result_.report.contacts};
    }

    void take_lagged(const std::string& stall) {
        result_.contact_force = kept_.contact_force;
        result_.friction_force = kept_.friction_force;
        result_.report.residual = kept_.residual;
        result_.report.min_gap = kept_.min_gap;
        result_.report.contacts = kept_.contacts;
        result_.report.status = Status::friction_not_converged;
        result_.report.cause = fmt::format("implicit friction: {}; friction lagged instead", stall);
    }

    struct Lagged {
        VecX x, contact_force, friction_force;
        std::string warm_start;
        double residual = 0.0, min_gap = 0.0;
        int contacts = 0;
    };

    const World& world_;
    const ImplicitOptions& options_;
    BarrierWorkspace& workspace_;
    JacobianSolver& jacobian_;
    StepResult& result_;
    HeldMoves moves_;
    const StepInput input_;
    const Status status_before_;
    const std::string cause_before_;
    BarrierSolve lagged_;
    Lagged kept_;  ///< the last lagged solution
};

}  // namespace

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
    if (!workspace_ || workspace_->identity != world.identity) workspace_ = std::make_unique<Workspace>(world, options_);
    result.report = StepReport{};
    result.report.h = input.h;
    result.report.residual_unit = "m/s";
    if (workspace_->penalty) {
        PenaltyStep(world, state, input, options_, integrator_, *workspace_->penalty, workspace_->jacobian, result).run();
    } else {
        barrier_step(world, state, input, result);
    }
    if (is_accepted(result.report.status)) measure(world, result.state, result.report);
    result.report.milliseconds = 1e3 * (now_seconds() - start);
}

}  // namespace stiction
