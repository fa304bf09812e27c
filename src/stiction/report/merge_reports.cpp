#include "stiction/report/merge_reports.hpp"

#include <algorithm>

namespace stiction {
namespace {

void add_work(ComplementarityReport& total, const ComplementarityReport& attempt) {
    total.solves += attempt.solves;
    total.elastic_linearisations += attempt.elastic_linearisations;
    total.mode_switches += attempt.mode_switches;
    total.fallbacks += attempt.fallbacks;
    total.setup_seconds += attempt.setup_seconds;
}

/// What an accepted piece ends with, beside the worst errors and the work so far.
void take_outcome(ComplementarityReport& total, const ComplementarityReport& accepted, bool first) {
    const ComplementarityReport before = total;
    total = accepted;
    total.solves = before.solves;
    total.elastic_linearisations = before.elastic_linearisations;
    total.mode_switches = before.mode_switches;
    total.fallbacks = before.fallbacks;
    total.setup_seconds = before.setup_seconds;
    if (first) return;
    total.momentum_error = std::max(before.momentum_error, accepted.momentum_error);
    total.normal_error = std::max(before.normal_error, accepted.normal_error);
    total.sticking_error = std::max(before.sticking_error, accepted.sticking_error);
    total.sliding_error = std::max(before.sliding_error, accepted.sliding_error);
}

void take_outcome(ContactOutcome& total, const ContactOutcome& accepted, bool first) {
    if (first || accepted.deepest > total.deepest) {
        total.deepest = accepted.deepest;
        total.bodies = accepted.bodies;
    }
    total.residual = first ? accepted.residual : std::max(total.residual, accepted.residual);
    total.clamped = first ? accepted.clamped : std::max(total.clamped, accepted.clamped);
    total.overlaps = first ? accepted.overlaps : std::max(total.overlaps, accepted.overlaps);
}

}  // namespace

void add_work(StepReport& total, const StepReport& attempt) {
    total.iterations += attempt.iterations;
    total.linear_solves += attempt.linear_solves;
    total.line_search += attempt.line_search;
    total.ccd_queries += attempt.ccd_queries;
    total.milliseconds += attempt.milliseconds;
    for (const auto& [phase, ms] : attempt.phases_ms) total.phases_ms[phase] += ms;
    total.trace.insert(total.trace.end(), attempt.trace.begin(), attempt.trace.end());
    total.notes.insert(total.notes.end(), attempt.notes.begin(), attempt.notes.end());
    if (attempt.complementarity) {
        if (!total.complementarity) total.complementarity.emplace();
        add_work(*total.complementarity, *attempt.complementarity);
    }
}

void take_outcome(StepReport& total, const StepReport& accepted) {
    const bool first = total.substeps == 0;
    total.min_gap = first ? accepted.min_gap : std::min(total.min_gap, accepted.min_gap);
    total.residual = first ? accepted.residual : std::max(total.residual, accepted.residual);
    total.residual_unit = accepted.residual_unit;
    take_outcome(total.contact, accepted.contact, first);
    if (accepted.status == Status::not_converged) total.notes.push_back("a piece of a step is not converged");
    if (!accepted.linear_solver.empty()) total.linear_solver = accepted.linear_solver;
    total.contacts = accepted.contacts;
    total.kinetic = accepted.kinetic;
    total.elastic = accepted.elastic;
    total.contact_energy = accepted.contact_energy;
    total.damped += accepted.damped;
    total.gravity = accepted.gravity;
    total.momentum = accepted.momentum;
    total.momentum_loss = accepted.momentum_loss;
    if (first || accepted.contact_load.share > total.contact_load.share) total.contact_load = accepted.contact_load;
    total.balance = first ? accepted.balance : total.balance += accepted.balance;
    if (accepted.complementarity) take_outcome(*total.complementarity, *accepted.complementarity, first);
    ++total.substeps;
}

}  // namespace stiction
