// Residual, Jacobian and step bound of the balance with the penalty.
#include "stiction/methods/implicit/penalty/balance.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/contact/penalty.hpp"
#include "stiction/dynamics/feasible_step.hpp"
#include "stiction/nonlinear/stopping.hpp"

#include <algorithm>

namespace stiction::implicit {
namespace {

/// Share of an implicit surface's radius that an iteration may cross: the force is felt before the surface is lost.
constexpr double crossed_share = 0.5;
/// Room in the matrix is made for gaps up to this many thicknesses.
constexpr double covered_thicknesses = 3.0;

}  // namespace

PenaltyBalance::PenaltyBalance(const World& world, const IncrementalPotential& potential, const PenaltyForce& force,
                               const NewtonLimits& limits, bool by_body, PenaltyDetection& detection,
                               HessianAssembly& assembly, JacobianSolver& jacobian, StepReport& report, VecX start)
    : BalanceNewton(assembly, jacobian, limits, report, std::move(start)),
      world_(world),
      potential_(potential),
      force_(force),
      by_body_(by_body),
      detection_(detection) {}

VecX PenaltyBalance::first_residual() {
    contacts_ = detection_.contacts(x_, force_.thickness);
    return residual(x_, contacts_);
}

VecX PenaltyBalance::trial_residual(const VecX& trial) {
    trial_contacts_ = detection_.contacts(trial, force_.thickness);
    return residual(trial, trial_contacts_);
}

VecX PenaltyBalance::residual(const VecX& x, const PenaltyContacts& contacts) const {
    const PenaltyContactForces sum = forces(x, contacts);
    return potential_.gradient(x) - force_.scale * force_.scale * (sum.normal + sum.friction);
}

PenaltyContactForces PenaltyBalance::forces(const VecX& x, const PenaltyContacts& contacts) const {
    std::vector<PenaltyContactForces> local(contacts.contacts.size());
    parallel_for(
        local.size(),
        [&](std::size_t i) {
            local[i] =
                penalty_forces(detection_.surfaces(), contacts, contacts.contacts[i], force_, x, potential_.q_bar());
        },
        8);
    PenaltyContactForces sum{VecX::Zero(x.size()), VecX::Zero(x.size())};
    for (std::size_t i = 0; i < local.size(); ++i) {
        const std::vector<Index>& vertices = contacts.contacts[i].vertices;
        for (std::size_t k = 0; k < vertices.size(); ++k) {
            const auto row = 3 * static_cast<Eigen::Index>(k);
            sum.normal.segment<3>(3 * vertices[k]) += local[i].normal.segment<3>(row);
            sum.friction.segment<3>(3 * vertices[k]) += local[i].friction.segment<3>(row);
        }
    }
    return sum;
}

double PenaltyBalance::step_bound(const VecX& p) {
    return std::min(element_step_bound(world_, x_, p), detection_.reach_bound(x_, p, crossed_share));
}

void PenaltyBalance::cover() {
    const auto pairs = [](const PenaltyContact& contact, const auto& visit) {
        for (std::size_t a = 0; a < contact.vertices.size(); ++a) {
            for (std::size_t b = a + 1; b < contact.vertices.size(); ++b)
                visit(HessianAssembly::Stencil{contact.vertices[a], contact.vertices[b], -1, -1});
        }
    };
    bool covered = true;
    for (const PenaltyContact& contact : contacts_.contacts)
        pairs(contact, [&](const HessianAssembly::Stencil& pair) { covered = covered && assembly_.covers(pair); });
    if (covered) return;
    std::vector<HessianAssembly::Stencil> stencils;
    const PenaltyContacts near = detection_.contacts(x_, covered_thicknesses * force_.thickness);
    for (const PenaltyContact& contact : near.contacts)
        pairs(contact, [&](const HessianAssembly::Stencil& pair) { stencils.push_back(pair); });
    assembly_.extend(stencils);
}

template <class Matrix>
std::vector<Eigen::MatrixXd> PenaltyBalance::local_matrices(const Matrix& matrix) const {
    std::vector<Eigen::MatrixXd> local(contacts_.contacts.size());
    parallel_for(
        local.size(),
        [&](std::size_t i) {
            local[i] = matrix(detection_.surfaces(), contacts_, contacts_.contacts[i], force_, x_, potential_.q_bar());
        },
        4);
    return local;
}

void PenaltyBalance::assemble(bool stand_in) {
    cover();
    potential_.assemble(x_, stand_in, assembly_);
    if (!stand_in) return;
    const auto local = local_matrices(penalty_stand_in);
    for (std::size_t i = 0; i < local.size(); ++i) {
        const std::vector<Index>& vertices = contacts_.contacts[i].vertices;
        for (std::size_t a = 0; a < vertices.size(); ++a) {
            for (std::size_t b = a; b < vertices.size(); ++b) {
                assembly_.add_block(
                    vertices[a], vertices[b],
                    force_.scale * force_.scale *
                        local[i].block<3, 3>(3 * static_cast<Eigen::Index>(a), 3 * static_cast<Eigen::Index>(b)));
            }
        }
    }
}

void PenaltyBalance::add_rest(JacobianSolver& jacobian) {
    const auto local = local_matrices(penalty_jacobian);
    const auto add = [&](Index row, Index column, const Mat3& block) { jacobian.add(row, column, block); };
    for (std::size_t i = 0; i < local.size(); ++i) {
        const std::vector<Index>& vertices = contacts_.contacts[i].vertices;
        for (std::size_t a = 0; a < vertices.size(); ++a) {
            for (std::size_t b = 0; b < vertices.size(); ++b) {
                assembly_.for_each_block(
                    vertices[a], vertices[b],
                    force_.scale * force_.scale *
                        local[i].block<3, 3>(3 * static_cast<Eigen::Index>(a), 3 * static_cast<Eigen::Index>(b)),
                    add);
            }
        }
    }
}

void PenaltyBalance::describe(IterationTrace& trace) const {
    trace.stiffness = force_.stiffness;
    trace.contacts = static_cast<int>(contacts_.contacts.size());
}

double PenaltyBalance::length_of(const VecX& p) const {
    return by_body_ ? largest_over_share(world_, p) : BalanceNewton::length_of(p);
}

void PenaltyBalance::fill_forces(bool listed, StepResult& result) const {
    PenaltyContactForces sum = forces(x_, contacts_);
    result.contact_force = std::move(sum.normal);
    result.friction_force = std::move(sum.friction);
    result.report.contact_energy = 0.0;
    for (const PenaltyContact& contact : contacts_.contacts) {
        const PenaltyForce own = force_.of_pair(contact.share);
        result.report.contact_energy += penalty(contact.gap, own.thickness, own.stiffness).value;
    }
    result.contact_state = contact_states();
    result.contacts.clear();
    if (listed) result.contacts = list_contacts();
}

ContactState PenaltyBalance::contact_state(const PenaltyContact& contact) const {
    const double slip = penalty_slip(detection_.surfaces(), contacts_, contact, force_, x_, potential_.q_bar()).norm();
    const double sticking_slip = force_.law.of_pair(contact.share.slip).sticking_slip;
    return contact.friction > 0.0 && slip < sticking_slip ? ContactState::sticking : ContactState::sliding;
}

std::vector<ContactState> PenaltyBalance::contact_states() const {
    std::vector<ContactState> states(static_cast<std::size_t>(world_.vertex_count()), ContactState::none);
    for (const PenaltyContact& contact : contacts_.contacts) {
        const ContactState state = contact_state(contact);
        for (const Index vertex : contact.vertices) {
            ContactState& entry = states[static_cast<std::size_t>(vertex)];
            entry = std::max(entry, state);
        }
    }
    return states;
}

std::vector<ContactForce> PenaltyBalance::list_contacts() const {
    std::vector<ContactForce> list(contacts_.contacts.size());
    parallel_for(
        list.size(),
        [&](std::size_t i) {
            const PenaltyContact& contact = contacts_.contacts[i];
            list[i] = listed_contact(world_, detection_.surfaces(), contacts_, contact, force_, x_, potential_.q_bar());
            list[i].state = contact_state(contact);
        },
        8);
    return list;
}

void PenaltyBalance::fill_report() const {
    report_.contacts = static_cast<int>(contacts_.contacts.size());
    report_.min_gap = contacts_.min_gap;
}

}  // namespace stiction::implicit
