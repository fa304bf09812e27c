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

bool CertifiedMove::shorten(const State& state, const StepInput& input, VecX& x, StepReport& report) {
    const VecX move = x - state.x;
    if (!detection_) detection_ = std::make_unique<ContactDetection>(world_, reach_);
    detection_->update(state.x);  // the result must not depend on the candidates of the last step
    const StepBound bound = feasible_step_bound(world_, *detection_, state.x, move, certified_slack);
    report.ccd_queries += bound.ccd_queries;
    if (bound.fraction >= 1.0) return true;
    for (Index v = 0; v < world_.vertex_count(); ++v) {
        if (!input.is_driven(v) || move.segment<3>(3 * v).isZero(0.0)) continue;
        report.status = Status::targets_not_reached;
        report.cause = fmt::format("certified up to {:.3g} of the step, and vertices are driven: {}", bound.fraction,
                                   describe_stencil(world_, bound.stencil));
        return false;
    }
    report.notes.push_back(fmt::format("step ended early to stay free of intersections: {} of it was made",
                                       part_that_was_made(bound.fraction)));
    x = state.x + bound.fraction * move;
    return true;
}

}  // namespace stiction::local_global
