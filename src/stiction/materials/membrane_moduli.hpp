// Moduli of thin sheets: plane stress, bending, and quantities per area instead of per volume.
#pragma once

#include "stiction/base/host_device.hpp"
#include "stiction/materials/lame.hpp"

namespace stiction {

/// lambda of plane stress, 2 mu lambda / (lambda + 2 mu) = E nu / (1 - nu^2), in Pa: what is left of lambda when the
/// sheet is free to become thinner. In-plane stress per thickness is 2 mu eps + this * tr(eps) I.
STICTION_HD inline double plane_stress_lambda(const LameParameters& lame) {
    return 2.0 * lame.mu * lame.lambda / (lame.lambda + 2.0 * lame.mu);
}

/// Bending stiffness (flexural rigidity) E t^3 / (12 (1 - nu^2)) of a homogeneous sheet, in N m.
inline double flexural_rigidity(double youngs_modulus, double poisson_ratio, double thickness) {
    return youngs_modulus * thickness * thickness * thickness / (12.0 * (1.0 - poisson_ratio * poisson_ratio));
}

/// Areal density rho t in kg/m^2 from a volume density in kg/m^3. (The inverse is a division by the thickness.)
inline double areal_density(double density, double thickness) {
    return density * thickness;
}

}  // namespace stiction
