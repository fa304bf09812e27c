#include "stiction/output/verdict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace stiction {
namespace {

std::string when(const Occurrences& seen) {
    return seen.count == 1 ? fmt::format("in step {}", seen.first)
                           : fmt::format("in {} steps from step {} on", seen.count, seen.first);
}

std::string pair_of(const RunReport& report) {
    const auto& bodies = report.statistics.worst_contact.bodies;
    const std::string first = name_of(report, bodies[0]), second = name_of(report, bodies[1]);
    return first.empty() || second.empty() ? "" : fmt::format(" of '{}' and '{}'", first, second);
}

/// Whether the run came to an end that nobody asked for.
bool has_stopped(const std::string& status) {
    const std::array<std::string_view, 4> others{"", "running", "done", "interrupted"};
    return std::find(others.begin(), others.end(), status) == others.end();
}

/// What steps.csv tells.
void judge_steps(const RunReport& report, const VerdictLimits& limits, std::vector<Doubt>& doubts) {
    const RunStatistics& s = report.statistics;
    const auto part = [&](const Occurrences& seen) {
        return s.steps > 0 ? static_cast<double>(seen.count) / static_cast<double>(s.steps) : 0.0;
    };
    const auto doubt = [&](const char* check, double worst, double limit, const Occurrences& seen,
                           const std::string& text) {
        doubts.push_back({check, worst, limit, seen.count, seen.first, fmt::format("{} {}", text, when(seen))});
    };
    if (s.gaining.count > 0) {
        const EnergyLedger::Worst& worst = s.energy.worst();
        doubt("energy", worst.share, worst.tolerated, s.gaining,
              fmt::format("up to {:.3g} J came from nowhere, {:.3g} % of the run's energy and work,", worst.gain,
                          100.0 * worst.share));
    }
    const auto lost = [&](const char* check, const char* name, const Worst& worst, double limit) {
        if (worst.value <= limit) return;
        const std::string body = name_of(report, worst.body);
        doubts.push_back(
            {check, worst.value, limit, 1, worst.step,
             fmt::format("the {} of '{}' changed by {:.3g} % up to step {} with no force to account for it", name, body,
                         100.0 * worst.value, worst.step)});
    };
    lost("momentum", "momentum", s.momentum_loss, limits.momentum);
    lost("angular_momentum", "angular momentum", s.angular_momentum_loss, limits.angular_momentum);
    if (s.overlapping.count > 0) {
        doubt("overlaps", s.worst_contact.deepest, 0.0, s.overlapping,
              fmt::format("bodies overlap, by {:.3g} m at most{},", s.worst_contact.deepest, pair_of(report)));
    }
    if (s.not_converged.count > 0)
        doubt("tolerance", part(s.not_converged), 0.0, s.not_converged, "the method missed its own tolerance");
    if (part(s.friction_not_converged) > limits.friction_steps)
        doubt("friction", part(s.friction_not_converged), limits.friction_steps, s.friction_not_converged,
              "friction had not settled");
    if (part(s.substepped) > limits.steps_cut)
        doubt("steps_cut", part(s.substepped), limits.steps_cut, s.substepped, "steps failed and were made in pieces");
}

/// What the bodies of single steps tell.
void judge_bodies(const RunReport& report, const VerdictLimits& limits, std::vector<Doubt>& doubts) {
    const RunStatistics& s = report.statistics;
    if (s.worst_quality.value < limits.element_quality) {
        const ElementQuality& worst = s.worst_quality;
        doubts.push_back(
            {"elements", worst.value, limits.element_quality, 1, s.worst_quality_step,
             fmt::format("element {} of '{}' has quality {:.3g} in step {}, where 1 is at rest and 0 collapsed",
                         worst.element, name_of(report, worst.body), worst.value, s.worst_quality_step)});
    }
    if (s.contact_load.value > limits.contact_load) {
        doubts.push_back(
            {"contact_load", s.contact_load.value, limits.contact_load, 1, s.contact_load.step,
             fmt::format("the contact forces on '{}' are {:.3g} times all loads, inertia and inner forces "
                         "of the scene in step {}",
                         name_of(report, s.contact_load.body), s.contact_load.value, s.contact_load.step)});
    }
    if (s.first_move.share() > limits.first_move) {
        doubts.push_back(
            {"first_move", s.first_move.share(), limits.first_move, 1, 1,
             fmt::format("the first step moves '{}', which is at rest, by {:.3g} m, where loads, speeds "
                         "and driven vertices explain {:.3g} m",
                         name_of(report, s.first_move.body), s.first_move.distance, s.first_move.explained)});
    }
}

/// What the audit saw.
void judge_audit(const audit::RunAudit& audit, const VerdictLimits& limits, std::vector<Doubt>& doubts) {
    if (audit.faulty_states > 0) {
        doubts.push_back({"audit", static_cast<double>(audit.faulty_states), 0.0, audit.faulty_states, 0,
                          fmt::format("the audit found faults in {} of {} states", audit.faulty_states, audit.states)});
    }
    if (audit.imbalance_share > limits.imbalance) {
        doubts.push_back({"imbalance", audit.imbalance_share, limits.imbalance, 1, audit.imbalance_step,
                          fmt::format("forces miss their balance by {:.3g} of all forces in step {}",
                                      audit.imbalance_share, audit.imbalance_step)});
    }
    if (audit.friction_beyond > limits.friction_cone * audit.contact_total) {
        const double share = audit.friction_beyond / audit.contact_total;
        doubts.push_back({"friction_cone", share, limits.friction_cone, audit.steps, 0,
                          fmt::format("friction is beyond its cones by {:.3g} of all contact forces", share)});
    }
}

}  // namespace

std::vector<Doubt> verdict(const RunReport& report) {
    std::vector<Doubt> doubts;
    if (has_stopped(report.status)) {
        doubts.push_back({"stopped", 1.0, 0.0, 1, static_cast<long>(report.steps) + 1,
                          fmt::format("the run stopped in step {}: {}", report.steps + 1, report.status)});
    }
    judge_steps(report, report.limits, doubts);
    judge_bodies(report, report.limits, doubts);
    if (report.audit) judge_audit(*report.audit, report.limits, doubts);
    return doubts;
}

std::vector<Doubt> verdict(const StepReport& step, long number, const std::vector<std::string>& bodies,
                           const EnergyLedger& ledger, const VerdictLimits& limits) {
    RunReport report;
    report.bodies = bodies;
    report.limits = limits;
    report.statistics.energy = ledger;
    report.statistics.add(step, number);
    return verdict(report);
}

std::string in_words(const std::vector<Doubt>& doubts) {
    if (doubts.empty()) return "ok";
    std::vector<std::string> texts;
    for (const Doubt& doubt : doubts) texts.push_back(doubt.text);
    return fmt::format("doubtful: {}", fmt::join(texts, "; "));
}

}  // namespace stiction
