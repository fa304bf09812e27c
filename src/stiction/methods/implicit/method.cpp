#include "stiction/methods/implicit/method.hpp"

#include "stiction/base/error.hpp"
#include "stiction/methods/implicit/solve.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiction {

struct Implicit::Workspace {
    Workspace(const World& world, const ImplicitOptions& options) : barrier(world, options) {}
    BarrierWorkspace barrier;
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

Implicit::Implicit(const ImplicitOptions& options, Integrator integrator) : options_(options), integrator_(integrator) {}
Implicit::~Implicit() = default;

double Implicit::contact_distance(const World& world) const { return resolve_limits(options_, world).dhat; }

namespace {

/// One stage: lagged solve, then Newton on the whole balance; where that stalls, again from friction lagged once more.
/// @return the positions at the end; meaningless when the report's status is not accepted
VecX solve_stage(const World& world, const StageSequence& stages, const ImplicitOptions& options, BarrierWorkspace& workspace, JacobianSolver& jacobian,
                 StepResult& result, std::string& warm_start) {
    BarrierSolve lagged(world, stages.start(), stages.input(), options, stages.stage(), workspace, result.report);
    lagged.run();
    if (!is_accepted(result.report.status)) return {};
    warm_start = lagged.warm_start();
    lagged.fill_forces(result);
    if (lagged.potential().friction().empty() && lagged.contacts().contacts.empty()) return lagged.x();
    const bool large = workspace.assembly.map().node_count() >= implicit_iterative_nodes;
    jacobian.begin(options.solver == LinearSolver::automatic ? (large ? LinearSolver::iterative : LinearSolver::direct) : options.solver);
    const int rescues_before = jacobian.rescues();
    std::string stall;
    for (int restart = 0; restart <= options.lagged_restarts; ++restart) {
        if (restart > 0 && !lagged.refresh_friction()) break;
        ImplicitSolve solve(world, lagged, options, workspace, jacobian, result.report);
        const bool solved = solve.run();
        if (!solved) {
            stall = solve.stall();
            continue;
        }
        if (jacobian.rescues() > rescues_before) result.report.notes.push_back("LU in place of BiCGSTAB");
        solve.report_moves(stages.input().moves);
        solve.fill_forces(result);
        solve.fill_report();
        return solve.x();
    }
    if (!is_accepted(result.report.status)) return {};
    result.report.status = Status::friction_not_converged;
    result.report.cause = fmt::format("implicit friction: {}; friction lagged instead", stall);
    result.report.notes.push_back("friction lagged instead of implicit");
    lagged.fill_forces(result);
    return lagged.x();
}

}  // namespace

void Implicit::step(const World& world, const State& state, const StepInput& input, StepResult& result) {
    const double start = now_seconds();
    if (!workspace_ || !workspace_->barrier.is_of(world)) workspace_ = std::make_unique<Workspace>(world, options_);
    result.report = StepReport{};
    result.report.h = input.h;
    result.report.residual_unit = "m/s";
    StageSequence stages(integrator_, state, input);
    while (!stages.done()) {
        std::string warm_start;
        const VecX x = solve_stage(world, stages, options_, workspace_->barrier, workspace_->jacobian, result, warm_start);
        if (!is_accepted(result.report.status)) break;
        stages.finish(x, BarrierSolve::warm_start_key, std::move(warm_start));
    }
    if (stages.done()) {
        result.state = stages.end_state();
        measure(world, result.state, result.report);
    }
    result.report.milliseconds = 1e3 * (now_seconds() - start);
}

}  // namespace stiction
