#include "stiction/barrier/confirmation.hpp"

#include <utility>

namespace stiction {

bool Confirmation::wants_more(Iterate& iterate, const NewtonDirection& direction, double residual) {
    // Below this part of the tolerance a direction is short whatever matrix it comes from.
    constexpr double short_part = 0.05;
    // A confirmed end has a direction below this part of it.
    constexpr double confirmed_direction = 0.2;
    constexpr int most_iterations = 20;
    const double near = model_.options.confirmed_part * model_.options.balance_tolerance,
                 tolerance = stopping_.tolerance(iterate.contacts);
    if (near == 0.0 || iterate.contacts.contacts.empty() || residual < short_part * tolerance) return false;
    const double left = stopping_.imbalance(iterate);
    // Near a solution a refined move leaves far less than half, and a refined direction measured the way that was left.
    if (begun_) return left > 0.5 * begun_->imbalance || residual > confirmed_direction * tolerance;
    if (left > near) return false;
    {
        const ScopedTimer timer(log_.timers(), "assembly");
        iterate.gradient = potential_.gradient(iterate.x, iterate.contacts);
    }
    if (!direction.is_refined() && !(direction.softening(iterate.gradient) > RefinementRule::enough_softening))
        return false;
    begun_ = Begun{iterate, potential_.stiffness(), left, residual, most_iterations, {}};
    return true;
}

bool Confirmation::end(Iterate& iterate) {
    if (begun_ && stopping_.imbalance(iterate) > begun_->imbalance) {
        iterate = std::move(begun_->iterate);
        potential_.set_stiffness(begun_->stiffness);
        log_.report().residual = begun_->residual;
        begun_.reset();
        return true;
    }
    if (auto ended = std::exchange(begun_, std::nullopt)) {
        for (const VecX& to : ended->path) report_move(std::exchange(ended->iterate.x, to), to);
    }
    return false;
}

void Confirmation::report_move(const VecX& from, const VecX& to) {
    if (!model_.input.moves) return;
    if (begun_) {
        begun_->path.push_back(to);
    } else {
        model_.input.moves->accepted_move(from, to);
    }
}

}  // namespace stiction
