// Lagged friction of one contact: a dissipative potential with given normal force and tangents.
#pragma once

#include "stiction/contact/contact_pair.hpp"
#include "stiction/contact/friction_law.hpp"

namespace stiction {

/// f0(y): potential of the smoothed friction magnitude f1(y), with f0' = f1 and f0(eps) = eps; Li et al. 2020,
/// equation 13.
/// @param y   relative tangential displacement (m), >= 0
/// @param eps displacement below which the contact counts as sticking: eps_v h (m)
double friction_f0(double y, double eps);
/// f1(y) / y, finite at y = 0 (1/m).
double friction_f1_over_y(double y, double eps);
/// f1'(y) (1/m): 2/eps at 0, 0 from eps on.
double friction_f1_derivative(double y, double eps);

/// One contact with everything that friction lags: closest points, tangents and the largest friction force.
struct LaggedFriction {
    ContactPair pair;
    double force_limit =
        0.0;  ///< mu lambda with the static mu, in units of the objective's gradient (N s^2, see Stage)
    double kinetic_ratio = 1.0;  ///< kinetic over static coefficient
};

/// Tangential relative displacement u = T^T sum_i w_i (x_i - x_ref_i) (m).
Vec2 tangential_displacement(const LaggedFriction& contact, const VecX& x, const VecX& x_ref);
/// mu lambda F(|u|), F the law's potential.
/// @param law  for slips in metres
double friction_energy(const LaggedFriction& contact, const Vec2& u, const FrictionLaw& law);
/// Gradient with respect to the stencil's vertices (unused entries zero): minus the friction force.
Vec12 friction_gradient(const LaggedFriction& contact, const Vec2& u, const FrictionLaw& law);
/// Which curvature of mu lambda F a search direction is computed with.
enum class FrictionCurvature {
    tangent,  ///< the Hessian: quadratic convergence once every contact has found its side of the kink. Where friction
              ///< falls with slip, f' counts as 0
    secant,   ///< (f/y) I, the curvature of the parabola in u that touches f0 at y and lies above it everywhere: a
              ///< sliding contact may stop
};
/// Hessian or its majorant; both positive semi-definite as they stand (eigenvalues max(f', 0) and f/y).
Mat12 friction_hessian(const LaggedFriction& contact, const Vec2& u, const FrictionLaw& law,
                       FrictionCurvature curvature = FrictionCurvature::tangent);

}  // namespace stiction
