// What can be doubted about the physics of a run.
#pragma once

#include "stiction/output/run_report.hpp"

#include <string>
#include <vector>

namespace stiction {

/// A check of a run whose number is beyond its limit.
struct Doubt {
    /// Name: stopped, energy, momentum, angular_momentum, overlaps, tolerance, friction, steps_cut, elements,
    /// contact_load, first_move, audit, imbalance, friction_cone. The worst of `elements` is below its limit.
    std::string check;
    double worst = 0.0, limit = 0.0;
    long steps = 0;       ///< in how many steps it was seen
    long first_step = 0;  ///< in which step first; of sums, and of what only audits see, in which it was worst
    std::string text;     ///< number and step in words
};

/// Every check of a run that is beyond its limit, the gravest first; none: the run is `ok`. What only the audit
/// measures is judged where it looked.
std::vector<Doubt> verdict(const RunReport& report);
/// The same of one step.
/// @param bodies  names of the world's bodies
/// @param ledger  an empty one, see energy_ledger()
std::vector<Doubt> verdict(const StepReport& step, long number, const std::vector<std::string>& bodies,
                           const EnergyLedger& ledger, const VerdictLimits& limits);

/// "ok", or the doubts in one line.
std::string in_words(const std::vector<Doubt>& doubts);

}  // namespace stiction
