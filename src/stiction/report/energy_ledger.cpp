#include "stiction/report/energy_ledger.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {

void EnergyLedger::add(const StepReport& report) {
    constexpr double tolerated_gain = 0.01, tolerated_gross_gain = 0.05;
    gain_ += report.balance.gain;
    dissipated_ -= report.balance.friction + report.balance.damping;
    peak_ = std::max(peak_, report.kinetic + report.elastic);
    work_ += std::abs(report.balance.loads) + std::abs(report.balance.driven);
    const bool gross = gross_gain() > tolerated_gross_gain * gross_scale();
    if (gross || gain_ > tolerated_gain * scale()) ++steps_above_;
}

}  // namespace stiction
