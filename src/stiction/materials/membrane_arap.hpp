// As-rigid-as-possible sheets.
#pragma once

#include "stiction/base/host_device.hpp"
#include "stiction/materials/membrane_fixed_corotated.hpp"

namespace stiction {

/// psi = mu sum (s_i - 1)^2 = mu |F - R|^2, in J/m^3: the fixed corotated sheet without its area term. As for solids,
/// lambda is ignored: Poisson's ratio is 0 and the uniaxial stiffness 2 mu = E / (1 + nu), whatever nu was asked for.
template <class T>
struct MembraneArap : MembraneFixedCorotated<T> {
    /// From the Lame parameters of linear elasticity in three dimensions; lambda is ignored.
    STICTION_HD static MembraneArap from_lame(const LameParameters& lame) { return {{T(lame.mu), T(0)}}; }
};

}  // namespace stiction
