#include "stiction/sim/auditing.hpp"

#include "stiction/audit/audit.hpp"
#include "stiction/audit/penetration.hpp"
#include "stiction/audit/residuals.hpp"
#include "stiction/base/timer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiction {
namespace {

constexpr std::size_t most_examples = 10;

double ratio(double part, double whole) {
    return whole > 0.0 ? part / whole : 0.0;
}

/// Keeps the larger number, and the step that it is from.
void widen(double& worst, int& worst_step, double value, Index step) {
    if (value <= worst) return;
    worst = value;
    worst_step = static_cast<int>(step);
}

/// What moves every body in a step as fast as a hundredth of its contact length a second (N): at rest a remainder is
/// not held against nothing.
double unnoticed_force(const World& world, const Stage& stage) {
    return 0.01 * world.mass_moment() / stage.scale();
}

}  // namespace

Auditor::Auditor(AuditRate rate, int frame_every, double contact_distance, Integrator integrator,
                 audit::RunAudit earlier, bool separation_promised, bool exactly_rigid, bool balance_promised)
    : rate_(rate),
      frame_every_(frame_every),
      contact_distance_(contact_distance),
      integrator_(integrator),
      separation_promised_(separation_promised),
      exactly_rigid_(exactly_rigid),
      balance_promised_(balance_promised),
      audit_(std::move(earlier)) {
    if (rate != AuditRate::off || audit_.last_step < 0) audit_.every = audit_rate_names[static_cast<std::size_t>(rate)];
}

void Auditor::started(const World& world, const State& state) {
    if (rate_ == AuditRate::off) return;
    before_ = state;
    last_looked_at_ = state.step;
    if (audit_.last_step >= state.step) return;
    look_at_state(world, state);
    audit_.last_step = state.step;
}

void Auditor::step_done(const World& world, const State& state, const StepResult& result) {
    if (rate_ == AuditRate::off) return;
    if (state.step > audit_.last_step) {
        if (rate_ == AuditRate::step || state.step % frame_every_ == 0) {
            look_at_state(world, state);
            look_at_step(world, result);
        }
        audit_.last_step = state.step;
    }
    before_ = state;
}

void Auditor::finished(const World& world, const State& state, const StepResult*, RunEnd end) {
    // What was interrupted goes on later, and counts its states as a run in one go does.
    if (rate_ == AuditRate::off || end == RunEnd::interrupted || last_looked_at_ == state.step) return;
    look_at_state(world, state);
}

void Auditor::look_at_state(const World& world, const State& state) {
    const double start = now_seconds();
    last_looked_at_ = state.step;
    const audit::AuditReport report = audit::audit_state(world, state.x);
    ++audit_.states;
    if (!separation_promised_ && report.overlaps()) {
        ++audit_.overlapping_states;
        audit_.penetration = std::max(audit_.penetration, audit::penetration_depth(world, report, state.x));
    }
    const audit::AuditReport faults = separation_promised_ ? report : audit::without_overlaps(report);
    if (!faults.ok()) ++audit_.faulty_states;
    audit_.not_finite += static_cast<long>(report.not_finite.size());
    audit_.intersections += static_cast<long>(report.intersections.size());
    audit_.half_spaces += static_cast<long>(report.half_spaces.size());
    audit_.inversions += static_cast<long>(report.inverted.size());
    if (audit_.examples.size() < most_examples) {
        for (const std::string& line : messages(world, faults, state.x, most_examples - audit_.examples.size())) {
            audit_.examples.push_back(fmt::format("step {}: {}", state.step, line));
        }
    }
    audit_.milliseconds += 1e3 * (now_seconds() - start);
}

void Auditor::look_at_step(const World& world, const StepResult& result) {
    // The pieces of a step that was cut were not kept.
    if (result.report.substeps != 1) return;
    const double start = now_seconds();
    StepInput input = schedule(world, before_, result.report.h);
    input.damped = result.report.damped > 0;
    follow_program(world, result, input);
    const LastStage last = last_stage(integrator_, before_, result.state, input);
    const Stage& stage = last.stage;
    audit::StepAuditOptions options;
    options.dhat = contact_distance_;
    options.stage_scale = stage.scale();
    options.q_bar = stage.q_bar;
    options.v_bar = stage.v_bar;
    options.damping_positions = last.start;
    options.exactly_rigid = exactly_rigid_;
    const audit::StepAudit step = audit::audit_step(world, before_, input, result, options);
    ++audit_.steps;
    audit_.imbalance = std::max(audit_.imbalance, ratio(step.worst_imbalance, step.force_scale));
    if (balance_promised_) {
        const double share = ratio(step.imbalance_sum, step.force_size_sum + unnoticed_force(world, stage));
        widen(audit_.imbalance_share, audit_.imbalance_step, share, result.state.step);
    }
    // A quasi-static step ends at rest.
    const double mismatch = stage.inertia > 0.0 ? step.velocity_mismatch : result.state.v.lpNorm<Eigen::Infinity>();
    audit_.velocity_mismatch = std::max({audit_.velocity_mismatch, mismatch, last.velocity_mismatch});
    audit_.energy_gain = audit_.steps == 1 ? step.energy_gain : std::max(audit_.energy_gain, step.energy_gain);
    audit_.cone_excess = std::max(audit_.cone_excess, ratio(step.cone_excess, step.contact_scale));
    audit_.friction_beyond += step.cone_sum;
    audit_.contact_total += step.contact_size_sum;
    audit_.forces_without_contact += step.forces_without_contact;
    audit_.pulling += step.pulling;
    audit_.friction_power =
        audit_.steps == 1 ? step.friction_power : std::max(audit_.friction_power, step.friction_power);
    audit_.milliseconds += 1e3 * (now_seconds() - start);
}

}  // namespace stiction
