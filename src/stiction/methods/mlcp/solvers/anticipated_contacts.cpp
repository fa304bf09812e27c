#include "stiction/methods/mlcp/solvers/anticipated_contacts.hpp"

#include "stiction/base/parallel.hpp"

#include <algorithm>

namespace stiction::mlcp {

AnticipatedContacts::AnticipatedContacts(const ContactProblem& problem, std::span<const Mat3> inverse_diagonal)
    : problem_(problem), laws_(problem.contacts.size()), moves_(problem.contacts.size()) {
    parallel_for(laws_.size(), [&](std::size_t k) {
        const ContactConstraint& contact = problem.contacts[k];
        Mat3 W = Mat3::Zero();
        for (int i = 0; i < contact.node_count; ++i) {
            const auto place = static_cast<std::size_t>(i);
            moves_[k][place] =
                inverse_diagonal[static_cast<std::size_t>(contact.nodes[place])] * contact.jacobian[place].transpose();
            W += contact.jacobian[place] * moves_[k][place];
        }
        laws_[k] = CoulombContact(0.5 * (W + W.transpose()), contact.friction, contact.kinetic_ratio);
    });
}

void AnticipatedContacts::solve(double tolerance, int max_sweeps, VecX& w, VecX& f) const {
    for (std::size_t k = 0; k < laws_.size(); ++k) move(k, f.segment<3>(3 * static_cast<Eigen::Index>(k)), w);
    for (int sweep = 1; sweep <= max_sweeps; ++sweep) {
        double change = 0.0;
        for (std::size_t k = 0; k < laws_.size(); ++k) {
            const auto at = 3 * static_cast<Eigen::Index>(k);
            const Vec3 old = f.segment<3>(at);
            const Vec3 now = laws_[k].solve(relative_motion(problem_.contacts[k], w) - laws_[k].response() * old);
            if (now == old) continue;
            f.segment<3>(at) = now;
            move(k, now - old, w);
            change = std::max(change, (laws_[k].response() * (now - old)).norm());
        }
        if (change <= tolerance) return;
    }
}

void AnticipatedContacts::move(std::size_t k, const Vec3& force, VecX& w) const {
    const ContactConstraint& contact = problem_.contacts[k];
    for (int i = 0; i < contact.node_count; ++i) {
        w.segment<3>(3 * static_cast<Eigen::Index>(contact.nodes[static_cast<std::size_t>(i)])) +=
            moves_[k][static_cast<std::size_t>(i)] * force;
    }
}

}  // namespace stiction::mlcp
