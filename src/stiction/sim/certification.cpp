#include "stiction/sim/certification.hpp"

#include "stiction/audit/describe.hpp"
#include "stiction/base/timer.hpp"

#include <fmt/format.h>

#include <cstring>

namespace stiction {
namespace {

/// As bits: -0 and 0 are different positions here, and nothing is equal to a NaN by accident.
bool same_bits(const VecX& a, const VecX& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(double)) == 0;
}

}  // namespace

void Certifier::started(const World&, const State& state) {
    x_ = state.x;
    moves_.clear();
    if (certificate_.last_step != state.step) certificate_ = {};
    if (certificate_.moves.moves == 0) certificate_.first_step = state.step;
    certificate_.last_step = state.step;
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
    const double start = now_seconds();
    if (!joined(state.x)) ++certificate_.broken_chains;
    for (const auto& [x0, x1] : moves_) {
        const audit::MoveCertificate move = certifier_.certify_move(x0, x1);
        certificate_.moves += move;
        for (const audit::UnprovedPair& pair : move.first_unproved) {
            if (certificate_.examples.size() < audit::most_unproved_listed) certificate_.examples.push_back(fmt::format("step {}: {}", state.step, describe(world, pair)));
        }
    }
    certificate_.last_step = state.step;
    certificate_.milliseconds += 1e3 * (now_seconds() - start);
    x_ = state.x;
    moves_.clear();
}

void Certifier::step_failed(const World&, const State&, const StepReport&) { moves_.clear(); }

}  // namespace stiction
