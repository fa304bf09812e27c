// Who put energy into the bodies in a step, and who took it out.
#pragma once

#include "stiction/report/energy_ledger.hpp"
#include "stiction/world/step.hpp"

namespace stiction {

/// The works of a step or of a piece of one. Forces are those at its end, times its whole move; inertia is the mean
/// over it. What the method itself counted in `result.report.balance` (attachments and cables) is added to the loads.
/// @param energy_before  kinetic + elastic energy of `before` (J)
/// @param result         accepted, its energies measured
EnergyBalance energy_balance(const World& world, const State& before, double energy_before, const StepInput& input,
                             const StepResult& result);

/// Kinetic energy of all bodies, each at a speed of 1e-4 of its contact length a second (J): for EnergyLedger.
double unnoticed_energy(const World& world);
/// A ledger of this world. A gain that would lift each body by less than a hundredth of its contact length is none.
EnergyLedger energy_ledger(const World& world);

}  // namespace stiction
