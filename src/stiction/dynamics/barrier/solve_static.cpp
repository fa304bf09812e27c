// What a barrier solve does otherwise in a stage that inertia does not hold: Stage::is_static().
#include "stiction/dynamics/barrier/solve.hpp"
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

void BarrierSolve::begin_keeping_up() {
    const bool wanted = keeps_up_ && stage_.is_static() && looseness_ == 0.0 && !world_.friction.frictionless();
    refreshes_left_ = wanted ? most_refreshes : 0;
}

void BarrierSolve::keep_up_friction() {
    if (refreshes_left_ == 0) return;
    std::vector<LaggedFriction> fresh = potential_.lag_friction(x_, contacts_, potential_.stiffness());
    if (change_of_limits(potential_.friction(), fresh) <= outdated_part) return;
    --refreshes_left_;
    potential_.set_friction(std::move(fresh));
    potential_.forget_slip_directions();
    last_move_ = {};  // of another potential
}

bool BarrierSolve::is_any_loose() const {
    std::vector<char> loose(world_.bodies.size(), 0);
    for (Index v = 0; v < world_.vertex_count(); ++v) {
        if (!world_.is_obstacle(v))
            loose[static_cast<std::size_t>(world_.body_of_vertex[static_cast<std::size_t>(v)])] = 1;
    }
    for (Index v = 0; v < world_.vertex_count(); ++v) {
        if (input_.driven_axes[static_cast<std::size_t>(v)] != 0)
            loose[static_cast<std::size_t>(world_.body_of_vertex[static_cast<std::size_t>(v)])] = 0;
    }
    for (const Contact& contact : contacts_.contacts) {
        const auto [a, b] = bodies_of(world_, contact);
        if (a != b) loose[static_cast<std::size_t>(a)] = loose[static_cast<std::size_t>(b)] = 0;
    }
    return std::ranges::find(loose, 1) != loose.end();
}

void BarrierSolve::approach() {
    const VecX place = x_;
    const double s = stage_.scale(), last = stage_.inertia > 0.0 ? std::min(s, last_held) : last_held;
    for (double held = first_held; held < last; held *= held_growth) {
        potential_.incremental().hold(s * s / (held * held), place);
        // Slips of what meets begin where it meets: on its way there it did not rub.
        keeps_up_ = held > first_held;
        const Status status = newton().status;
        keeps_up_ = true;
        if (status == Status::interrupted) return;
        potential_.set_slip_origin(x_);
        // For the loads that are met, as the next step would choose it: a later change moves what is at rest.
        keep_gaps_open(potential_.stiffness());
        if (options_.barrier_stiffness == 0.0) potential_.set_stiffness(std::max(bounds_.lower, loaded_stiffness_));
        if (is_accepted(status)) continue;
        // The stage itself is solved from wherever this ended.
        stop(before_.status, before_.cause);
        break;
    }
    potential_.incremental().hold(0.0, place);
}

VecX BarrierSolve::carried_along() const {
    VecX last = VecX::Zero(x_.size());
    if (!(state_.previous_h > 0.0) || state_.previous_x.size() != x_.size()) return last;
    last = state_.x - state_.previous_x;
    double common = 0.0, length = 0.0;
    for (Index v = 0; v < world_.vertex_count(); ++v) {
        for (int axis = 0; axis < 3; ++axis) {
            if (!(input_.driven_axes[static_cast<std::size_t>(v)] >> axis & 1)) continue;
            const Eigen::Index i = 3 * static_cast<Eigen::Index>(v) + axis;
            common += last[i] * (input_.target[i] - state_.x[i]);
            length += last[i] * last[i];
        }
    }
    last *= length > 0.0 ? std::max(common / length, 0.0) : 0.0;
    return last;
}

double BarrierSolve::imbalance_with_fresh_friction() {
    detection_.update(x_);
    find_contacts();
    lag_friction(potential_.stiffness());
    return imbalance();
}

void BarrierSolve::settle_static() {
    if (!is_accepted(report_.status) || contacts_.contacts.empty()) return;
    const double most = std::max(tolerated_imbalance, 2.0 * options_.balance_tolerance);
    std::vector<LaggedFriction> last = potential_.friction();
    double left = imbalance_with_fresh_friction();
    for (int solve = 0; solve < options_.static_solves && left > most; ++solve) {
        if (solve > 0) potential_.set_friction(mean_of(last, potential_.friction()));
        last = potential_.friction();
        keeps_up_ = false;
        const bool accepted = is_accepted(newton().status);
        keeps_up_ = true;
        if (!accepted) return;
        left = imbalance_with_fresh_friction();
    }
    if (left > most && report_.status == Status::converged) {
        stop(Status::not_converged,
             fmt::format("no balance with the friction of the end: a coordinate misses {:.3g} of the largest force, "
                         "{:.3g} at most",
                         left, most));
    }
}

}  // namespace stiction
