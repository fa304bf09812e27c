// Second derivatives of isotropic laws in principal axes, and their closed-form projection.
#pragma once

#include "stiction/base/types.hpp"

namespace stiction {

/// dP/dF of an isotropic law at F = U diag(s) V^T. A change dF, seen in principal axes as X = U^T dF V, gives the
/// stress change U Y V^T with
///   diag(Y) = scaling diag(X),
///   Y_ij + Y_ji = flip[k] (X_ij + X_ji),  Y_ij - Y_ji = twist[k] (X_ij - X_ji),
/// k the axis normal to the plane (i, j): pairs (1,2), (2,0), (0,1). The eigenvalues of dP/dF are those of `scaling`,
/// the flips and the twists. Symmetric by construction; units Pa. Twist, flip and scaling modes are the names of Smith,
/// de Goes and Kim 2019, "Analytic eigensystems for isotropic distortion energies".
struct PrincipalHessian {
    Mat3 U, V;     ///< rotations of the signed decomposition
    Mat3 scaling;  ///< d^2 psi / d s_i d s_j, symmetric
    Vec3 flip;     ///< (g_i - g_j) / (s_i - s_j)
    Vec3 twist;    ///< (g_i + g_j) / (s_i + s_j)
};

/// Clamps the negative eigenvalues to zero: one 3x3 eigen-decomposition (only if `scaling` is not already positive
/// definite) and six clamps. The result is the nearest positive semidefinite dP/dF in the Frobenius norm.
void project_psd(PrincipalHessian& hessian);

/// The 9x9 matrix d vec(P) / d vec(F), column-major vec: entry i + 3 j belongs to F(i, j). Symmetric.
Mat9 expand(const PrincipalHessian& hessian);

/// Factors of the off-diagonal pairs: Y_ij = alpha[k] X_ij + beta[k] X_ji.
inline Vec3 direct_factors(const PrincipalHessian& hessian) {
    return 0.5 * (hessian.flip + hessian.twist);
}
/// See direct_factors().
inline Vec3 crossed_factors(const PrincipalHessian& hessian) {
    return 0.5 * (hessian.flip - hessian.twist);
}

}  // namespace stiction
