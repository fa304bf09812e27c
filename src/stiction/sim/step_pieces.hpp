// The report of a step that was made in pieces or in several attempts.
#pragma once

#include "stiction/report/step_report.hpp"

namespace stiction {

/// Adds the work that `attempt` did, accepted or not, to `total`.
void add_work(StepReport& total, const StepReport& attempt);

/// Takes over what describes the configuration at the end of an accepted sub-step.
void take_outcome(StepReport& total, const StepReport& accepted);

}  // namespace stiction
