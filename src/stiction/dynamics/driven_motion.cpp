#include "stiction/dynamics/driven_motion.hpp"

#include "stiction/dynamics/predicted_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

void DrivenMotion::start(ContactDetection& detection, VecX& x, const VecX& predicted_step, double dhat,
                         const std::vector<char>& flying, const MoveComparison& compare, long& ccd_queries) {
    VecX step = predicted_step;
    for (Index v = 0; v < world_.vertex_count(); ++v) {
        for (int axis = 0; axis < 3; ++axis) {
            if (input_.driven_axes[static_cast<std::size_t>(v)] >> axis & 1)
                step[3 * v + axis] = input_.target[3 * v + axis] - x[3 * v + axis];
        }
    }
    carry(world_.carried, step);
    const DofMap map(axes_, world_.embedded);
    const PredictedStart found = predicted_start(world_, detection, map, x, step, dhat);
    ccd_queries += found.ccd_queries;
    VecX cleared;
    if (found.cleared.size() > 0) {
        cleared = x + found.cleared;
        set_on_target(cleared);
    }
    std::vector<VecX> way{x};
    if (found.free_fraction == 1.0) {
        way.push_back(cleared);
    } else {
        follow(detection, step, found.free_fraction, flying, way, ccd_queries);
        if (cleared.size() > 0 && compare(way.back(), cleared) < 0.0) {
            way = {x, std::move(cleared)};
            arrive();
        }
        detection.update(way.back());
    }
    for (std::size_t i = 1; input_.moves && i < way.size(); ++i) input_.moves->accepted_move(way[i - 1], way[i]);
    x = way.back();
}

VecX DrivenMotion::part_of(ContactDetection& detection, const VecX& x, const VecX& step, double fraction,
                           const std::vector<char>& flying, long& ccd_queries) const {
    VecX part = fraction * step;
    if (fraction == 1.0 || std::ranges::find(flying, 1) == flying.end()) return part;
    VecX whole_in_flight = part;
    for (std::size_t b = 0; b < flying.size(); ++b) {
        if (!flying[b]) continue;
        const Eigen::Index first = 3 * world_.bodies[b].first_vertex, size = 3 * world_.bodies[b].vertex_count();
        whole_in_flight.segment(first, size) = step.segment(first, size);
    }
    // What is not in flight was measured already, and may keep no more of a wide gap than dhat asks for.
    constexpr double slack = 1e-6;
    const StepBound bound = feasible_step_bound(world_, detection, x, whole_in_flight, slack);
    ccd_queries += bound.ccd_queries;
    return bound.fraction == 1.0 ? whole_in_flight : part;
}

void DrivenMotion::follow(ContactDetection& detection, const VecX& step, double fraction,
                          const std::vector<char>& flying, std::vector<VecX>& way, long& ccd_queries) {
    const auto advance = [&](VecX move) {
        carry(world_.carried, move);
        const StepBound bound = feasible_step_bound(world_, detection, way.back(), move, straight_slack);
        ccd_queries += bound.ccd_queries;
        way.push_back(way.back() + bound.fraction * move);
        if (bound.fraction == 1.0) set_on_target(way.back());
        return bound.fraction == 1.0;
    };
    // Together first: what is carried along by an obstacle is out of its way by then. What is left of the schedule goes
    // alone.
    const bool is_measured = fraction > 0.0;
    if (!is_measured) {
        const StepBound bound = feasible_step_bound(world_, detection, way.back(), step, straight_slack);
        ccd_queries += bound.ccd_queries;
        fraction = bound.fraction;
    }
    way.push_back(way.back() + part_of(detection, way.back(), step, fraction, flying, ccd_queries));
    const bool arrived = !is_measured && fraction == 1.0;
    if (arrived) set_on_target(way.back());
    if (arrived || moving_.empty()) return;
    if (!advance(remaining(way.back()))) release();
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
    pull_ = {};
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
    in_the_way_ = bound.stencil;
    if (!free && completion(x) < done_fraction) return false;
    const VecX before = x;
    if (free) {
        x += step;
        set_on_target(x);
        if (input_.moves) input_.moves->accepted_move(before, x);
    }
    arrive();
    return true;
}

void DrivenMotion::arrive() {
    pulling_ = false;
    axes_ = input_.driven_axes;
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

std::string DrivenMotion::shortfall(const VecX& x) const {
    const VecX left = remaining(x);
    const auto farthest = std::max_element(moving_.begin(), moving_.end(), [&](Index a, Index b) {
        return left.segment<3>(3 * a).squaredNorm() < left.segment<3>(3 * b).squaredNorm();
    });
    return fmt::format("driven vertices of '{}' stopped {:.3g} m short ({:.4g}% of the way), in the way: {}",
                       world_.body_at(*farthest).name, largest_error(x), 100.0 * completion(x),
                       describe_stencil(world_, in_the_way_));
}

}  // namespace stiction
