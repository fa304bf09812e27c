// Lame parameters of linear elasticity.
#pragma once

namespace stiction {

/// Lame parameters of isotropic linear elasticity, in Pa: sigma = 2 mu eps + lambda tr(eps) I.
struct LameParameters {
    double mu = 0.0;      ///< shear modulus
    double lambda = 0.0;  ///< first parameter
};

/// mu = E / (2 (1 + nu)), lambda = E nu / ((1 + nu)(1 - 2 nu)). Young's modulus E in Pa. The caller has checked the
/// moduli (check_moduli() in material_law.hpp); E > 0 and -1 < nu < 0.5 are asserted (InternalError).
LameParameters lame_parameters(double youngs_modulus, double poisson_ratio);

}  // namespace stiction
