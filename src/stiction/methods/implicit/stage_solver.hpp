// Interface between a step and its kind of contact, barrier or penalty.
#pragma once

#include "stiction/dynamics/stage.hpp"

#include <optional>
#include <string>

namespace stiction::implicit {

/// How a stage ended.
struct StageEnd {
    VecX q;                  ///< stacked (m)
    std::string warm_start;  ///< bytes for State::warm_start
};

/// Solves the stages of one step with one kind of contact. What fails says so in the report of the step.
class StageSolver {
public:
    virtual ~StageSolver() = default;

    /// Where State::warm_start keeps what the contact hands on from step to step.
    virtual const char* warm_start_key() const = 0;
    /// Whether a step can start from where it does.
    virtual bool can_start() { return true; }
    /// Solves the present stage.
    /// @return nothing when it failed
    virtual std::optional<StageEnd> solve(const StageSequence& stages) = 0;
    /// After the last stage: whether contact was made stiffer, so that all stages have to be solved again.
    virtual bool stiffen() { return false; }
    /// The step is accepted and ends at `end`.
    virtual void finish(State& end) = 0;
};

}  // namespace stiction::implicit
