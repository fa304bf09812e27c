#include "stiction/methods/mlcp/solvers/anticipated_contacts.hpp"

#include "stiction/base/parallel.hpp"

#include <algorithm>

namespace stiction::mlcp {

AnticipatedContacts::AnticipatedContacts(const ConstraintMatrix& constraints,
                                         const std::function<Mat3(Index)>& inverse_diagonal)
    : constraints_(constraints),
      inverse_(constraints.touched().size()),
      places_(constraints.places_in_touched()),
      laws_(constraints.size()) {
    parallel_for(inverse_.size(), [&](std::size_t t) { inverse_[t] = inverse_diagonal(constraints.touched()[t]); });
    parallel_for(laws_.size(), [&](std::size_t k) {
        const Mat3 W = constraints.response(
            k, [&](std::size_t i) -> const Mat3& { return inverse_[static_cast<std::size_t>(places_[k][i])]; });
        const ContactConstraint& contact = constraints.contacts()[k];
        laws_[k] = CoulombContact(0.5 * (W + W.transpose()), contact.friction, contact.kinetic_ratio);
    });
}

double AnticipatedContacts::solve(double tolerance, int max_sweeps, VecX& w, VecX& f) const {
    // A contact is solved again where one of its nodes has been moved since it was solved last.
    long clock = 1;
    std::size_t count = 0;
    std::vector<long> moved(inverse_.size(), clock), solved(laws_.size(), 0);
    for (int sweep = 1; sweep <= max_sweeps; ++sweep) {
        bool changed = false;
        for (std::size_t k = 0; k < laws_.size(); ++k) {
            const ContactConstraint& contact = constraints_.contacts()[k];
            const auto& places = places_[k];
            const auto is_news = [&](Index place) { return moved[static_cast<std::size_t>(place)] > solved[k]; };
            if (std::none_of(places.begin(), places.end(), is_news)) continue;
            solved[k] = clock;
            ++count;
            const auto at = 3 * static_cast<Eigen::Index>(k);
            const Vec3 old = f.segment<3>(at);
            const Vec3 motion = constraints_.motion(k, w) - contact.target;
            const Vec3 now = laws_[k].solve(motion - laws_[k].response() * old);
            if (now == old) continue;
            f.segment<3>(at) = now;
            constraints_.visit_forces(k, now - old, [&](std::size_t i, const Vec3& force) {
                const auto node = static_cast<Eigen::Index>(contact.nodes[i]);
                w.segment<3>(3 * node) += inverse_[static_cast<std::size_t>(places[i])] * force;
            });
            if (!((laws_[k].response() * (now - old)).norm() > contact.share * tolerance)) continue;
            changed = true;
            solved[k] = ++clock;
            for (const Index place : places) moved[static_cast<std::size_t>(place)] = clock;
        }
        if (!changed) break;
    }
    return laws_.empty() ? 0.0 : static_cast<double>(count) / static_cast<double>(laws_.size());
}

}  // namespace stiction::mlcp
