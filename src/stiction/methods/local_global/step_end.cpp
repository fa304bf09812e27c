// The end of a step, from the positions that the iterations have reached: the next state, and what is told of it.
#include "stiction/methods/local_global/step.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

namespace stiction::local_global {

bool Step::integrate() {
    VecX& x = workspace_.end;
    x = workspace_.solver->x();
    if (!stays_in_scene(x)) return false;
    carry(world_.embedded, x);
    bool shortened = false;
    if (options_.certify) {
        const ScopedTimer timer(timers_, "ccd");
        const std::optional<double> made = workspace_.certified_move.shorten(state_, input_, x, report_);
        if (!made) return false;
        shortened = *made < 1.0;
    }
    if (input_.moves != nullptr) input_.moves->accepted_move(state_.x, x);
    const bool extrapolated = count_extrapolated(workspace_.elements, x.data()) > 0;
    elastic_ = energy_at(x, extrapolated || shortened);
    if (extrapolated)
        report_.notes.push_back("elements of a barrier law beyond the volume ratio where it is continued");
    workspace_.end_velocity = (x - state_.x) / input_.h;
    end_step(state_, input_, x, workspace_.end_velocity, result_.state);
    result_.state.acceleration.resize(0);
    return true;
}

/// Contact that cannot hold may throw vertices far away within the fixed number of iterations. The next search for
/// pairs would then take all memory.
bool Step::stays_in_scene(const VecX& x) {
    constexpr double most_diagonals = 100.0;
    const double limit = most_diagonals * world_.diagonal;
    if (limit == 0.0) return true;
    for (const Index v : system_->unknowns()) {
        const Eigen::Index at = 3 * static_cast<Eigen::Index>(v);
        const Vec3 free = state_.x.segment<3>(at) + input_.h * state_.v.segment<3>(at);
        const double off = (x.segment<3>(at) - free).norm();
        if (off <= limit) continue;
        report_.status = Status::diverged;
        report_.cause = fmt::format(
            "vertex {} ends {:.3g} m off its free motion, more than {:.0f} times the size of the "
            "bodies: smaller steps, more iterations or softer contact may help",
            v, off, most_diagonals);
        return false;
    }
    return true;
}

/// The line search has evaluated the elements at the end of the iterations. The energy is computed anew where the step
/// ends elsewhere, or where the iterations continue a law that the world does not.
double Step::energy_at(const VecX& x, bool elsewhere) const {
    if (elsewhere) return stiction::elastic_energy(world_, x);
    double bending = 0.0;
    for (const SheetGroup& group : world_.sheets) {
        if (std::holds_alternative<IsometricBending>(group.elements)) bending += sheet_energy(group.elements, x);
    }
    return workspace_.solver->elastic() + bending;
}

void Step::report_contact() {
    Constraints::carry_over_warm_starts(state_, result_.state);
    workspace_.constraints.report(input_.list_contacts, result_);
    report_.balance.loads = workspace_.constraints.bilateral_work(system_->unknowns(), input_, state_.x, result_);
    const ScopedTimer timer(timers_, "contacts");
    report_.min_gap = workspace_.constraints.smallest_gap(result_.state.x);
}

/// The step is taken whatever its iterations have reached; it is converged where the conditions of contact hold to the
/// tolerance, nothing overlaps, and the iterations ended as they should.
void Step::judge() {
    const ContactOutcome& contact = report_.contact;
    const double tolerance = workspace_.constraints.tolerance();
    const auto name = [&](int body) { return world_.bodies[static_cast<std::size_t>(body)].name; };
    std::string cause;
    const auto add = [&](const std::string& text) { cause += (cause.empty() ? "" : "; ") + text; };
    if (stalled_) add("the line search stalled");
    if (contact.overlaps > 0)
        add(fmt::format("{} contacts overlap, '{}' and '{}' by {:.3g} m", contact.overlaps, name(contact.bodies[0]),
                        name(contact.bodies[1]), contact.deepest));
    if (!(contact.residual <= tolerance))
        add(fmt::format("the conditions of contact are missed by {:.3g} m, {:.3g} m at most", contact.residual,
                        tolerance));
    if (options_.tolerance > 0.0 && !(report_.residual < options_.tolerance) && !stalled_ && !settled_)
        add(fmt::format("positions still change by {:.3g} m/s in an iteration", report_.residual));
    if (cause.empty()) return;
    report_.status = Status::not_converged;
    report_.cause = std::move(cause);
}

}  // namespace stiction::local_global
