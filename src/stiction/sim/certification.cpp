#include "stiction/sim/certification.hpp"

#include "stiction/audit/audit.hpp"
#include "stiction/base/timer.hpp"

#include <fmt/format.h>

#include <cstring>

namespace stiction {
namespace {

/// As bits: -0 and 0 are different positions here, and nothing is equal to a NaN by accident.
bool same_bits(const VecX& a, const VecX& b) {
    return a.size() == b.size() &&
           std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(double)) == 0;
}

}  // namespace

void Certifier::started(const World& world, const State& state) {
    x_ = state.x;
    moves_.clear();
    attempt_begin_ = 0;
    if (!earlier_) certificate_.first_step = certificate_.last_step = state.step;
    const bool gap = certificate_.last_step < state.step;
    if (gap) certificate_.uncertified_steps += state.step - certificate_.last_step;
    if (gap || !earlier_) {
        const audit::AuditReport start = audit::audit_state(world, state.x);
        certificate_.start_faults += static_cast<long>(start.fault_count());
        for (const std::string& line : messages(world, start, state.x, audit::most_unproved_listed))
            certificate_.examples.push_back(fmt::format("start at step {}: {}", state.step, line));
        certificate_.last_step = state.step;
    }
    earlier_ = true;
}

bool Certifier::joined(const VecX& to) const {
    const VecX* end = &x_;
    for (const auto& [x0, x1] : moves_) {
        if (!same_bits(*end, x0)) return false;
        end = &x1;
    }
    return same_bits(*end, to);
}

void Certifier::step_done(const World& world, const State& state, const StepResult&) {
    if (state.step > certificate_.last_step) certify(world, state);
    x_ = state.x;
    moves_.clear();
}

void Certifier::certify(const World& world, const State& state) {
    const double start = now_seconds();
    if (!joined(state.x)) ++certificate_.broken_chains;
    for (const auto& [x0, x1] : moves_) {
        const audit::MoveCertificate move = certifier_.certify_move(x0, x1);
        certificate_.moves += move;
        for (const audit::UnprovedPair& pair : move.first_unproved) {
            if (certificate_.examples.size() < audit::most_unproved_listed)
                certificate_.examples.push_back(fmt::format("step {}: {}", state.step, describe(world, pair)));
        }
    }
    certificate_.last_step = state.step;
    certificate_.milliseconds += 1e3 * (now_seconds() - start);
}

void Certifier::step_dropped(const World&, const State&, const StepReport&) {
    moves_.clear();
}

void Certifier::step_failed(const World&, const State&, const StepReport&) {
    moves_.clear();
}

}  // namespace stiction
