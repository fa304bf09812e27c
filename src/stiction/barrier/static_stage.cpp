#include "stiction/barrier/static_stage.hpp"

#include "stiction/dynamics/contact_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace stiction {
namespace {

/// Part of the friction limits that may be another than when friction was lagged, before it is lagged anew within a
/// solve.
constexpr double outdated_part = 0.5;
/// Refreshes within a Newton solve: each changes what is minimised.
constexpr int most_refreshes = 50;
/// Unbalanced force over the largest one with which a static stage may end: twice the tolerance of a solve with lagged
/// friction, and this without one.
constexpr double tolerated_imbalance = 0.03;

/// Steps (s) whose inertia holds the first solves: the first, the factor to the next, and a bound.
constexpr double first_held = 0.02, held_growth = 5.0, last_held = 10.0;

/// Limits of friction by contact, sorted.
std::vector<std::pair<ContactKey, double>> sorted_limits(const std::vector<LaggedFriction>& contacts) {
    std::vector<std::pair<ContactKey, double>> limits;
    limits.reserve(contacts.size());
    for (const LaggedFriction& contact : contacts) limits.emplace_back(contact.pair.key, contact.force_limit);
    std::ranges::sort(limits);
    return limits;
}

/// Sum of the differences between the limits of two lags, over the sum of the later ones; 0 without any.
double change_of_limits(const std::vector<LaggedFriction>& before, const std::vector<LaggedFriction>& now) {
    const auto old = sorted_limits(before);
    double changed = 0.0, all = 0.0;
    for (const auto& [key, limit] : sorted_limits(now)) {
        const auto same = std::ranges::lower_bound(old, key, {}, [](const auto& entry) { return entry.first; });
        const double last = same != old.end() && same->first == key ? same->second : 0.0;
        changed += std::abs(limit - last);
        all += std::abs(limit);
    }
    return all > 0.0 ? changed / all : 0.0;
}

/// Half of either friction. From lag to lag friction may go to and fro about where it would settle.
std::vector<LaggedFriction> mean_of(std::vector<LaggedFriction> before, std::vector<LaggedFriction> now) {
    constexpr double forgotten = 1e-3;  // of the largest limit
    double largest = 0.0;
    const auto key = [](const LaggedFriction& contact) { return contact.pair.key; };
    std::ranges::sort(before, {}, key);
    std::ranges::sort(now, {}, key);
    std::vector<LaggedFriction> mean;
    for (LaggedFriction& contact : now) {
        const auto same = std::ranges::lower_bound(before, contact.pair.key, {}, key);
        const bool known = same != before.end() && same->pair.key == contact.pair.key;
        contact.force_limit = 0.5 * (contact.force_limit + (known ? same->force_limit : 0.0));
        if (known) same->force_limit = 0.0;
        largest = std::max(largest, std::abs(contact.force_limit));
        mean.push_back(contact);
    }
    for (LaggedFriction& contact : before) {
        contact.force_limit *= 0.5;
        if (std::abs(contact.force_limit) > forgotten * largest) mean.push_back(contact);
    }
    return mean;
}

}  // namespace

void StaticStage::begin_newton(bool is_loose) {
    const bool wanted = keeps_up_ && model_.stage.is_static() && !is_loose && !model_.world.friction.frictionless();
    refreshes_left_ = wanted ? most_refreshes : 0;
}

bool StaticStage::keep_up_friction(const Iterate& iterate) {
    if (refreshes_left_ == 0) return false;
    std::vector<LaggedFriction> fresh = potential_.lag_friction(iterate.x, iterate.contacts, potential_.stiffness());
    if (change_of_limits(potential_.friction(), fresh) <= outdated_part) return false;
    --refreshes_left_;
    potential_.set_friction(std::move(fresh));
    potential_.forget_slip_directions();
    return true;
}

bool StaticStage::is_any_loose(const ContactSet& contacts) const {
    const World& world = model_.world;
    std::vector<char> loose(world.bodies.size(), 0);
    for (Index v = 0; v < world.vertex_count(); ++v) {
        if (!world.is_obstacle(v)) loose[at(world.body_of_vertex[at(v)])] = 1;
    }
    for (Index v = 0; v < world.vertex_count(); ++v) {
        if (model_.input.driven_axes[at(v)] != 0) loose[at(world.body_of_vertex[at(v)])] = 0;
    }
    for (const Contact& contact : contacts.contacts) {
        const auto [a, b] = bodies_of(world, contact);
        if (a != b) loose[at(a)] = loose[at(b)] = 0;
    }
    return std::ranges::find(loose, 1) != loose.end();
}

void StaticStage::approach(const Iterate& iterate, const Newton& newton) {
    const VecX place = iterate.x;
    const double s = model_.stage.scale(), last = model_.stage.inertia > 0.0 ? std::min(s, last_held) : last_held;
    for (double held = first_held; held < last; held *= held_growth) {
        potential_.incremental().hold(s * s / (held * held), place);
        // Slips of what meets begin where it meets: on its way there it did not rub.
        keeps_up_ = held > first_held;
        const bool accepted = newton();
        keeps_up_ = true;
        if (log_.report().status == Status::interrupted) return;
        potential_.set_slip_origin(iterate.x);
        // For the loads that are met, as the next step would choose it: a later change moves what is at rest.
        stiffness_.measure_loads(iterate.contacts, potential_.stiffness());
        stiffness_.meet_loads();
        if (accepted) continue;
        // The stage itself is solved from wherever this ended.
        log_.return_to_start();
        break;
    }
    potential_.incremental().hold(0.0, place);
}

VecX StaticStage::carried_along() const {
    const auto& [world, state, input, options, stage, limits] = model_;
    VecX last = VecX::Zero(state.x.size());
    if (!(state.previous_h > 0.0) || state.previous_x.size() != state.x.size()) return last;
    last = state.x - state.previous_x;
    double common = 0.0, length = 0.0;
    for (Index v = 0; v < world.vertex_count(); ++v) {
        for (int axis = 0; axis < 3; ++axis) {
            if (!(input.driven_axes[at(v)] >> axis & 1)) continue;
            const Eigen::Index i = 3 * static_cast<Eigen::Index>(v) + axis;
            common += last[i] * (input.target[i] - state.x[i]);
            length += last[i] * last[i];
        }
    }
    last *= length > 0.0 ? std::max(common / length, 0.0) : 0.0;
    return last;
}

void StaticStage::settle(const Iterate& iterate, const StoppingRule& stopping, const Newton& newton,
                         const Refresh& refresh) {
    if (!is_accepted(log_.report().status) || iterate.contacts.contacts.empty()) return;
    // What is left of the balance with the friction of the iterate; imbalance() alone is with the lagged one.
    const auto imbalance = [&] {
        refresh();
        return stopping.imbalance(iterate);
    };
    const double most = std::max(tolerated_imbalance, 2.0 * model_.options.balance_tolerance);
    std::vector<LaggedFriction> last = potential_.friction();
    double left = imbalance();
    for (int solve = 0; solve < model_.options.static_solves && left > most; ++solve) {
        if (solve > 0) potential_.set_friction(mean_of(last, potential_.friction()));
        last = potential_.friction();
        keeps_up_ = false;
        const bool accepted = newton();
        keeps_up_ = true;
        if (!accepted) return;
        left = imbalance();
    }
    if (left > most && log_.report().status == Status::converged) {
        log_.stop(Status::not_converged,
                  fmt::format("no balance with the friction of the end: a coordinate misses {:.3g} of the largest "
                              "force, {:.3g} at most",
                              left, most));
    }
}

}  // namespace stiction
