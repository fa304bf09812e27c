// What a barrier solve does otherwise in a stage that inertia does not hold: Stage::is_static().
#pragma once

#include "stiction/barrier/adaptive_stiffness.hpp"
#include "stiction/barrier/stopping.hpp"

#include <functional>

namespace stiction {

/// In a static stage nothing but friction may hold what meets in it, and lagged friction knows nothing of that. So the
/// stage is approached by solves that inertia holds, friction is lagged anew while it changes, and the end has to be a
/// balance with the friction of the end.
class StaticStage {
public:
    /// One Newton solve from the iterate. @return whether it was accepted
    using Newton = std::function<bool()>;
    /// Finds the contacts of the iterate anew, and lags their friction.
    using Refresh = std::function<void()>;

    /// Everything is kept by reference.
    StaticStage(const StageModel& model, BarrierPotential& potential, AdaptiveStiffness& stiffness, SolveLog& log)
        : model_(model), potential_(potential), stiffness_(stiffness), log_(log) {}

    /// Whether a body that is driven nowhere touches nothing where the stage begins, so that it may meet something in
    /// this stage that is to hold it.
    bool is_any_loose(const ContactSet& contacts) const;
    /// The beginning of a static stage in which something may meet: solves that are held by the inertia of longer and
    /// longer steps from the present iterate, the first of which an ordinary step could be. What contact does not
    /// decide (where boxes come to rest on each other) is where inertia left it then.
    void approach(const Iterate& iterate, const Newton& newton);
    /// Where a stage without inertia is to begin, which knows no velocities: the last step once more, by the part of it
    /// that what is driven goes now; nothing where it did not move, or goes back (stacked, m).
    VecX carried_along() const;

    /// A Newton solve begins. @param is_loose  StoppingRule::is_loose()
    void begin_newton(bool is_loose);
    /// Takes the friction of the present iterate where too much of it has changed, a limited number of times a solve.
    /// @return whether the potential is another one
    bool keep_up_friction(const Iterate& iterate);
    /// After an accepted run of a static stage: solves again with refreshed friction until the stage is in balance with
    /// the friction of its end, a few times; `not_converged` where it is not then.
    void settle(const Iterate& iterate, const StoppingRule& stopping, const Newton& newton, const Refresh& refresh);

private:
    const StageModel& model_;
    BarrierPotential& potential_;
    AdaptiveStiffness& stiffness_;
    SolveLog& log_;
    bool keeps_up_ = true;
    int refreshes_left_ = 0;  ///< for keep_up_friction(), in this Newton solve
};

}  // namespace stiction
