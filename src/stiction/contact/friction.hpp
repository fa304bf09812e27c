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
    double force_limit = 0.0;  ///< mu lambda with the static mu, in units of the objective's gradient (N s^2, see
                               ///< Stage); negative where a weight takes away what others count twice (ContactWeights)
    double kinetic_ratio = 1.0;  ///< kinetic over static coefficient
    double slip_share = 1.0;     ///< of the law's slips that this pair of bodies has (FrictionLaw::of_pair)
};

/// Tangential relative displacement u = T^T sum_i w_i (x_i - x_ref_i) (m).
Vec2 tangential_displacement(const LaggedFriction& contact, const VecX& x, const VecX& x_ref);
/// mu lambda F(|u|), F the law's potential.
/// @param law  for slips in metres
double friction_energy(const LaggedFriction& contact, const Vec2& u, const FrictionLaw& law);
/// Gradient with respect to the stencil's vertices (unused entries zero): minus the friction force.
Vec12 friction_gradient(const LaggedFriction& contact, const Vec2& u, const FrictionLaw& law);
/// u / |u|, or 0 for u = 0: the direction of slip w that makes friction_hessian() the Hessian.
Vec2 slip_direction(const Vec2& u);
/// mu lambda ((f/y) I + (max(f', 0) - f/y) (w d^T + d w^T) / 2) on the stencil's vertices, y = |u|, d = u / y: the
/// curvature of a primal-dual method for sums of norms (Chan, Golub and Mulet, A nonlinear primal-dual method for total
/// variation-based image restoration, SIAM J. Sci. Comput. 20, 1999), with its matrix made symmetric. Positive
/// semi-definite for every w, and zero for a negative force limit.
///   w = d: the Hessian (where friction falls with slip, f' counts as 0); quadratic convergence near the solution.
///   w = 0: the secant (f/y) I, the curvature of the parabola in u that touches F at y and lies above it everywhere.
/// @param w  estimate of the direction of slip at the solution, in the unit disc
Mat12 friction_hessian(const LaggedFriction& contact, const Vec2& u, const FrictionLaw& law, const Vec2& w);
/// The next estimate w: friction over its limit at u + move, by the linearisation that friction_hessian() is the matrix
/// of, brought back to the unit disc.
/// @param move  change of u by a whole search direction (m), however much of it is taken
Vec2 next_slip_direction(const LaggedFriction& contact, const Vec2& u, const FrictionLaw& law, const Vec2& w,
                         const Vec2& move);

}  // namespace stiction
