// The loop of Larionov et al. 2022, Algorithm 1, with the barrier's feasible steps.
#include "stiction/methods/implicit/solve.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/contact/barrier_stencil.hpp"
#include "stiction/dynamics/contact_state.hpp"
#include "stiction/linalg/vector_ops.hpp"
#include "stiction/nonlinear/stopping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

/// Shortest step the search tries.
constexpr double smallest_step = 1.0 / 1024.0;

}  // namespace

ImplicitSolve::ImplicitSolve(const World& world, const BarrierSolve& lagged, const ImplicitOptions& options, BarrierWorkspace& workspace,
                             JacobianSolver& jacobian, bool keeps_path, StepReport& report)
    : world_(world), lagged_(lagged), options_(options), workspace_(workspace), jacobian_(jacobian), keeps_path_(keeps_path), report_(report), potential_(lagged.potential()),
      tolerance_(options.implicit_tolerance > 0.0 ? options.implicit_tolerance : 1e-3 * lagged.limits().friction_velocity), x_(lagged.x()),
      contacts_(lagged.contacts()) {
    potential_.set_friction({});
    forcing_.smallest = 1e-10;
}

bool ImplicitSolve::run() {
    if (keeps_path_) path_ = {x_};
    VecX p;
    VecX r = residual(x_, contacts_);
    double last_size = 0.0;
    for (int iteration = 0; iteration < options_.max_implicit_iterations; ++iteration) {
        if (!factorise()) return stalled(jacobian_.failure().empty() ? "the Jacobian is not finite" : jacobian_.failure());
        const double size = norm(r);
        sigma_ = iteration == 0 ? forcing_.first() : forcing_.next(size, last_size);
        last_size = size;
        double measure = 0.0;
        {
            const ScopedTimer timer(timers_, "solve");
            if (!jacobian_.solve(workspace_.assembly, r, sigma_, p)) return stalled(jacobian_.failure().empty() ? "the search direction is not finite" : jacobian_.failure());
            measure = jacobian_.measure(r, workspace_.assembly);
        }
        IterationTrace trace;
        const double before = trace.residual = report_.residual = infinity_norm(p) / lagged_.stage().scale();
        trace.stiffness = potential_.stiffness();
        trace.contacts = static_cast<int>(contacts_.contacts.size());
        ++report_.iterations;
        const bool moved = line_search(p, measure, trace.step_length);
        report_.trace.push_back(trace);
        if (!moved) return before < tolerance_ || stalled(fmt::format("no step along the Newton direction helps, |p|/h = {:.3g} m/s", before));
        // A direction that was solved for to a share sigma may be that much too short.
        const double share = jacobian_.solver() == LinearSolver::direct ? 1.0 : 1.0 - sigma_;
        if (before < share * tolerance_ && trace.step_length > 0.99) return true;
        r = residual(x_, contacts_);
    }
    return stalled(fmt::format("{} iterations, |p|/h = {:.3g} m/s, wanted {:.3g}", options_.max_implicit_iterations, report_.residual, tolerance_));
}

void ImplicitSolve::assemble(bool project) {
    const auto& contacts = contacts_.contacts;
    HessianAssembly& assembly = workspace_.assembly;
    if (std::any_of(contacts.begin(), contacts.end(), [&](const Contact& contact) { return !assembly.covers(contact.vertices); })) {
        assembly.extend(workspace_.detection.near(x_, workspace_.detection.reach()));
    }
    potential_.assemble(x_, x_, contacts_, project, assembly);
}

bool ImplicitSolve::factorise() {
    const auto& contacts = contacts_.contacts;
    HessianAssembly& assembly = workspace_.assembly;
    ++report_.linear_solves;
    if (jacobian_.solver() == LinearSolver::iterative && !precondition()) jacobian_.rescue();
    {
        const ScopedTimer timer(timers_, "assembly");
        assemble(false);
        jacobian_.take_symmetric(assembly);
        std::vector<Mat12> local(contacts.size());
        parallel_for(contacts.size(), [&](std::size_t i) {
            const auto friction = friction_of(contacts[i]);
            if (!friction) return;
            const bool analytic = options_.friction_jacobian == FrictionJacobian::analytic;
            local[i] = analytic ? implicit_friction_jacobian_analytic(*friction, contacts[i], x_, potential_.q_bar())
                                : implicit_friction_jacobian(*friction, contacts[i], x_, potential_.q_bar());
        });
        for (std::size_t i = 0; i < contacts.size(); ++i) {
            if (!friction_of(contacts[i])) continue;
            assembly.for_each_block(contacts[i].vertices, contacts[i].vertex_count(), local[i],
                                    [&](Index row, Index column, const Mat3& block) { jacobian_.add(row, column, block); });
        }
    }
    const ScopedTimer timer(timers_, "solve");
    return jacobian_.finish();
}

bool ImplicitSolve::precondition() {
    {
        const ScopedTimer timer(timers_, "assembly");
        potential_.set_friction(potential_.lag_friction(x_, contacts_, potential_.stiffness()));
        assemble(true);
        potential_.set_friction({});
    }
    const ScopedTimer timer(timers_, "solve");
    return jacobian_.precondition(workspace_.assembly);
}

bool ImplicitSolve::accepts(const VecX& r, const VecX& p, double measure, double alpha) {
    if (!r.allFinite()) return false;
    const double after = jacobian_.measure(r, workspace_.assembly);
    const bool enough = jacobian_.solver() == LinearSolver::direct ? after <= (1.0 - 0.5 * alpha) * measure : is_sufficient_decrease(after, measure, alpha, sigma_);
    // A step at the rounding of positions cannot be told from its neighbours.
    return enough || (std::isfinite(after) && infinity_norm(p) < 1e-13 * infinity_norm(x_));
}

bool ImplicitSolve::line_search(const VecX& p, double measure, double& alpha) {
    StepBound bound;
    {
        const ScopedTimer timer(timers_, "ccd");
        bound = feasible_step_bound(world_, workspace_.detection, x_, p, options_.ccd_slack);
    }
    report_.ccd_queries += bound.ccd_queries;
    const ScopedTimer timer(timers_, "line_search");
    for (alpha = bound.fraction; alpha > smallest_step * bound.fraction; alpha *= 0.5) {
        ++report_.line_search;
        const VecX trial = x_ + alpha * p;
        ContactSet trial_contacts = workspace_.detection.contacts(trial, potential_.dhat());
        if (!accepts(residual(trial, trial_contacts), p, measure, alpha)) continue;
        x_ = trial;
        contacts_ = std::move(trial_contacts);
        if (keeps_path_) path_.push_back(x_);
        return true;
    }
    alpha = 0.0;
    return false;
}

VecX ImplicitSolve::residual(const VecX& x, const ContactSet& contacts) const { return potential_.gradient(x, contacts) + friction_residual(x, contacts); }

VecX ImplicitSolve::friction_residual(const VecX& x, const ContactSet& contacts) const {
    std::vector<Vec12> local(contacts.contacts.size(), Vec12::Zero());
    parallel_for(local.size(), [&](std::size_t i) {
        const auto friction = friction_of(contacts.contacts[i]);
        if (friction) local[i] = implicit_friction_residual(*friction, contacts.contacts[i], x, potential_.q_bar());
    });
    VecX result = VecX::Zero(x.size());
    for (std::size_t i = 0; i < local.size(); ++i) {
        const Contact& contact = contacts.contacts[i];
        for (int k = 0; k < contact.vertex_count(); ++k) result.segment<3>(3 * contact.vertices[static_cast<std::size_t>(k)]) += local[i].segment<3>(3 * k);
    }
    return result;
}

std::optional<ImplicitFriction> ImplicitSolve::friction_of(const Contact& contact) const {
    const Index a = world_.body_of_vertex[static_cast<std::size_t>(contact.vertices[0])];
    const Index b = world_.body_of_vertex[static_cast<std::size_t>(contact.vertices[static_cast<std::size_t>(contact.vertex_count() - 1)])];
    const double coefficient = world_.friction(a, b);
    if (coefficient == 0.0) return std::nullopt;
    return ImplicitFriction{potential_.friction_law(), potential_.stiffness(), potential_.dhat() * potential_.dhat(), coefficient, world_.friction.kinetic_ratio(a, b)};
}

void ImplicitSolve::report_moves(MoveSink* sink) const {
    if (sink == nullptr) return;
    for (std::size_t k = 1; k < path_.size(); ++k) sink->accepted_move(path_[k - 1], path_[k]);
}

void ImplicitSolve::fill_forces(StepResult& result) const {
    const double per_newton = lagged_.stage().scale() * lagged_.stage().scale();
    result.contact_force = potential_.barrier_gradient_sum(x_, contacts_) * (-potential_.stiffness() / per_newton);
    result.friction_force = friction_residual(x_, contacts_) * (-1.0 / per_newton);
    result.contact_state = contact_states(world_, contacts_, x_, potential_.q_bar(), potential_.friction_law().sticking_slip);
}

void ImplicitSolve::fill_phases() const {
    for (const auto& [phase, ms] : timers_.milliseconds()) report_.phases_ms[phase] += ms;
}

void ImplicitSolve::fill_report() const {
    report_.contacts = static_cast<int>(contacts_.contacts.size());
    report_.min_gap = contacts_.min_distance;
}

bool ImplicitSolve::stalled(std::string why) {
    stall_ = std::move(why);
    return false;
}

}  // namespace stiction
