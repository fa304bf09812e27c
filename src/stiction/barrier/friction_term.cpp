#include "stiction/barrier/friction_term.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/contact/barrier_stencil.hpp"
#include "stiction/dynamics/contact_state.hpp"
#include "stiction/dynamics/stencil_gradients.hpp"
#include "stiction/mesh/marked_vertices.hpp"

#include <algorithm>
#include <utility>

namespace stiction {

std::vector<LaggedFriction> lag_friction(const World& world, const VecX& x, const ContactSet& contacts,
                                         const BarrierTerm& barrier) {
    std::vector<LaggedFriction> result;
    if (world.friction.frictionless()) return result;
    for (const Contact& contact : contacts.contacts) {
        const auto [a, b] = bodies_of(world, contact);
        const double coefficient = world.friction(a, b);
        if (coefficient == 0.0) continue;
        const bool mollified = contact.kind == ContactKind::mollified_pair;
        const double normal_force =
            barrier.stiffness * contact.multiplicity * mollifier(contact, x) *
            barrier_force(contact.squared_gap(), contact.squared_reach(barrier.dhat * barrier.dhat));
        // Edges that are parallel do not push.
        if (normal_force == 0.0) continue;
        result.push_back({mollified ? contact_pair(contact, x) : stencil_pair(contact, x), coefficient * normal_force,
                          world.friction.kinetic_ratio(a, b), world.length_share(a, b)});
    }
    return result;
}

std::vector<double> FrictionTerm::values(const VecX& x, const VecX& q_bar) const {
    std::vector<double> result(contacts.size());
    parallel_for(contacts.size(), [&](std::size_t i) {
        result[i] = friction_energy(contacts[i], tangential_displacement(contacts[i], x, q_bar), law);
    });
    return result;
}

VecX FrictionTerm::gradient(const VecX& x, const VecX& q_bar, double* force_sum) const {
    std::vector<Vec12> local(contacts.size());
    parallel_for(local.size(), [&](std::size_t i) {
        local[i] = friction_gradient(contacts[i], tangential_displacement(contacts[i], x, q_bar), law);
    });
    if (force_sum) *force_sum += absolute_sum(local);
    VecX gradient = VecX::Zero(x.size());
    for (std::size_t i = 0; i < local.size(); ++i)
        add_stencil_gradient(contacts[i].pair.key.vertices, contacts[i].pair.vertex_count(), local[i], gradient);
    return gradient;
}

void FrictionTerm::add_hessian(const VecX& x, const VecX& q_bar, HessianAssembly& assembly) const {
    const auto hessian = [&](std::size_t i) -> Mat12 {
        const Vec2 u = tangential_displacement(contacts[i], x, q_bar);
        return friction_hessian(contacts[i], u, law, directions.empty() ? slip_direction(u) : directions[i]);
    };
    assembly.add_stencils(contacts.size(), hessian, [&](std::size_t i) {
        const ContactPair& pair = contacts[i].pair;
        const int count = pair.vertex_count();
        return std::pair(pair.key.vertices, assembly.moves(pair.key.vertices, count) ? count : 0);
    });
}

void FrictionTerm::update_directions(const VecX& x, const VecX& q_bar, const VecX& p, const std::vector<char>& marked) {
    const VecX end = x + p;
    parallel_for(contacts.size(), [&](std::size_t i) {
        if (!any_marked(contacts[i].pair.key.vertices, marked)) return;
        const Vec2 u = tangential_displacement(contacts[i], x, q_bar);
        const Vec2 move = tangential_displacement(contacts[i], end, x);
        directions[i] = next_slip_direction(contacts[i], u, law, directions[i], move);
    });
}

double FrictionTerm::linearisation_error(const VecX& x, const VecX& q_bar, const VecX& move) const {
    const VecX end = x + move;
    double limits = 0.0, errors = 0.0;
    for (const LaggedFriction& contact : contacts) {
        const double limit = std::max(contact.force_limit, 0.0);
        const Vec2 u = tangential_displacement(contact, x, q_bar), v = tangential_displacement(contact, end, q_bar);
        const FrictionLaw own = law.of_pair(contact.slip_share);
        const double across = own.over_slip(u.norm(), contact.kinetic_ratio);
        const double along = own.derivative(u.norm(), contact.kinetic_ratio);
        const Vec2 d = slip_direction(u);
        const Vec2 predicted = across * v + (along - across) * d.dot(v - u) * d;
        const Vec2 real = own.over_slip(v.norm(), contact.kinetic_ratio) * v;
        limits += limit;
        errors += limit * std::min((predicted - real).norm(), 1.0);
    }
    return limits > 0.0 ? errors / limits : 0.0;
}

}  // namespace stiction
