// What a barrier solve is given, and where it tells how it goes.
#pragma once

#include "stiction/barrier/options.hpp"
#include "stiction/base/timer.hpp"
#include "stiction/dynamics/stage.hpp"
#include "stiction/world/step.hpp"

#include <string>

namespace stiction {

/// The problem of one stage. Nothing in it changes during the solve; everything but `limits` is kept by reference.
struct StageModel {
    const World& world;
    const State& state;  ///< at the start of the stage
    const StepInput& input;
    const BarrierOptions& options;
    const Stage& stage;
    BarrierLimits limits;  ///< of the options, for this world
};

/// The report of a step and the times of its phases, which all parts of a solve add to.
class SolveLog {
public:
    /// @param report  kept by reference
    explicit SolveLog(StepReport& report) : report_(report) {}

    StepReport& report() { return report_; }
    PhaseTimers& timers() { return timers_; }
    /// Ends the solve in this way, unless it goes on.
    void stop(Status status, std::string cause);
    /// Remembers how the solve stands, for return_to_start().
    void remember() { start_ = {report_.status, report_.cause}; }
    /// Status and cause of the last remember(): what a part of a solve came to does not count.
    void return_to_start() { stop(start_.status, start_.cause); }
    /// A note that a step has at most once, however often its cause comes up.
    void note_once(const char* text);
    /// Moves the times into the report.
    void report_phases();

private:
    StepReport& report_;
    PhaseTimers timers_;
    struct {
        Status status = Status::converged;
        std::string cause;
    } start_;
};

/// What a solve that gets nowhere in contact comes from where the stiffness cannot adapt; empty otherwise.
std::string fixed_stiffness_cause(const BarrierOptions& options, const ContactSet& contacts);

}  // namespace stiction
