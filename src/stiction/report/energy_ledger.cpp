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
        if (now.gain > negligible_ && now.share / now.tolerated > worst_.share / worst_.tolerated) worst_ = now;
    }
    const double net_limit = std::max(negligible_, tolerated_gain * scale()),
                 gross_limit = std::max(negligible_, tolerated_gross_gain * gross_scale());
    if (gain_ > net_limit || gross_gain() > gross_limit) ++steps_above_;
}

}  // namespace stiction
