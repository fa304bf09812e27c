#include "stiction/barrier/stage_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace stiction {

void SolveLog::stop(Status status, std::string cause) {
    report_.status = status;
    report_.cause = std::move(cause);
}

void SolveLog::note_once(const char* text) {
    if (std::ranges::find(report_.notes, text) == report_.notes.end()) report_.notes.push_back(text);
}

void SolveLog::report_phases() {
    for (const auto& [phase, ms] : timers_.milliseconds()) report_.phases_ms[phase] += ms;
    timers_.clear();
}

std::string fixed_stiffness_cause(const BarrierOptions& options, const ContactSet& contacts) {
    if (options.barrier_stiffness == 0.0 || contacts.contacts.empty()) return "";
    return fmt::format(
        "; the cause is a fixed barrier_stiffness = {:g} {}, which does not suit {} contacts, the nearest {:.3g} m "
        "apart: 0 lets it adapt",
        options.barrier_stiffness, barrier_stiffness_unit(options.barrier_weights), contacts.contacts.size(),
        contacts.min_gap);
}

}  // namespace stiction
