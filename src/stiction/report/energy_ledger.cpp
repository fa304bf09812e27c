#include "stiction/report/energy_ledger.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {

void EnergyLedger::add(const StepReport& report) {
    constexpr double tolerated_gain = 0.01;
    gain_ += report.balance.gain;
    peak_ = std::max(peak_, report.kinetic + report.elastic);
    work_ += std::abs(report.balance.loads) + std::abs(report.balance.driven);
    if (gain_ > tolerated_gain * scale()) ++steps_above_;
}

}  // namespace stiction
