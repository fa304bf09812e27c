#include "stiction/dynamics/driven_motion.hpp"

#include <algorithm>

namespace stiction {
namespace {

constexpr double straight_slack = 0.5;
constexpr double first_stiffness = 1e6;
constexpr double last_stiffness = 1e8;
constexpr double done_fraction = 0.999;
constexpr int most_strengthenings = 40;

}  // namespace

DrivenMotion::DrivenMotion(const World& world, const StepInput& input, const VecX& x_start)
    : world_(world), input_(input), x_start_(x_start), axes_(input.driven_axes) {
    const VecX step = remaining(x_start);
    for (Index v = 0; v < world.vertex_count(); ++v) {
        if (step.segment<3>(3 * v).squaredNorm() > 0.0) moving_.push_back(v);
    }
}

VecX DrivenMotion::remaining(const VecX& x) const {
    VecX step = VecX::Zero(x.size());
    for (Index v = 0; v < world_.vertex_count(); ++v) {
        const std::uint8_t axes = input_.driven_axes[static_cast<std::size_t>(v)];
        for (int axis = 0; axis < 3; ++axis) {
            if (axes >> axis & 1) step[3 * v + axis] = input_.target[3 * v + axis] - x[3 * v + axis];
        }
    }
    return step;
}

void DrivenMotion::move_straight(ContactDetection& detection, VecX& x, const VecX& predicted_step, long& ccd_queries) {
    // Together first: what is carried along by an obstacle is out of its way by then. What is left of the schedule goes
    // alone.
    VecX step = predicted_step;
    for (Index v = 0; v < world_.vertex_count(); ++v) {
        for (int axis = 0; axis < 3; ++axis) {
            if (input_.driven_axes[static_cast<std::size_t>(v)] >> axis & 1)
                step[3 * v + axis] = input_.target[3 * v + axis] - x[3 * v + axis];
        }
    }
    if (advance(detection, x, step, ccd_queries) || moving_.empty()) return;
    if (!advance(detection, x, remaining(x), ccd_queries)) release();
}

bool DrivenMotion::advance(ContactDetection& detection, VecX& x, VecX step, long& ccd_queries) {
    carry(world_.carried, step);
    const StepBound bound = feasible_step_bound(world_, detection, x, step, straight_slack);
    ccd_queries += bound.ccd_queries;
    const VecX before = x;
    x += bound.fraction * step;
    if (bound.fraction == 1.0) set_on_target(x);
    if (input_.moves) input_.moves->accepted_move(before, x);
    return bound.fraction == 1.0;
}

void DrivenMotion::set_on_target(VecX& x) const {
    for (const Index v : moving_) {
        for (int axis = 0; axis < 3; ++axis) {
            if (input_.driven_axes[static_cast<std::size_t>(v)] >> axis & 1)
                x[3 * v + axis] = input_.target[3 * v + axis];
        }
    }
}

void DrivenMotion::release() {
    pulling_ = true;
    pull_.vertices = moving_;
    pull_.stiffness = first_stiffness;
    pull_.target = input_.target;
    pull_.multipliers = VecX::Zero(x_start_.size());
    for (const Index v : pull_.vertices) {
        axes_[static_cast<std::size_t>(v)] = 0;
        pull_.axes.push_back(input_.driven_axes[static_cast<std::size_t>(v)]);
        pull_.mass.push_back(world_.mass[v] > 0.0 ? world_.mass[v] : world_.mean_mass);
    }
}

void DrivenMotion::apply(IncrementalPotential& potential) const {
    potential.pull() = pulling_ ? pull_ : TargetPull{};
}

bool DrivenMotion::try_finish(ContactDetection& detection, VecX& x, double slack, long& ccd_queries) {
    if (!pulling_) return false;
    VecX step = remaining(x);
    carry(world_.carried, step);
    const StepBound bound = feasible_step_bound(world_, detection, x, step, slack);
    ccd_queries += bound.ccd_queries;
    const bool free = bound.fraction == 1.0;
    if (!free && completion(x) < done_fraction) return false;
    const VecX before = x;
    if (free) {
        x += step;
        set_on_target(x);
        if (input_.moves) input_.moves->accepted_move(before, x);
    }
    pulling_ = false;
    axes_ = input_.driven_axes;
    return true;
}

bool DrivenMotion::strengthen(const VecX& x) {
    if (++strengthened_ > most_strengthenings) return false;
    if (pull_.stiffness < last_stiffness) {
        pull_.stiffness *= 2.0;
        return true;
    }
    for (std::size_t i = 0; i < pull_.vertices.size(); ++i) {
        const Eigen::Index at = 3 * pull_.vertices[i];
        pull_.multipliers.segment<3>(at) -=
            pull_.stiffness * pull_.mass[i] * (x.segment<3>(at) - pull_.target.segment<3>(at));
    }
    return true;
}

double DrivenMotion::completion(const VecX& x) const {
    const VecX left = remaining(x), whole = remaining(x_start_);
    double least = 1.0;
    for (const Index v : moving_)
        least = std::min(least, 1.0 - left.segment<3>(3 * v).norm() / whole.segment<3>(3 * v).norm());
    return least;
}

double DrivenMotion::largest_error(const VecX& x) const {
    const VecX left = remaining(x);
    double largest = 0.0;
    for (const Index v : moving_) largest = std::max(largest, left.segment<3>(3 * v).norm());
    return largest;
}

}  // namespace stiction
