#include "stiction/methods/mlcp/step.hpp"

#include "stiction/base/error.hpp"
#include "stiction/dynamics/feasible_step.hpp"
#include "stiction/linalg/vector_ops.hpp"
#include "stiction/methods/mlcp/duplicates.hpp"
#include "stiction/nonlinear/stopping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction {
namespace {

/// Pairs nearer than this many times eps_2 count as touching at the start of a step.
constexpr double touching_range = 4.0;

ContactSet touching_pairs(ContactDetection& detection, const VecX& x, double distance) {
    detection.update(x);
    return detection.contacts(x, distance);
}

}  // namespace

MlcpWorkspace::MlcpWorkspace(const World& world, const MlcpOptions& options)
    : identity(world.identity),
      limits(resolve_limits(options, world.diagonal)),
      detection(world, touching_range * limits.distance),
      assembly(world) {}

MlcpStep::MlcpStep(const World& world, const State& state, const StepInput& input, const MlcpOptions& options,
                   MlcpWorkspace& workspace, StepResult& result)
    : world_(world),
      state_(state),
      input_(input),
      options_(options),
      workspace_(workspace),
      result_(result),
      report_(result.report),
      limits_(workspace.limits.for_step(input.h, world.gravity.norm())),
      velocities_(world, state, input, workspace.assembly),
      speeds_(velocities_.speeds_past_each_other()),
      contacts_(world, touching_pairs(workspace.detection, state.x, touching_range * limits_.distance), state.x,
                limits_,
                state.warm_start.contains(warm_start_key) ? state.warm_start.at(warm_start_key) : std::string()),
      collisions_(workspace.detection, state.x, velocities_.positions(velocities_.start_velocity()) - state.x) {
    ComplementarityReport& contact = report_.complementarity.emplace();
    contact.momentum_tolerance = options.tolerance;
    contact.distance_tolerance = limits_.distance;
    solution_.v = velocities_.start_velocity();
    x_ = velocities_.positions(solution_.v);
}

void MlcpStep::run() {
    if (!linearise(state_.x)) return;
    anticipate();
    if (options_.elasticity == ElasticityModel::nonlinear ? newton() : resolve()) finish();
}

bool MlcpStep::linearise(const VecX& x) {
    const ScopedTimer timer(timers_, "assembly");
    velocities_.linearise(x);
    ++report_.complementarity->elastic_linearisations;
    problem_.matrix = &velocities_.matrix();
    problem_.rhs = velocities_.rhs();
    problem_.momentum_scale = velocities_.momentum_scale();
    if (!problem_.rhs.allFinite()) {
        stop(Status::infeasible_start,
             "forces are not finite where elasticity is linearised: an element is inverted or collapsed");
        return false;
    }
    return true;
}

/// What is on its way into something most likely goes on: rows that the first solve has from the start need no second
/// one.
void MlcpStep::anticipate() {
    const ScopedTimer timer(timers_, "collision");
    contacts_.add(collisions_.encounters(x_, floor()), state_.x, x_);
}

/// Lines 8 to 32: solve, then look for what the solution runs into, until it runs into nothing.
bool MlcpStep::resolve() {
    for (int round = 0; round < options_.max_linearisations; ++round) {
        if (!solve_contacts()) return false;
        const Look found = look(round);
        if (found != Look::changed) return found == Look::free;
    }
    STICTION_CHECK(false, "the last round ends one way or the other");
    return false;
}

/// Adds pairs that meet on the way to where the present velocities lead, or else turns rows, of which the last round
/// leaves those that are free as they are.
MlcpStep::Look MlcpStep::look(int round) {
    const ScopedTimer timer(timers_, "collision");
    const bool last = round + 1 == options_.max_linearisations;
    x_ = velocities_.positions(solution_.v);
    const auto encounters = collisions_.encounters(x_, floor());
    if (encounters.empty()) return !last && contacts_.linearise_again(x_) ? Look::changed : Look::free;
    contacts_.add(encounters, state_.x, x_);
    if (!last) return Look::changed;
    const auto first = std::min_element(encounters.begin(), encounters.end(),
                                        [](const Encounter& a, const Encounter& b) { return a.time < b.time; });
    stop(Status::iteration_limit,
         fmt::format("{} pairs still meet after {} linearisations, first at {:.3g} of the step: {}", encounters.size(),
                     options_.max_linearisations, first->time, describe_stencil(world_, first->pair.key.vertices)));
    return Look::stopped;
}

bool MlcpStep::solve_contacts() {
    if (exhausted()) return false;
    const ScopedTimer timer(timers_, "solve");
    contacts_.fill(velocities_, state_, speeds_, solution_.v, x_, problem_.contacts);
    count_duplicates(world_, contacts_.rows(), problem_.contacts);
    const ConstraintMatrix constraints(problem_.matrix->nodes(), problem_.contacts);
    solution_.contacts.clear();
    for (const ContactRow& row : contacts_.rows()) solution_.contacts.push_back(row.unknowns);
    const bool may_factorise = options_.solver == ContactSolverKind::cr &&
                               options_.preconditioner != MlcpPreconditioner::factorised &&
                               options_.factorise_after > 0;
    if (may_factorise) {
        CrOptions first = cr_options();
        first.max_iterations = std::min(options_.factorise_after, first.max_iterations);
        first.fallback_iterations = 0;
        first.max_settled_changes /= 4;
        const ContactSolverReport cr = solve_with_preconditioner(constraints, options_.preconditioner, first);
        if (cr.end == CrEnd::converged) return true;
        if (cr.end == CrEnd::iteration_limit) {
            if (exhausted()) return false;
            report_.notes.push_back("contact problem preconditioned with a factor of A");
            return ends_well(solve_with_preconditioner(constraints, MlcpPreconditioner::factorised, cr_options()));
        }
    }
    return ends_well(solve_with_preconditioner(constraints, options_.preconditioner, cr_options()));
}

CrOptions MlcpStep::cr_options() const {
    CrOptions options;
    options.tolerance = options_.tolerance;
    // Gaps aim for the middle of (0, eps_2): a quarter on either side is left for what the linear rows leave out.
    options.switching.distance_tolerance = 0.25 * limits_.distance;
    const int left = std::max(options_.max_step_iterations - spent_, 1);
    options.max_iterations = std::min(options_.max_iterations, left);
    options.fallback_iterations = std::min(options_.fallback_iterations, left);
    return options;
}

/// Ends a step whose solves together have taken all the iterations that it has.
bool MlcpStep::exhausted() {
    if (spent_ < options_.max_step_iterations) return false;
    stop(Status::iteration_limit,
         fmt::format("{} iterations in {} solves of the step; the last contact problem has {} rows", spent_,
                     report_.linear_solves, solution_.contacts.size()));
    return true;
}

ContactSolverReport MlcpStep::solve_with_preconditioner(const ConstraintMatrix& constraints, MlcpPreconditioner kind,
                                                        const CrOptions& options) {
    if ((kind == MlcpPreconditioner::factorised || options_.solver == ContactSolverKind::pgs) &&
        !velocities_.factorise()) {
        stop(Status::linear_solve_failed, "A is not positive definite");
        ContactSolverReport failed;
        failed.end = CrEnd::breakdown;
        return failed;
    }
    const auto solve = [&](const VecX& r, VecX& x) { velocities_.solve(r, x); };
    const ContactPreconditioner preconditioner(kind, *problem_.matrix, constraints, solve);
    const ContactSolverReport cr =
        solve_with(options_.solver, problem_, constraints, preconditioner, solve, options, solution_);
    for (std::size_t k = 0; k < solution_.contacts.size(); ++k) {
        ContactRow& row = contacts_.rows()[k];
        row.unknowns = solution_.contacts[k];
        row.tangential_compliance = 0.5 * (preconditioner.compliance()[k][1] + preconditioner.compliance()[k][2]);
        row.sliding_coefficient = problem_.contacts[k].kinetic_ratio * problem_.contacts[k].friction;
    }
    count(cr, contact_errors(problem_, solution_, preconditioner.compliance()));
    report_.iterations += cr.iterations;
    spent_ += cr.iterations + cr.fallback_iterations;
    ++report_.linear_solves;
    report_.residual = cr.residual;
    IterationTrace trace;
    trace.residual = cr.residual;
    trace.contacts = static_cast<int>(solution_.contacts.size());
    trace.line_search = cr.iterations;
    report_.trace.push_back(trace);
    return cr;
}

bool MlcpStep::ends_well(const ContactSolverReport& cr) {
    if (cr.end == CrEnd::converged) return true;
    if (!is_accepted(report_.status)) return false;  // and said why
    if (exhausted()) return false;
    stop(Status::iteration_limit, fmt::format("contact problem of {} rows, {} iterations: {}",
                                              solution_.contacts.size(), cr.iterations, describe(cr.end)));
    return false;
}

void MlcpStep::count(const ContactSolverReport& solved, const ContactErrors& errors) {
    ComplementarityReport& total = *report_.complementarity;
    total.rows = static_cast<int>(problem_.contacts.size());
    total.constraints = total.sticking = total.sliding = 0;
    for (std::size_t k = 0; k < problem_.contacts.size(); ++k) {
        if (solution_.contacts[k].mode == ContactMode::open) continue;
        total.constraints += problem_.contacts[k].friction > 0.0 ? 3 : 1;
        ++(solution_.contacts[k].mode == ContactMode::sticking ? total.sticking : total.sliding);
    }
    ++total.solves;
    total.mode_switches += solved.mode_switches;
    total.fallbacks += solved.fallbacks;
    total.setup_seconds += solved.setup_seconds;
    total.momentum_error = errors.momentum;
    total.normal_error = errors.normal;
    total.sticking_error = errors.sticking;
    total.sliding_error = errors.sliding;
    if (solved.fallbacks > 0) report_.notes.push_back("contact problem helped by constraint anticipation");
}

/// Newton on the elasticity, with contacts added and turned on the way: solves, goes as far as the line search says,
/// looks, and linearises there. Ends with a whole step that is small and free, so that what is accepted has been solved
/// for and looked at.
bool MlcpStep::newton() {
    // The first linearisation is where the step starts. What is driven is not there any more, and to have it move alone
    // would deform elements at once: then the first solution is taken as it is.
    bool start = velocities_.is_driven();
    VecX v_before = VecX::Zero(solution_.v.size());
    for (int round = 0, iterations = 0;;) {
        bool settled = false;
        if (!solve_contacts() || (!start && !descend(v_before, settled))) return false;
        const Look found = look(round);
        if (found == Look::stopped) return false;
        if (found == Look::free && settled) return true;
        if (found == Look::changed)
            ++round;
        else if (++iterations == options_.max_newton_iterations)
            break;
        start = false;
        v_before = solution_.v;
        if (!linearise(x_)) return false;
    }
    stop(Status::iteration_limit,
         fmt::format("elasticity does not settle in {} iterations of Newton's method", options_.max_newton_iterations));
    return false;
}

/// Shortens the way from v_before to the solution where the energy asks for it.
/// @param settled  set: whether the whole of it is within tolerance
bool MlcpStep::descend(const VecX& v_before, bool& settled) {
    const VecX change = solution_.v - v_before;
    double residual = 0.0;
    const LineSearchResult found = search(v_before, residual);
    const bool none = found.accepted_by == LineSearchResult::AcceptedBy::none;
    // Where the energy cannot tell any more it has to be as well balanced as contact problems are solved.
    settled = std::isfinite(residual) &&
              (infinity_norm(change) < limits_.velocity || (none && residual <= 2.0 * options_.tolerance));
    if (settled) {
        report_.residual = residual;
        return true;
    }
    if (none) {
        stop(Status::line_search_stalled, "elasticity: no decrease of the energy of the step");
        return false;
    }
    if (found.alpha < 1.0) solution_.v = v_before + found.alpha * change;
    return true;
}

/// Backtracks from the solution to the velocities that elasticity was linearised at, on the energy of the step with the
/// contact forces of the solution: these are given, so that the direction is one of descent, friction or not.
/// @param residual  set: what the forces of the solution leave of the momentum where it leads, over its scale
LineSearchResult MlcpStep::search(const VecX& v_before, double& residual) {
    const ScopedTimer timer(timers_, "line_search");
    VecX forces(3 * static_cast<Eigen::Index>(solution_.contacts.size()));
    for (std::size_t k = 0; k < solution_.contacts.size(); ++k) {
        const ContactUnknowns& contact = solution_.contacts[k];
        forces.segment<3>(3 * static_cast<Eigen::Index>(k)) =
            Vec3(-contact.normal, contact.friction().x(), contact.friction().y());
    }
    VecX impulse = VecX::Zero(solution_.v.size());
    ConstraintMatrix(problem_.matrix->nodes(), problem_.contacts).add_transposed(forces, impulse);
    const VecX change = solution_.v - v_before;
    const double work = dot(change, impulse),
                 work_rounding = std::numeric_limits<double>::epsilon() * change.cwiseAbs().dot(impulse.cwiseAbs());
    const VelocityProblem::Balance start = velocities_.balance(v_before);
    VelocityProblem::Balance end;
    const auto measure = [&](const VecX& gradient) { return GradientMeasure{dot(change, gradient), norm(gradient)}; };
    const auto difference = [&](double alpha) {
        end = velocities_.balance(v_before + alpha * change);
        if (alpha == 1.0)
            residual =
                norm(VecX(end.gradient + impulse)) / (problem_.momentum_scale > 0.0 ? problem_.momentum_scale : 1.0);
        EnergyDifference result = velocities_.energy_difference(start, end);
        result.value += alpha * work;
        result.rounding += alpha * work_rounding;
        return result;
    };
    const auto gradient = [&](double) { return measure(end.gradient + impulse); };
    const LineSearchResult result = backtracking_search(1.0, difference, measure(start.gradient + impulse), gradient);
    report_.line_search += result.trials;
    report_.trace.back().step_length = result.alpha;
    return result;
}

void MlcpStep::finish() {
    const VecX move = x_ - state_.x;
    const double fraction = element_step_bound(world_, state_.x, move);
    if (fraction < 1.0 && !velocities_.may_be_shortened()) {
        return stop(Status::iteration_limit,
                    fmt::format("an element of a barrier law would be inverted at {:.3g} of the step", fraction));
    }
    if (fraction < 1.0) {
        x_ = state_.x + fraction * move;
        report_.notes.push_back("step clipped: an element of a barrier law would be inverted");
    }
    if (input_.moves != nullptr) input_.moves->accepted_move(state_.x, x_);
    State& next = result_.state;
    end_step(state_, input_, x_, velocities_.end_velocity(solution_.v, x_), next);
    next.acceleration.resize(0);
    next.warm_start = state_.warm_start;
    next.warm_start[warm_start_key] = contacts_.warm_start(state_.x, x_);
    contacts_.fill_forces(result_, world_.vertex_count());
    report_.ccd_queries = collisions_.queries();
    report_.contacts =
        static_cast<int>(std::count_if(contacts_.rows().begin(), contacts_.rows().end(),
                                       [](const ContactRow& row) { return row.unknowns.mode != ContactMode::open; }));
    report_.min_gap = workspace_.detection.contacts(x_, touching_range * limits_.distance).min_gap;
    for (const auto& [phase, ms] : timers_.milliseconds()) report_.phases_ms[phase] += ms;
}

void MlcpStep::stop(Status status, std::string cause) {
    report_.status = status;
    report_.cause = std::move(cause);
    for (const auto& [phase, ms] : timers_.milliseconds()) report_.phases_ms[phase] += ms;
    timers_.clear();
}

}  // namespace stiction
