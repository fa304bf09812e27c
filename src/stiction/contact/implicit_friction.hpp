// Implicit friction of one barrier contact: closest points, tangent plane and normal force are those at the present
// positions; nothing is lagged.
#pragma once

#include "stiction/contact/contact_set.hpp"
#include "stiction/contact/friction_law.hpp"

namespace stiction {

using Mat12 = Eigen::Matrix<double, 12, 12>;

/// Parameters of the friction of a contact.
struct ImplicitFriction {
    FrictionLaw law;                 ///< for slips in metres: displacement from q_bar, speed times the stage's s
    double barrier_stiffness = 0.0;  ///< kappa, in the units of the objective (carries s^2)
    double squared_dhat = 0.0;       ///< m^2
    double coefficient = 0.0;        ///< static coefficient of the two bodies
    double kinetic_ratio = 1.0;      ///< kinetic over static coefficient
};

/// The friction term of the residual, mu(y) lambda s(y) w_i u/y on vertex i (minus the friction force), with y =
/// |u|, u the tangential part of sum_i w_i (x_i - q_bar_i), lambda = kappa m e(c) |d b/d d|, and w, lambda and the
/// tangent plane at x (Larionov et al. 2022, equations 14 and 23). Nearly parallel edges carry friction as far as their
/// mollifier e lets the barrier act, so the force is continuous.
/// @param contact  of the contact set at x
/// @return entries of the contact's vertices; unused ones zero
Vec12 implicit_friction_residual(const ImplicitFriction& friction, const Contact& contact, const VecX& x,
                                 const VecX& q_bar);

/// Its derivative with respect to x, rows: residual, columns: positions. Neither symmetric nor definite.
/// @param residual  filled with the residual if given
Mat12 implicit_friction_jacobian(const ImplicitFriction& friction, const Contact& contact, const VecX& x,
                                 const VecX& q_bar, Vec12* residual = nullptr);

/// The same derivative by formulas instead of dual numbers; they agree to rounding.
Mat12 implicit_friction_jacobian_analytic(const ImplicitFriction& friction, const Contact& contact, const VecX& x,
                                          const VecX& q_bar);

/// Normal force lambda (units of the residual) and tangential slip u (m) of the contact, for reports.
struct ContactSlip {
    double normal_force = 0.0;
    Vec3 slip = Vec3::Zero();
};
ContactSlip contact_slip(const ImplicitFriction& friction, const Contact& contact, const VecX& x, const VecX& q_bar);

}  // namespace stiction
