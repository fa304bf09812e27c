#include "stiction/methods/mlcp/step.hpp"

#include "stiction/dynamics/feasible_step.hpp"
#include "stiction/linalg/vector_ops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

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
    : identity(world.identity), limits(resolve_limits(options, world.diagonal)), detection(world, touching_range * limits.distance), assembly(world) {}

MlcpStep::MlcpStep(const World& world, const State& state, const StepInput& input, const MlcpOptions& options, MlcpWorkspace& workspace, StepResult& result)
    : world_(world), state_(state), input_(input), options_(options), workspace_(workspace), result_(result), report_(result.report), limits_(workspace.limits),
      velocities_(world, state, input, workspace.assembly),
      contacts_(world, touching_pairs(workspace.detection, state.x, touching_range * limits_.distance), state.x, limits_,
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
    if (!resolve()) return;
    if (options_.elasticity == ElasticityModel::nonlinear && !newton()) return;
    finish();
}

bool MlcpStep::linearise(const VecX& x) {
    const ScopedTimer timer(timers_, "assembly");
    velocities_.linearise(x);
    ++report_.complementarity->elastic_linearisations;
    problem_.matrix = &velocities_.matrix();
    problem_.rhs = velocities_.rhs();
    problem_.momentum_scale = velocities_.momentum_scale();
    if (!problem_.rhs.allFinite()) {
        stop(Status::infeasible_start, "forces are not finite at the start of the step: an element is inverted or collapsed");
        return false;
    }
    return true;
}

/// What is on its way into something most likely goes on: rows that the first solve has from the start need no second one.
void MlcpStep::anticipate() {
    const ScopedTimer timer(timers_, "collision");
    contacts_.add(collisions_.encounters(x_, floor()), state_.x, x_);
}

/// Lines 8 to 32: solve, then look for what the solution runs into, until it runs into nothing.
bool MlcpStep::resolve() {
    for (int round = 0; round < options_.max_linearisations; ++round) {
        if (!solve_contacts()) return false;
        const ScopedTimer timer(timers_, "collision");
        x_ = velocities_.positions(solution_.v);
        const auto encounters = collisions_.encounters(x_, floor());
        if (!encounters.empty()) {
            contacts_.add(encounters, state_.x, x_);
            if (round + 1 == options_.max_linearisations) {
                const auto first = std::min_element(encounters.begin(), encounters.end(), [](const Encounter& a, const Encounter& b) { return a.time < b.time; });
                stop(Status::iteration_limit, fmt::format("{} pairs still meet after {} linearisations, first at {:.3g} of the step: {}", encounters.size(),
                                                          options_.max_linearisations, first->time, describe_stencil(world_, first->geometry.key.vertices)));
                return false;
            }
            continue;
        }
        // What is free of collisions at the end of the last round is taken as it is.
        if (round + 1 == options_.max_linearisations || !contacts_.linearise_again(x_)) return true;
    }
    return true;
}

bool MlcpStep::solve_contacts() {
    const ScopedTimer timer(timers_, "solve");
    contacts_.fill(velocities_, state_, solution_.v, x_, problem_.contacts);
    measure_duplicates(problem_.contacts);
    const ConstraintMatrix constraints(problem_.matrix->nodes(), problem_.contacts);
    const bool factorised = options_.preconditioner == MlcpPreconditioner::factorised || options_.solver == ContactSolverKind::pgs;
    if (factorised && !velocities_.factorise()) {
        stop(Status::linear_solve_failed, "A is not positive definite");
        return false;
    }
    const auto solve = [&](const VecX& r, VecX& x) { velocities_.solve(r, x); };
    const ContactPreconditioner preconditioner(options_.preconditioner, *problem_.matrix, constraints, solve);
    solution_.contacts.clear();
    for (const ContactRow& row : contacts_.rows()) solution_.contacts.push_back(row.unknowns);
    CrOptions options;
    options.tolerance = options_.tolerance;
    // Gaps aim for the middle of (0, eps_2): a quarter on either side is left for what the linear rows leave out.
    options.switching.distance_tolerance = 0.25 * limits_.distance;
    options.max_iterations = options_.max_iterations;
    options.fallback_iterations = options_.fallback_iterations;
    const ContactSolverReport cr = solve_with(options_.solver, problem_, constraints, preconditioner, solve, options, solution_);
    for (std::size_t k = 0; k < solution_.contacts.size(); ++k) contacts_.rows()[k].unknowns = solution_.contacts[k];
    count(cr, contact_errors(problem_, solution_, preconditioner.compliance()));
    report_.iterations += cr.iterations;
    ++report_.linear_solves;
    report_.residual = cr.residual;
    IterationTrace trace;
    trace.residual = cr.residual;
    trace.contacts = static_cast<int>(solution_.contacts.size());
    trace.line_search = cr.iterations;
    report_.trace.push_back(trace);
    if (cr.end == CrEnd::converged) return true;
    stop(Status::iteration_limit, fmt::format("contact problem of {} rows, {} iterations: {}", solution_.contacts.size(), cr.iterations, describe(cr.end)));
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

/// Their section 3.4.1: rows of the same two rigid bodies count fully, others by how alike their weights are.
void MlcpStep::measure_duplicates(std::vector<ContactConstraint>& constraints) const {
    const auto& rows = contacts_.rows();
    const auto vertex_at = [&](std::size_t k, int i) { return rows[k].geometry.key.vertices[static_cast<std::size_t>(i)]; };
    std::map<std::array<Index, 2>, int> rigid_pairs;
    std::vector<std::array<Index, 2>> pair_of(rows.size(), {-1, -1});
    std::map<Index, std::vector<std::size_t>> at_vertex;
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const int last = rows[k].geometry.vertex_count() - 1;
        const Body& a = world_.body_at(vertex_at(k, 0));
        const Body& b = world_.body_at(vertex_at(k, last));
        if ((a.kind == BodyKind::rigid || a.is_obstacle()) && (b.kind == BodyKind::rigid || b.is_obstacle())) {
            pair_of[k] = {std::min(world_.body_of_vertex[static_cast<std::size_t>(vertex_at(k, 0))], world_.body_of_vertex[static_cast<std::size_t>(vertex_at(k, last))]),
                          std::max(world_.body_of_vertex[static_cast<std::size_t>(vertex_at(k, 0))], world_.body_of_vertex[static_cast<std::size_t>(vertex_at(k, last))])};
            ++rigid_pairs[pair_of[k]];
            continue;
        }
        for (int i = 0; i <= last; ++i) {
            if (!world_.is_obstacle(vertex_at(k, i))) at_vertex[vertex_at(k, i)].push_back(k);
        }
    }
    for (std::size_t k = 0; k < rows.size(); ++k) {
        if (pair_of[k][0] >= 0) {
            constraints[k].duplicates = rigid_pairs[pair_of[k]];
            continue;
        }
        std::map<std::size_t, double> likeness;  // of rows that share a vertex
        for (int i = 0; i < rows[k].geometry.vertex_count(); ++i) {
            const auto found = at_vertex.find(vertex_at(k, i));
            if (found == at_vertex.end()) continue;
            for (const std::size_t other : found->second) {
                if (other == k) continue;
                const auto& vertices = rows[other].geometry.key.vertices;
                const auto place = std::find(vertices.begin(), vertices.end(), vertex_at(k, i)) - vertices.begin();
                const double difference = std::abs(std::abs(rows[k].geometry.weights[i]) - std::abs(rows[other].geometry.weights[place]));
                likeness.emplace(other, 1.0).first->second *= std::max(0.0, 1.0 - difference);
            }
        }
        for (const auto& [other, value] : likeness) constraints[k].duplicates += value;
    }
}

/// Newton on the elasticity: linearises at the end of the step, solves the contact problem again, and goes there as far as that helps.
bool MlcpStep::newton() {
    for (int iteration = 0; iteration < options_.max_newton_iterations; ++iteration) {
        const VecX v_before = solution_.v, x_before = x_;
        if (!linearise(x_before) || !resolve()) return false;
        const VecX change = solution_.v - v_before;
        if (change.size() == 0 || change.lpNorm<Eigen::Infinity>() < limits_.velocity) return true;
    }
    stop(Status::iteration_limit, fmt::format("{} linearisations of elasticity", options_.max_newton_iterations));
    return false;
}

void MlcpStep::finish() {
    const VecX move = x_ - state_.x;
    const double fraction = element_step_bound(world_, state_.x, move);
    if (fraction < 1.0 && !velocities_.may_be_shortened()) {
        return stop(Status::iteration_limit, fmt::format("an element of a barrier law would be inverted at {:.3g} of the step", fraction));
    }
    if (fraction < 1.0) {
        x_ = state_.x + fraction * move;
        report_.notes.push_back("step clipped: an element of a barrier law would be inverted");
    }
    if (input_.moves != nullptr) input_.moves->accepted_move(state_.x, x_);
    State& next = result_.state;
    next = state_;
    next.x = x_;
    next.v = velocities_.end_velocity(solution_.v, x_);
    next.t = state_.t + input_.h;
    next.previous_x = state_.x;
    next.previous_v = state_.v;
    next.previous_h = input_.h;
    next.acceleration.resize(0);
    next.anchor = input_.anchor;
    next.anchor_time = input_.anchor_time;
    next.active_motion = input_.active_motion;
    next.warm_start[warm_start_key] = contacts_.warm_start(state_.x, x_);
    contacts_.fill_forces(result_, world_.vertex_count());
    report_.ccd_queries = collisions_.queries();
    report_.contacts = static_cast<int>(std::count_if(contacts_.rows().begin(), contacts_.rows().end(), [](const ContactRow& row) { return row.unknowns.mode != ContactMode::open; }));
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
