// Follows a step from inside.
#pragma once

namespace stiction {

/// Is told how far a step under way is, and may end it. Called on the thread that makes the step.
class StepWatch {
public:
    virtual ~StepWatch() = default;
    /// Asked at least once an iteration. False: nobody waits for the step any more, and it ends with the status
    /// `interrupted`. Stays false for the rest of the step.
    /// @param iterations  made so far in this call of the method
    /// @param residual    after the last of them, in StepReport::residual_unit; 0 before the first
    virtual bool go_on(int iterations, double residual) = 0;
};

}  // namespace stiction
