#include "stiction/barrier/barrier_term.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/contact/barrier_stencil.hpp"
#include "stiction/dynamics/stencil_gradients.hpp"

#include <numeric>
#include <utility>

namespace stiction {

std::vector<double> BarrierTerm::values(const VecX& x, const ContactSet& contacts) const {
    std::vector<double> result(contacts.contacts.size());
    parallel_for(result.size(),
                 [&](std::size_t i) { result[i] = stiffness * barrier_value(contacts.contacts[i], x, dhat * dhat); });
    return result;
}

double BarrierTerm::value(const VecX& x, const ContactSet& contacts) const {
    const std::vector<double> all = values(x, contacts);
    return std::accumulate(all.begin(), all.end(), 0.0);
}

VecX BarrierTerm::unit_gradient(const VecX& x, const ContactSet& contacts, double* force_sum) const {
    std::vector<Vec12> local(contacts.contacts.size());
    parallel_for(local.size(),
                 [&](std::size_t i) { local[i] = barrier_gradient(contacts.contacts[i], x, dhat * dhat); });
    if (force_sum) *force_sum += stiffness * absolute_sum(local);
    VecX gradient = VecX::Zero(x.size());
    for (std::size_t i = 0; i < local.size(); ++i)
        add_stencil_gradient(contacts.contacts[i].vertices, contacts.contacts[i].vertex_count(), local[i], gradient);
    return gradient;
}

void BarrierTerm::add_hessian(const VecX& x, const ContactSet& contacts, bool project, HessianAssembly& assembly,
                              const PredictedForces* predicted) const {
    const auto hessian = [&](std::size_t i) -> Mat12 {
        const Contact& contact = contacts.contacts[i];
        const ScalarJet b = predicted ? predicted->barrier(contact, stiffness) : contact_barrier(contact, dhat * dhat);
        return stiffness * barrier_hessian(contact, x, project, b);
    };
    assembly.add_stencils(contacts.contacts.size(), hessian, [&](std::size_t i) {
        const Contact& contact = contacts.contacts[i];
        const int count = contact.vertex_count();
        return std::pair(contact.vertices, assembly.moves(contact.vertices, count) ? count : 0);
    });
}

}  // namespace stiction
