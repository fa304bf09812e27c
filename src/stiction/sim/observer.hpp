// What a run tells the outside world. Observers watch; nothing they do changes a result.
#pragma once

#include "stiction/world/step.hpp"

namespace stiction {

/// Why Simulator::run returned.
enum class RunEnd {
    done,         ///< the requested step was reached
    stopped,      ///< a step could not be completed, not even in the smallest sub-steps
    interrupted,  ///< the interrupt flag was raised and the step under way was dropped, or an observer wanted no more
};

/// Called on the thread that runs the simulation, in order of registration. Exceptions end the run and reach its
/// caller.
class Observer {
public:
    virtual ~Observer() = default;
    /// Once a run, before its first step. `state` is the state it starts from.
    virtual void started(const World& /*world*/, const State& /*state*/) {}
    /// In every iteration of a step, often thousands of times a second; must not throw. `state` is that at the start of
    /// the step.
    /// @param iterations  made so far in all attempts at the step
    /// @param residual    of the last one, in the method's unit; 0 before the first
    virtual void iterated(const World& /*world*/, const State& /*state*/, int /*iterations*/, double /*residual*/) {}
    /// After every accepted scene step; `state` is the new state and result.report covers the whole step.
    virtual void step_done(const World& /*world*/, const State& /*state*/, const StepResult& /*result*/) {}
    /// Asked after every accepted scene step; false ends the run there, as an interrupt does.
    virtual bool goes_on() { return true; }
    /// After a scene step that could not be completed; `state` is the last certified one, `attempt` says what was
    /// tried.
    virtual void step_failed(const World& /*world*/, const State& /*state*/, const StepReport& /*attempt*/) {}
    /// After a scene step that was dropped because of an interrupt; `state` is that before it, to which the simulator
    /// has returned.
    virtual void step_dropped(const World& /*world*/, const State& /*state*/, const StepReport& /*attempt*/) {}
    /// Once a run, at its end. `last` is the result of the last accepted step, or null if there was none.
    virtual void finished(const World& /*world*/, const State& /*state*/, const StepResult* /*last*/, RunEnd /*end*/) {}
};

}  // namespace stiction
