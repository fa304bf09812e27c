#include "stiction/methods/mlcp/elasticity_newton.hpp"

#include "stiction/linalg/vector_ops.hpp"
#include "stiction/nonlinear/stopping.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace stiction::mlcp {

bool ElasticityNewton::run(const UpdateConstraints& update) {
    // The first linearisation is at the start of the step, before driven vertices move. Damping its solution would move
    // the driven vertices alone, and deform the elements next to them; so it is taken as it is.
    bool damped = !velocities_.is_driven();
    VecX v_before = VecX::Zero(solver_.solution().v.size());
    for (int round = 0, iterations = 0;;) {
        bool settled = false;
        if (!solver_.solve() || (damped && !damp(v_before, settled))) return false;
        const ConstraintUpdate found = update(round);
        if (found == ConstraintUpdate::failed) return false;
        if (found == ConstraintUpdate::none && settled) return true;
        if (found == ConstraintUpdate::changed)
            ++round;
        else if (++iterations == options_.max_newton_iterations)
            break;
        damped = true;
        v_before = solver_.solution().v;
        if (!solver_.linearise(solver_.end_positions())) return false;
    }
    solver_.fail(Status::iteration_limit, fmt::format("elasticity does not settle in {} iterations of Newton's method",
                                                      options_.max_newton_iterations));
    return false;
}

/// Takes the part of the change from v_before to the solution that the line search accepts. False: the search stalled,
/// and the step has failed.
/// @param settled  set: whether all of the change is within the tolerance
bool ElasticityNewton::damp(const VecX& v_before, bool& settled) {
    const VecX change = solver_.solution().v - v_before;
    double residual = 0.0;
    const LineSearchResult found = search(v_before, residual);
    const bool stalled = found.accepted_by == LineSearchResult::AcceptedBy::none;
    // Where differences of energy are rounding, the momentum has to balance as well as contact problems are solved.
    settled =
        std::isfinite(residual) && (velocities_.largest_speed(change, limits_.velocity_share()) < limits_.velocity ||
                                    (stalled && residual <= 2.0 * options_.tolerance));
    if (settled) {
        solver_.report().residual = residual;
        return true;
    }
    if (stalled) {
        solver_.fail(Status::line_search_stalled, "elasticity: no decrease of the energy of the step");
        return false;
    }
    if (found.alpha < 1.0) solver_.set_velocities(v_before + found.alpha * change);
    return true;
}

/// L^T m of the solution (kg m/s), with its sign in A v + L^T m = b.
VecX ElasticityNewton::contact_impulse() const {
    const ContactSolution& solution = solver_.solution();
    VecX forces(3 * static_cast<Eigen::Index>(solution.contacts.size()));
    for (std::size_t k = 0; k < solution.contacts.size(); ++k) {
        const ContactUnknowns& contact = solution.contacts[k];
        forces.segment<3>(3 * static_cast<Eigen::Index>(k)) =
            Vec3(-contact.normal, contact.friction().x(), contact.friction().y());
    }
    VecX impulse = VecX::Zero(solution.v.size());
    const ContactProblem& problem = solver_.problem();
    ConstraintMatrix(problem.matrix->nodes(), problem.contacts).add_transposed(forces, impulse);
    return impulse;
}

/// Backtracks from the solution toward v_before, where elasticity was linearised, on the energy of the step. The
/// contact forces of the solution are held fixed: the change is then a descent direction, with friction too.
/// @param residual  set: momentum error at the full change with these forces, over the scale of the problem
LineSearchResult ElasticityNewton::search(const VecX& v_before, double& residual) {
    const ScopedTimer timer(solver_.timers(), "line_search");
    const VecX impulse = contact_impulse();
    const VecX change = solver_.solution().v - v_before;
    const double work = dot(change, impulse),
                 work_rounding = std::numeric_limits<double>::epsilon() * change.cwiseAbs().dot(impulse.cwiseAbs());
    const double scale = solver_.problem().momentum_scale > 0.0 ? solver_.problem().momentum_scale : 1.0;
    const VelocityProblem::Balance start = velocities_.balance(v_before);
    VelocityProblem::Balance end;
    const auto measure = [&](const VecX& gradient) { return GradientMeasure{dot(change, gradient), norm(gradient)}; };
    const auto difference = [&](double alpha) {
        end = velocities_.balance(v_before + alpha * change);
        if (alpha == 1.0) residual = norm(VecX(end.gradient + impulse)) / scale;
        EnergyDifference result = velocities_.energy_difference(start, end);
        result.value += alpha * work;
        result.rounding += alpha * work_rounding;
        return result;
    };
    const auto gradient = [&](double) { return measure(end.gradient + impulse); };
    const LineSearchResult result = backtracking_search(1.0, difference, measure(start.gradient + impulse), gradient);
    StepReport& report = solver_.report();
    report.line_search += result.trials;
    report.trace.back().step_length = result.alpha;
    return result;
}

}  // namespace stiction::mlcp
