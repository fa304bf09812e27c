// Residual, Jacobian and step bound of the balance with the barrier.
#include "stiction/methods/implicit/barrier_balance.hpp"

#include "stiction/barrier/contact_list.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/contact/barrier_stencil.hpp"
#include "stiction/dynamics/contact_state.hpp"

#include <algorithm>

namespace stiction::implicit {

BarrierBalance::BarrierBalance(const World& world, const BarrierSolve& lagged, const Options& options,
                               BarrierWorkspace& workspace, JacobianSolver& jacobian, const StepInput& input,
                               StepReport& report)
    : BalanceNewton(workspace.assembly, jacobian,
                    {implicit_tolerance(options, lagged.limits().friction_velocity), options.max_implicit_iterations,
                     lagged.stage().stopping_scale(), input.watch},
                    report, lagged.x()),
      world_(world),
      lagged_(lagged),
      options_(options),
      workspace_(workspace),
      keeps_path_(input.moves != nullptr),
      potential_(lagged.potential().incremental()),
      barrier_(lagged.potential().barrier()),
      friction_law_(lagged.potential().friction_law()),
      contacts_(lagged.contacts()) {
    if (keeps_path_) path_ = {x_};
}

double BarrierBalance::length_of(const VecX& p) const {
    const bool is_share = options_.implicit_tolerance == 0.0 && options_.friction_velocity == 0.0;
    return is_share ? largest_over_share(world_, p) : BalanceNewton::length_of(p);
}

void BarrierBalance::assemble(bool stand_in) {
    const auto& contacts = contacts_.contacts;
    if (std::any_of(contacts.begin(), contacts.end(),
                    [&](const Contact& contact) { return !assembly_.covers(contact.vertices); })) {
        assembly_.extend(workspace_.detection.near(x_, workspace_.detection.reach()));
    }
    assembly_.set_zero();
    potential_.add_hessian(x_, stand_in, assembly_);
    barrier_.add_hessian(x_, contacts_, stand_in, assembly_);
    if (stand_in) {
        const FrictionTerm friction{friction_law_, lag_friction(world_, x_, contacts_, barrier_)};
        friction.add_hessian(x_, lagged_.potential().slip_origin(), assembly_);
    }
    potential_.add_pull_hessian(assembly_);
    assembly_.finish();
}

void BarrierBalance::add_rest(JacobianSolver& jacobian) {
    const auto& contacts = contacts_.contacts;
    std::vector<Mat12> local(contacts.size());
    parallel_for(contacts.size(), [&](std::size_t i) {
        const auto friction = friction_of(contacts[i]);
        if (!friction) return;
        const bool analytic = options_.friction_jacobian == FrictionJacobian::analytic;
        local[i] = analytic ? implicit_friction_jacobian_analytic(*friction, contacts[i], x_,
                                                                  lagged_.potential().slip_origin())
                            : implicit_friction_jacobian(*friction, contacts[i], x_, lagged_.potential().slip_origin());
    });
    for (std::size_t i = 0; i < contacts.size(); ++i) {
        if (!friction_of(contacts[i])) continue;
        assembly_.for_each_block(contacts[i].vertices, contacts[i].vertex_count(), local[i],
                                 [&](Index row, Index column, const Mat3& block) { jacobian.add(row, column, block); });
    }
}

void BarrierBalance::describe(IterationTrace& trace) const {
    trace.stiffness = barrier_.stiffness;
    trace.contacts = static_cast<int>(contacts_.contacts.size());
}

double BarrierBalance::step_bound(const VecX& p) {
    const StepBound bound = feasible_step_bound(world_, workspace_.detection, x_, p, options_.ccd_slack);
    report_.ccd_queries += bound.ccd_queries;
    return bound.fraction;
}

VecX BarrierBalance::trial_residual(const VecX& trial) {
    trial_contacts_ = workspace_.detection.contacts(trial, barrier_.dhat);
    return residual(trial, trial_contacts_);
}

void BarrierBalance::take_trial() {
    contacts_ = std::move(trial_contacts_);
    if (keeps_path_) path_.push_back(x_);
}

VecX BarrierBalance::residual(const VecX& x, const ContactSet& contacts) const {
    return potential_.gradient(x) + barrier_.stiffness * barrier_.unit_gradient(x, contacts) +
           friction_residual(x, contacts);
}

VecX BarrierBalance::friction_residual(const VecX& x, const ContactSet& contacts) const {
    std::vector<Vec12> local(contacts.contacts.size(), Vec12::Zero());
    parallel_for(local.size(), [&](std::size_t i) {
        const auto friction = friction_of(contacts.contacts[i]);
        if (friction)
            local[i] =
                implicit_friction_residual(*friction, contacts.contacts[i], x, lagged_.potential().slip_origin());
    });
    VecX result = VecX::Zero(x.size());
    for (std::size_t i = 0; i < local.size(); ++i) {
        const Contact& contact = contacts.contacts[i];
        for (int k = 0; k < contact.vertex_count(); ++k)
            result.segment<3>(3 * contact.vertices[static_cast<std::size_t>(k)]) += local[i].segment<3>(3 * k);
    }
    return result;
}

std::optional<ImplicitFriction> BarrierBalance::friction_of(const Contact& contact) const {
    const auto [a, b] = bodies_of(world_, contact);
    const double coefficient = world_.friction(a, b);
    if (coefficient == 0.0) return std::nullopt;
    return ImplicitFriction{friction_law_.of_pair(world_.length_share(a, b)), barrier_.stiffness,
                            barrier_.dhat * barrier_.dhat, coefficient, world_.friction.kinetic_ratio(a, b)};
}

void BarrierBalance::report_moves(MoveSink* sink) const {
    if (sink == nullptr) return;
    for (std::size_t k = 1; k < path_.size(); ++k) sink->accepted_move(path_[k - 1], path_[k]);
}

void BarrierBalance::fill_forces(bool listed, StepResult& result) const {
    const double per_newton = lagged_.stage().scale() * lagged_.stage().scale();
    result.contact_force = barrier_.unit_gradient(x_, contacts_) * (-barrier_.stiffness / per_newton);
    result.friction_force = friction_residual(x_, contacts_) * (-1.0 / per_newton);
    result.report.contact_energy = barrier_.value(x_, contacts_) / per_newton;
    result.contact_state = contact_states(world_, contacts_, x_, lagged_.potential().slip_origin(), friction_law_);
    result.contacts.clear();
    if (listed) result.contacts = list_contacts();
}

std::vector<ContactForce> BarrierBalance::list_contacts() const {
    const double scale = lagged_.stage().scale();
    std::vector<ContactForce> list = stiction::list_contacts(
        world_, contacts_, barrier_, {x_, lagged_.potential().slip_origin(), friction_law_, scale});
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto friction = friction_of(contacts_.contacts[i]);
        if (!friction) continue;
        const auto [normal_force, slip] =
            contact_slip(*friction, contacts_.contacts[i], x_, lagged_.potential().slip_origin());
        const double over_slip = friction->law.over_slip(slip.norm(), friction->kinetic_ratio);
        list[i].friction_force = -friction->coefficient * normal_force * over_slip / (scale * scale) * slip;
    }
    return list;
}

void BarrierBalance::fill_report() const {
    report_.contacts = static_cast<int>(contacts_.contacts.size());
    report_.min_gap = contacts_.min_gap;
}

}  // namespace stiction::implicit
