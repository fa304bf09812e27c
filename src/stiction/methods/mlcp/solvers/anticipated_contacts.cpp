#include "stiction/methods/mlcp/solvers/anticipated_contacts.hpp"

#include "stiction/base/parallel.hpp"

#include <algorithm>

namespace stiction::mlcp {

AnticipatedContacts::AnticipatedContacts(const ContactProblem& problem,
                                         const std::function<Mat3(Index)>& inverse_diagonal)
    : problem_(problem),
      laws_(problem.contacts.size()),
      moves_(problem.contacts.size()),
      nodes_(static_cast<std::size_t>(problem.matrix->nodes())) {
    parallel_for(laws_.size(), [&](std::size_t k) {
        const ContactConstraint& contact = problem.contacts[k];
        Mat3 W = Mat3::Zero();
        for (int i = 0; i < contact.node_count; ++i) {
            const auto place = static_cast<std::size_t>(i);
            moves_[k][place] = inverse_diagonal(contact.nodes[place]) * contact.jacobian[place].transpose();
            W += contact.jacobian[place] * moves_[k][place];
        }
        laws_[k] = CoulombContact(0.5 * (W + W.transpose()), contact.friction, contact.kinetic_ratio);
    });
}

void AnticipatedContacts::solve(double tolerance, int max_sweeps, VecX& w, VecX& f) const {
    // A contact is solved again where one of its nodes has been moved since it was solved last.
    long clock = 1;
    std::vector<long> moved(nodes_, clock), solved(laws_.size(), 0);
    for (int sweep = 1; sweep <= max_sweeps; ++sweep) {
        bool changed = false;
        for (std::size_t k = 0; k < laws_.size(); ++k) {
            const ContactConstraint& contact = problem_.contacts[k];
            const auto nodes = std::span(contact.nodes).first(static_cast<std::size_t>(contact.node_count));
            const auto is_news = [&](Index node) { return moved[static_cast<std::size_t>(node)] > solved[k]; };
            if (std::none_of(nodes.begin(), nodes.end(), is_news)) continue;
            solved[k] = clock;
            const auto at = 3 * static_cast<Eigen::Index>(k);
            const Vec3 old = f.segment<3>(at);
            const Vec3 now = laws_[k].solve(relative_motion(contact, w) - laws_[k].response() * old);
            if (now == old) continue;
            f.segment<3>(at) = now;
            move(k, now - old, w);
            if (!((laws_[k].response() * (now - old)).norm() > tolerance)) continue;
            changed = true;
            solved[k] = ++clock;
            for (const Index node : nodes) moved[static_cast<std::size_t>(node)] = clock;
        }
        if (!changed) return;
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
