#include "stiction/report/energy_ledger.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {

void EnergyLedger::add(const StepReport& report) {
    gain_ += report.balance.gain;
    dissipated_ -= report.balance.friction + report.balance.damping;
    peak_ = std::max(peak_, report.kinetic + report.elastic);
    work_ += std::abs(report.balance.loads) + std::abs(report.balance.driven);
    for (const Worst& now : {Worst{gain_, gain_ / scale(), tolerated_gain},
                             Worst{gross_gain(), gross_gain() / gross_scale(), tolerated_gross_gain}}) {
        if (now.share / now.tolerated > worst_.share / worst_.tolerated) worst_ = now;
    }
    const bool gross = gross_gain() > tolerated_gross_gain * gross_scale();
    if (gross || gain_ > tolerated_gain * scale()) ++steps_above_;
}

}  // namespace stiction
