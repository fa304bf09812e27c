#include "stiction/sim/energy_guard.hpp"

#include "stiction/base/bytes.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

constexpr const char* guard_key = "energy_guard";

}  // namespace

bool EnergyGuard::watches(const State& state) {
    return state.warm_start.contains(guard_key);
}

EnergyGuard::EnergyGuard(const State& from, double unnoticed) : unnoticed_(unnoticed) {
    const auto entry = from.warm_start.find(guard_key);
    if (entry == from.warm_start.end() || entry->second.size() != 3 * sizeof(double)) return;
    const char* at = entry->second.data();
    take_bytes(at, excess_);
    take_bytes(at, scale_);
    take_bytes(at, contact_energy_);
    is_known_ = true;
}

double EnergyGuard::gain(const StepReport& report) const {
    return report.balance.gain + (is_known_ ? report.contact_energy - contact_energy_ : 0.0);
}

bool EnergyGuard::refuses(const StepReport& report) const {
    const double scale = std::max(scale_, report.kinetic + report.elastic);
    const double allowed = allowed_part * scale + std::abs(report.balance.driven) + unnoticed_;
    const double gained = gain(report);
    return gained > 0.0 && excess_ + gained > allowed;
}

void EnergyGuard::accept(const StepReport& report, bool is_damped) {
    const double gained = gain(report);
    if (!is_damped || gained < 0.0) excess_ = std::max(0.0, excess_ + gained);
    scale_ = std::max(scale_, report.kinetic + report.elastic);
    contact_energy_ = report.contact_energy;
    is_known_ = true;
}

void EnergyGuard::carry(State& to) const {
    std::string& bytes = to.warm_start[guard_key];
    bytes.clear();
    for (const double number : {excess_, scale_, contact_energy_}) append_bytes(bytes, number);
}

}  // namespace stiction
