#include "methods/mlcp/step_problem.hpp"

#include <stdexcept>

namespace stiction::test {
namespace {

ContactSet near_pairs(ContactDetection& detection, const VecX& x, const Limits& limits) {
    detection.scale(limits.scales());
    detection.update(x);
    return detection.contacts(x, 4.0 * limits.distance);
}

}  // namespace

// Contacts, tolerances and order are those of Step (methods/mlcp/step.cpp), which keeps its problems to itself.
StepProblem::StepProblem(const World& world, const State& state, const StepInput& input, const Options& options,
                         Workspace& workspace)
    : options_(options),
      limits_(workspace.limits.for_step(input.h, world.gravity.norm())),
      velocities_(world, state, input, workspace.assembly, workspace.rounded),
      contacts_(world, workspace.neighbours, state, velocities_, near_pairs(workspace.detection, state.x, limits_),
                limits_),
      solver_(options_, limits_, velocities_, contacts_, report_, nullptr),
      collisions_(workspace.detection, workspace.neighbours, workspace.closed, velocities_, state.x,
                  solver_.end_positions() - state.x) {
    if (!solver_.linearise(state.x)) return;
    contacts_.add(collisions_.find(solver_.end_positions(), limits_.distance / 8.0), solver_.end_positions());
}

bool StepProblem::pose() {
    for (int round = 0; round < options_.max_linearisations && is_accepted(report_.status); ++round) {
        if (!solver_.solve()) return false;
        const VecX& end = solver_.update_end_positions();
        const auto found = collisions_.find(end, limits_.distance / 8.0);
        if (!found.empty()) {
            contacts_.add(found, end);
        } else if (!contacts_.linearise_again(end)) {
            solver_.report_phases();
            return true;
        }
    }
    return false;
}

Preconditioner::Solve StepProblem::solve_velocities() {
    if (!velocities_.factorise()) throw std::runtime_error("A is not positive definite");
    return [this](const VecX& r, VecX& x) { velocities_.solve(r, x); };
}

Eigen::MatrixXd dense_matrix(const VelocityMatrix& matrix) {
    const Eigen::Index size = 3 * static_cast<Eigen::Index>(matrix.nodes());
    Eigen::MatrixXd dense(size, size);
    VecX unit = VecX::Zero(size), column;
    for (Eigen::Index k = 0; k < size; ++k) {
        unit[k] = 1.0;
        matrix.multiply(unit, column);
        dense.col(k) = column;
        unit[k] = 0.0;
    }
    return dense;
}

}  // namespace stiction::test
