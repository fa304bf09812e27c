// One report of a step that took several attempts or pieces.
#pragma once

#include "stiction/report/step_report.hpp"

namespace stiction {

/// Adds the work that `attempt` did, accepted or not, to `total`.
void add_work(StepReport& total, const StepReport& attempt);
/// Takes over what describes the configuration at the end of an accepted piece, the worst of all pieces where that is
/// what counts, and counts the piece.
void take_outcome(StepReport& total, const StepReport& accepted);

}  // namespace stiction
