#include "stiction/methods/mlcp/solvers/anticipated_contacts.hpp"

#include "stiction/base/parallel.hpp"

#include <algorithm>
#include <numeric>

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
    begin_.assign(inverse_diagonal.size() + 1, 0);
    const auto for_each_node = [&](const auto& visit) {
        for (std::size_t k = 0; k < laws_.size(); ++k)
            for (int i = 0; i < problem.contacts[k].node_count; ++i)
                visit(k, static_cast<std::size_t>(problem.contacts[k].nodes[static_cast<std::size_t>(i)]));
    };
    for_each_node([&](std::size_t, std::size_t node) { ++begin_[node + 1]; });
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    at_node_.resize(begin_.back());
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for_each_node([&](std::size_t k, std::size_t node) { at_node_[next[node]++] = k; });
}

void AnticipatedContacts::solve(double tolerance, int max_sweeps, VecX& w, VecX& f) const {
    for (std::size_t k = 0; k < laws_.size(); ++k) move(k, f.segment<3>(3 * static_cast<Eigen::Index>(k)), w);
    std::vector<char> waiting(laws_.size(), 1);
    for (int sweep = 1; sweep <= max_sweeps; ++sweep) {
        bool changed = false;
        for (std::size_t k = 0; k < laws_.size(); ++k) {
            if (!waiting[k]) continue;
            waiting[k] = 0;
            const auto at = 3 * static_cast<Eigen::Index>(k);
            const Vec3 old = f.segment<3>(at);
            const Vec3 now = laws_[k].solve(relative_motion(problem_.contacts[k], w) - laws_[k].response() * old);
            if (now == old) continue;
            f.segment<3>(at) = now;
            move(k, now - old, w);
            if (!((laws_[k].response() * (now - old)).norm() > tolerance)) continue;
            changed = true;
            mark_neighbours(k, waiting);
        }
        if (!changed) return;
    }
}

/// Contacts that share a node with contact k have to be solved again; its own law holds.
void AnticipatedContacts::mark_neighbours(std::size_t k, std::vector<char>& waiting) const {
    const ContactConstraint& contact = problem_.contacts[k];
    for (int i = 0; i < contact.node_count; ++i) {
        const auto node = static_cast<std::size_t>(contact.nodes[static_cast<std::size_t>(i)]);
        for (std::size_t e = begin_[node]; e < begin_[node + 1]; ++e) waiting[at_node_[e]] = 1;
    }
    waiting[k] = 0;
}

void AnticipatedContacts::move(std::size_t k, const Vec3& force, VecX& w) const {
    const ContactConstraint& contact = problem_.contacts[k];
    for (int i = 0; i < contact.node_count; ++i) {
        w.segment<3>(3 * static_cast<Eigen::Index>(contact.nodes[static_cast<std::size_t>(i)])) +=
            moves_[k][static_cast<std::size_t>(i)] * force;
    }
}

}  // namespace stiction::mlcp
