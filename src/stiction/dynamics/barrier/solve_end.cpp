// When a Newton solve of a barrier solve ends.
#include "stiction/dynamics/barrier/solve.hpp"
#include "stiction/nonlinear/stopping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace stiction {

void BarrierSolve::end_unmoved(double residual, NewtonEnd& end) {
    // A direction below the tolerance that cannot be searched is a solution to working precision.
    if (confirmation_ || (residual < tolerance() && !driven_.pulling())) {
        accept();
    } else {
        end.status = Status::line_search_stalled;
    }
}

bool BarrierSolve::end_iteration(const VecX& p, const IterationTrace& trace, NewtonEnd& end) {
    // The move that was made, or the one that the direction asked for.
    const double residual = trace.residual * std::max(1.0, trace.step_length);
    if (trace.step_length > 0.99 && is_close_enough(residual, end.first_residual)) {
        accept();
        return true;
    }
    // Of a shortened step, what was left out still has to be gone.
    const bool whole_step = trace.step_length > 0.99 || residual < 0.1 * tolerance();
    const bool was_pulling = driven_.pulling();
    const bool done = finished(whole_step ? residual : std::numeric_limits<double>::infinity(), end.status);
    if (done && !is_accepted(end.status)) return true;
    if ((done && !wants_confirmation(residual)) || (confirmation_ && confirmation_->iterations_left-- == 0)) {
        accept();
        return true;
    }
    if (done || driven_.pulling()) return false;
    const bool lacks_balance = whole_step && residual < tolerance() && !confirmation_ && !was_pulling;
    const std::optional<bool> balanced = lacks_balance ? balance_region() : std::nullopt;
    if (!balanced) solve_region(p, residual);
    return balanced.value_or(false);
}

bool BarrierSolve::runs_away() {
    constexpr double most_sizes = 1000.0;  // of the scene, or of how far something is driven
    if (stage_.inertia > 0.0) return false;
    double driven = 0.0, farthest = 0.0;
    Index runaway = 0;
    for (Index v = 0; v < world_.vertex_count(); ++v) {
        const double way = (x_.segment<3>(3 * v) - state_.x.segment<3>(3 * v)).norm();
        if (input_.driven_axes[static_cast<std::size_t>(v)] != 0) driven = std::max(driven, way);
        if (way <= farthest) continue;
        farthest = way;
        runaway = v;
    }
    if (!(farthest > most_sizes * (world_.diagonal + driven))) return false;
    stop(Status::diverged,
         fmt::format("no equilibrium is near: body '{}' moved {:.3g} m, out of the scene: nothing holds it against the "
                     "forces on it, or it snaps through: hold it, by a boundary or by friction, or take an integrator "
                     "with inertia, backward_euler",
                     world_.body_at(runaway).name, farthest));
    return true;
}

bool BarrierSolve::is_close_enough(double residual, double first_residual) const {
    return residual <= looseness_ * first_residual && !contacts_.contacts.empty() && !driven_.pulling();
}

bool BarrierSolve::finished(double residual, Status& status) {
    if (driven_.pulling()) {
        const ScopedTimer timer(timers_, "driven");
        if (driven_.try_finish(detection_, x_, options_.ccd_slack, report_.ccd_queries)) {
            driven_.apply(potential_.incremental());
            last_move_ = {};  // of another potential
            note_fallbacks();
            begin_assembly();
            return false;
        }
        if (residual >= tolerance()) return false;
        if (driven_.strengthen(x_)) {
            driven_.apply(potential_.incremental());
            last_move_ = {};
            return false;
        }
        stop(status = Status::targets_not_reached, driven_.shortfall(x_));
        return true;
    }
    if (residual >= tolerance()) return false;
    // A step that small moves a contact by no more than rounding: nothing is left to gain.
    constexpr double negligible = 1e-3;
    return options_.balance_tolerance == 0.0 || contacts_.contacts.empty() || residual < negligible * tolerance() ||
           imbalance() <= options_.balance_tolerance;
}

bool BarrierSolve::wants_confirmation(double residual) {
    // Below this part of the tolerance a direction is short whatever matrix it comes from.
    constexpr double short_part = 0.05;
    // A confirmed end has a direction below this part of it.
    constexpr double confirmed_direction = 0.2;
    constexpr int most_iterations = 20;
    const double near = options_.confirmed_part * options_.balance_tolerance;
    if (near == 0.0 || contacts_.contacts.empty() || residual < short_part * tolerance()) return false;
    const double left = imbalance();
    // Near a solution a refined move leaves far less than half, and a refined direction measured the way that was left.
    if (confirmation_) return left > 0.5 * confirmation_->imbalance || residual > confirmed_direction * tolerance();
    if (left > near) return false;
    {
        const ScopedTimer timer(timers_, "assembly");
        gradient_ = potential_.gradient(x_, contacts_);
    }
    if (!is_refined_ && !(softening() > RefinementRule::enough_softening)) return false;
    confirmation_ = Confirmation{x_, contacts_, guard_, potential_.stiffness(), left, residual, most_iterations, {}};
    return true;
}

void BarrierSolve::accept() {
    if (confirmation_ && imbalance() > confirmation_->imbalance) {
        x_ = std::move(confirmation_->x);
        contacts_ = std::move(confirmation_->contacts);
        guard_ = confirmation_->guard;
        potential_.set_stiffness(confirmation_->stiffness);
        report_.residual = confirmation_->residual;
        detection_.update(x_);
    } else if (auto ended = std::exchange(confirmation_, std::nullopt)) {
        for (const VecX& to : ended->path) report_move(std::exchange(ended->x, to), to);
    }
    confirmation_.reset();
    stop(before_.status, before_.cause);
}

double BarrierSolve::speed(const VecX& p) const {
    const double of_largest = tolerance();
    double largest = 0.0;
    for (const Body& body : world_.bodies) {
        if (body.is_obstacle()) continue;
        const double part = tolerance(body.contact_length / world_.length) / of_largest;
        largest = std::max(largest, infinity_norm(p.segment(3 * body.first_vertex, 3 * body.vertex_count())) / part);
    }
    return largest / stage_.stopping_scale();
}

void BarrierSolve::report_move(const VecX& from, const VecX& to) {
    if (!input_.moves) return;
    if (confirmation_) {
        confirmation_->path.push_back(to);
    } else {
        input_.moves->accepted_move(from, to);
    }
}

double BarrierSolve::imbalance() const {
    const double s = stage_.scale();
    const DofMap& map = assembly_.map();
    // Of each body alone, so that no body is judged by the forces of another that it has nothing to do with.
    const bool is_by_body = !world_.measured_by_scene;
    std::vector<double> scale(is_by_body ? world_.bodies.size() : 1, 0.0), left = scale;
    const auto raise = [&](std::vector<double>& largest, const VecX& force, double factor) {
        VecX free;
        map.restrict_gradient(force, free);
        for (Index node = 0; node < map.node_count(); ++node) {
            const Index body = is_by_body ? world_.body_of_vertex[at(map.vertex(node))] : 0;
            const double size = factor * free.segment<3>(3 * node).lpNorm<Eigen::Infinity>();
            largest[at(body)] = std::max(largest[at(body)], size);
        }
    };
    raise(scale, mass_product(world_, VecX(x_ - stage_.q_bar - s * stage_.v_bar)), stage_.inertia);
    raise(scale, input_.external_force, s * s);
    raise(scale, potential_.friction_gradient_sum(x_), 1.0);
    raise(scale, potential_.barrier_gradient_sum(x_, contacts_), potential_.stiffness());
    raise(left, potential_.gradient(x_, contacts_), 1.0);
    double result = 0.0;
    for (std::size_t b = 0; b < scale.size(); ++b) {
        // Less than this changes no velocity by a thousandth of its tolerance.
        const Body& body = world_.bodies[b];
        const double unnoticed =
            is_by_body && !body.is_obstacle()
                ? 1e-3 * body.mean_mass * s * limits_.velocity_tolerance * body.contact_length / world_.length
                : 0.0;
        const double size = std::max(scale[b], unnoticed);
        if (size > 0.0) result = std::max(result, left[b] / size);
    }
    return result;
}

}  // namespace stiction
