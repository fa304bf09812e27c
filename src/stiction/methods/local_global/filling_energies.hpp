// The energies of fillings in a time step, and the modes that they add to the global step.
#pragma once

#include "stiction/fem/volume_zone.hpp"
#include "stiction/methods/local_global/contact/inverse_modes.hpp"
#include "stiction/world/step.hpp"

namespace stiction::local_global {

class GlobalSystem;

/// Energies of the fillings at one configuration.
struct FillingValues {
    std::vector<double> energy;  ///< W of each (J); +inf where a law has no volume left
    double rounding = 0.0;       ///< sum of |W'| V (J): V is rounded in proportion to itself
};

/// Fillings W(V(x)) of closed regions. The sparse constant matrix does not hold their stiffness, which is dense over
/// the region: it enters as one mode each. Every evaluation allocates the gradients of the volumes.
class FillingEnergies {
public:
    /// @param world  kept by reference
    explicit FillingEnergies(const World& world) : world_(world) {}

    bool empty() const { return world_.fillings.empty(); }
    /// Starts a step: the over-pressures at its end.
    void begin(const StepInput& input);
    /// At x (m). Adds `scale` times the gradients (N) to a vector over the unknowns.
    /// @param unknowns  vertices, ascending
    void evaluate(const VecX& x, const std::vector<Index>& unknowns, double scale, FillingValues& values,
                  VecX& gradient) const;
    /// Sets the modes of the fillings at x, for the stiffness `scale` times W'' of each.
    /// @param modes  its other modes are set
    void linearise(const VecX& x, const GlobalSystem& system, double scale, InverseModes& modes) const;

private:
    const World& world_;
    std::vector<VolumeEnergy> energies_;
};

}  // namespace stiction::local_global
