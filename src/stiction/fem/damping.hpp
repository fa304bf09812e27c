// Rayleigh damping with the stiffness frozen at the start of a step.
#pragma once

#include "stiction/fem/quadratic_elements.hpp"
#include "stiction/fem/tet10_elements.hpp"
#include "stiction/fem/tet_elements.hpp"

namespace stiction {

/// Coefficients of Rayleigh damping, force -(alpha M + beta K) v. A mode of angular frequency w decays with the damping
/// ratio (alpha / w + beta w) / 2.
struct RayleighCoefficients {
    double alpha = 0.0;  ///< mass proportional, 1/s, >= 0
    double beta = 0.0;   ///< stiffness proportional, s, >= 0
};

/// The damping matrices C_e = alpha M_e + beta K_e with lumped M_e and K_e the elastic Hessian at x_t, projected
/// positive semidefinite, without what it has to say about rotations, and frozen: under stress K resists a rotation,
/// and damping would slow a spin by a torque that nothing exerts. C_e is in N s/m. The damping force is -C v; where the
/// step sets v = c (x - x_ref) the matching potential is c Q(x - x_ref) with Q(u) = 1/2 u^T C u: dissipative, since C
/// is positive semidefinite. Mass-proportional damping acts on all motion, free fall included.
/// @param density       kg/m^3, one per element
/// @param coefficients  one per element
/// @param x_t           stacked positions of ALL vertices at the start of the step
/// @param out           resized; reuse it from step to step
void freeze_rayleigh_damping(const TetElements& elements, const std::vector<double>& density,
                             const std::vector<RayleighCoefficients>& coefficients, const VecX& x_t,
                             QuadraticElements& out);
/// The same for quadratic tets, M_e as in lumped_mass().
void freeze_rayleigh_damping(const Tet10Elements& elements, const std::vector<double>& density,
                             const std::vector<RayleighCoefficients>& coefficients, const VecX& x_t,
                             QuadraticForms<10>& out);

}  // namespace stiction
