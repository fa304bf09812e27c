// Coulomb's law of one contact, solved exactly.
#pragma once

#include "stiction/base/types.hpp"

namespace stiction::mlcp {

/// One contact whose relative motion u = W f + q depends on its own force f alone; entries are normal, tangent,
/// tangent:
///     0 <= u_n perp f_n >= 0,   |f_t| <= mu f_n,   u_t = 0 or f_t = -mu_k f_n u_t / |u_t|,   mu_k <= mu.
/// A sliding contact has u_n = 0 and u_t = -a f_t for some a > 0. In the eigenvectors of the tangential Schur
/// complement of W, |f_t| - mu_k f_n is a sum of simple fractions in a. It changes its sign in a known interval.
class CoulombContact {
public:
    CoulombContact() = default;
    /// @param W  symmetric positive semidefinite (m/N); zero where nothing moves: the force is zero then
    /// @param kinetic_ratio  mu_k / mu, in [0, 1]
    CoulombContact(const Mat3& W, double friction, double kinetic_ratio);

    /// f at a given q (m). Zero where q_n >= 0; else inside the cone or on it.
    Vec3 solve(const Vec3& q) const;
    /// W.
    const Mat3& response() const { return W_; }

private:
    Mat3 W_ = Mat3::Zero();
    double friction_ = 0.0, kinetic_ = 0.0;
    Vec2 coupling_ = Vec2::Zero();   ///< W_tn / W_nn
    Mat2 basis_ = Mat2::Identity();  ///< eigenvectors of W_tt - W_tn W_nt / W_nn
    Vec2 stiffness_ = Vec2::Zero();  ///< their eigenvalues
    Vec2 turned_coupling_ = Vec2::Zero();
};

}  // namespace stiction::mlcp
