#include "stiction/methods/local_global/certified_move.hpp"

#include "stiction/dynamics/feasible_step.hpp"

#include <fmt/format.h>

#include <string_view>

namespace stiction::local_global {
namespace {

/// Fraction of every gap that a certified move leaves.
constexpr double certified_slack = 0.1;

/// In words, so that the report counts steps of a kind.
std::string_view part_that_was_made(double fraction) {
    if (fraction >= 0.9) return "at least nine tenths";
    if (fraction >= 0.5) return "half to nine tenths";
    if (fraction >= 0.1) return "a tenth to half";
    return "less than a tenth";
}

}  // namespace

std::optional<double> CertifiedMove::shorten(const State& state, const StepInput& input, VecX& x, StepReport& report) {
    const VecX move = x - state.x;
    if (!detection_) {
        detection_ = std::make_unique<ContactDetection>(world_, reach_);
        detection_->scale({.length_share = world_.length_shares(), .strength = {}});
    }
    detection_->update(state.x);  // the result must not depend on the candidates of the last step
    const StepBound bound = feasible_step_bound(world_, *detection_, state.x, move, certified_slack);
    report.ccd_queries += bound.ccd_queries;
    if (bound.fraction >= 1.0) return 1.0;
    x = state.x + bound.fraction * move;
    const char* const reason = why_not_shorter(input, move, x);
    if (reason != nullptr) {
        report.status = Status::targets_not_reached;
        report.cause = fmt::format("certified up to {:.3g} of the step, and {}: {}", bound.fraction, reason,
                                   describe_stencil(world_, bound.stencil));
        return {};
    }
    report.notes.push_back(fmt::format("step ended early to stay free of intersections: {} of it was made",
                                       part_that_was_made(bound.fraction)));
    return bound.fraction;
}

/// Why the step cannot end at x, a part of its move; null: it can.
const char* CertifiedMove::why_not_shorter(const StepInput& input, const VecX& move, const VecX& x) const {
    for (Index v = 0; v < world_.vertex_count(); ++v) {
        for (int axis = 0; axis < 3; ++axis) {
            if ((input.driven_axes[static_cast<std::size_t>(v)] >> axis & 1) != 0 && move[3 * v + axis] != 0.0)
                return "vertices are driven";
        }
    }
    VecX straight = x;
    rigid_.straighten(straight);
    const double rounding = 1e-12 * (world_.diagonal + x.lpNorm<Eigen::Infinity>());
    return (straight - x).lpNorm<Eigen::Infinity>() > rounding
               ? "rigid bodies turn: they do not keep their shape within it"
               : nullptr;
}

}  // namespace stiction::local_global
