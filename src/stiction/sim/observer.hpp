// What a run tells the outside world. Observers watch; nothing they do changes a result.
#pragma once

#include "stiction/world/step.hpp"

namespace stiction {

/// Why Simulator::run returned.
enum class RunEnd {
    done,         ///< the requested step was reached
    stopped,      ///< a step could not be completed, not even in the smallest sub-steps
    interrupted,  ///< the interrupt flag was raised; the step under way was finished first
};

/// Called on the thread that runs the simulation, in order of registration. Exceptions end the run and reach its
/// caller.
class Observer {
public:
    virtual ~Observer() = default;
    /// Once a run, before its first step. `state` is the state it starts from.
    virtual void started(const World& /*world*/, const State& /*state*/) {}
    /// After every accepted scene step; `state` is the new state and result.report covers the whole step.
    virtual void step_done(const World& /*world*/, const State& /*state*/, const StepResult& /*result*/) {}
    /// After a scene step that could not be completed; `state` is the last certified one, `attempt` says what was
    /// tried.
    virtual void step_failed(const World& /*world*/, const State& /*state*/, const StepReport& /*attempt*/) {}
    /// Once a run, at its end. `last` is the result of the last accepted step, or null if there was none.
    virtual void finished(const World& /*world*/, const State& /*state*/, const StepResult* /*last*/, RunEnd /*end*/) {}
};

}  // namespace stiction
