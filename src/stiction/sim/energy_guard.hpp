// Which steps of an integrator that may gain energy have to be damped.
#pragma once

#include "stiction/world/step.hpp"

#include <string>

namespace stiction {

/// Trapezoidal rule, BDF2 and TR-BDF2 do not bound the energy of bodies whose forces are not linear: once vibrations
/// that h does not resolve are excited, they can grow without end. The guard follows the excess: what bodies and
/// contacts gained beyond what loads and driven vertices put in, since that sum was lowest. It is carried by the state.
class EnergyGuard {
public:
    /// Largest excess, as a part of the scale. Within an impact the trapezoidal rule loses and regains about 2 %, which
    /// belongs to the rebound.
    static constexpr double allowed_part = 0.03;

    /// Whether a guard left its numbers in this state.
    static bool watches(const State& state);

    /// @param unnoticed  energy that nobody would notice (J)
    EnergyGuard(const State& from, double unnoticed);
    /// Whether a step that ended like this has to be made again by an integrator that damps.
    /// @param report  accepted, its energies and balance known
    bool refuses(const StepReport& report) const;
    /// Goes on from the end of an accepted step. What a damped one gains comes from elsewhere, for instance from a
    /// barrier that was made stiffer, and is no excess.
    void accept(const StepReport& report, bool is_damped);
    /// Excess (J).
    double excess() const { return excess_; }
    /// What the excess is small against: the largest kinetic + elastic energy so far (J).
    double scale() const { return scale_; }
    void carry(State& to) const;

private:
    /// Change of the energy of bodies and contacts that nobody made (J).
    double gain(const StepReport& report) const;

    double unnoticed_ = 0.0, excess_ = 0.0, scale_ = 0.0;
    double contact_energy_ = 0.0;  ///< at the start of the step (J)
    bool is_known_ = false;        ///< whether contact_energy_ is
};

}  // namespace stiction
