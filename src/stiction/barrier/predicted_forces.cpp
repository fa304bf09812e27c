#include "stiction/barrier/predicted_forces.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/base/parallel_sort.hpp"
#include "stiction/contact/barrier_stencil.hpp"
#include "stiction/contact/contact_pair.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

/// A predicted force counts as at most this many times the present one, and as at least its inverse.
constexpr double largest_ratio = 30.0;
/// Closer to the present force, the tangent does as well.
constexpr double same_force = 0.1;
/// Above this part of dhat, contacts that are to bear less keep their tangent: most of them open by themselves.
constexpr double opening_gap = 0.3;
/// Part of a direction below which it counts as cut. Only then are contacts pushed off: where bodies strike softly,
/// pushing costs more iterations than it saves.
constexpr double cut_part = 0.1;
/// Part of the stiffness of a contact's vertices alone that pushes: in the scene they give way together.
constexpr double pushing_part = 0.3;

bool has_chord(const Contact& contact) {
    return contact.kind != ContactKind::mollified_pair && contact.multiplicity > 0.0;
}

double gap_of(const Contact& contact) {
    return std::sqrt(contact.squared_gap());
}

double force_of(const Contact& contact, double dhat) {
    return barrier_force(contact.squared_gap(), contact.squared_reach(dhat * dhat));
}

}  // namespace

std::optional<double> PredictedForces::find(const Contact& contact) const {
    const ContactKey key = stencil_key(contact);
    const auto entry = std::ranges::lower_bound(forces_, key, {}, &Entry::first);
    if (entry == forces_.end() || entry->first != key) return std::nullopt;
    return entry->second;
}

ScalarJet PredictedForces::barrier(const Contact& contact, double stiffness) const {
    ScalarJet b = contact_barrier(contact, dhat_ * dhat_);
    const std::optional<double> predicted = has_chord(contact) ? find(contact) : std::nullopt;
    if (!predicted) return b;
    const double gap = gap_of(contact), present = force_of(contact, dhat_), dhat = contact.share * dhat_;
    const double force = std::clamp(*predicted / stiffness, present / largest_ratio, present * largest_ratio);
    if (std::abs(force - present) <= same_force * present || (force < present && gap > opening_gap * dhat)) return b;
    b.second = (barrier_chord(gap, force, dhat) - 2.0 * b.first) / (4.0 * contact.squared_distance);
    return b;
}

void PredictedForces::update(const VecX& x, const ContactSet& contacts, double stiffness, const Move& move) {
    std::vector<Entry> next(contacts.contacts.size());
    std::vector<char> kept(next.size(), 0);
    parallel_for(next.size(), [&](std::size_t i) {
        const Contact& contact = contacts.contacts[i];
        if (!has_chord(contact)) return;
        const ContactPair pair = stencil_pair(contact, x);
        const double change = pair.normal.dot(pair.relative(move.direction));
        const ScalarJet b = barrier(contact, stiffness);
        const double slope = slope_over_distance(b, contact.squared_distance);
        double force = stiffness * std::max(0.0, force_of(contact, dhat_) - slope * change);
        if (move.part < cut_part) force += push(contact, pair.weights, change);
        next[i] = {pair.key, force};
        kept[i] = 1;
    });
    forces_.clear();
    for (std::size_t i = 0; i < next.size(); ++i) {
        if (kept[i]) forces_.push_back(next[i]);
    }
    parallel_sort(forces_);
}

void PredictedForces::add_new(const VecX& x, const ContactSet& contacts, double stiffness, const Move& move) {
    if (move.part >= cut_part) return;
    std::vector<Entry> added;
    for (const Contact& contact : contacts.contacts) {
        if (!has_chord(contact) || find(contact)) continue;
        const ContactPair pair = stencil_pair(contact, x);
        const double more = push(contact, pair.weights, pair.normal.dot(pair.relative(move.direction)));
        if (more > 0.0) added.push_back({pair.key, stiffness * force_of(contact, dhat_) + more});
    }
    forces_.insert(forces_.end(), added.begin(), added.end());
    parallel_sort(forces_);
}

double PredictedForces::push(const Contact& contact, const Vec4& weights, double change) const {
    const double through = -change - gap_of(contact);
    if (through <= 0.0 || vertex_stiffness_.empty()) return 0.0;
    double compliance = 0.0;
    for (int k = 0; k < contact.vertex_count(); ++k) {
        const auto vertex = static_cast<std::size_t>(contact.vertices[static_cast<std::size_t>(k)]);
        if (weights[k] != 0.0) compliance += weights[k] * weights[k] / vertex_stiffness_[vertex];
    }
    return compliance > 0.0 ? pushing_part * through / (compliance * contact.multiplicity) : 0.0;
}

}  // namespace stiction
