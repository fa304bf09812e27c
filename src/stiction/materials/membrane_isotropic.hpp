// Energy, stress and Hessian of any isotropic law of thin sheets at a deformation gradient.
#pragma once

#include "stiction/materials/membrane_strain_limit.hpp"
#include "stiction/materials/membrane_stretches.hpp"

namespace stiction {

using Mat6 = Eigen::Matrix<double, 6, 6>;

/// dP/dF of an isotropic sheet at F = U[:, 0:2] diag(s) V^T. A change dF, seen in principal axes as the 3x2 matrix
/// X = U^T dF V, gives the stress change U Y V^T with
///   (Y_00, Y_11) = scaling (X_00, X_11),
///   Y_01 + Y_10 = flip (X_01 + X_10),  Y_01 - Y_10 = twist (X_01 - X_10),
///   Y_2i = normal[i] X_2i  (motion out of the sheet: tension divided by stretch).
/// The six eigenvalues of dP/dF are those of `scaling`, flip, twist and the two of `normal`. Units Pa.
struct MembraneHessian {
    Mat3 U;
    Mat2 V;
    Mat2 scaling;
    double flip = 0.0, twist = 0.0;
    Vec2 normal;
};

/// Clamps the negative eigenvalues to zero: one 2x2 eigen-decomposition (only if `scaling` is not already positive
/// definite) and four clamps. The result is the nearest positive semidefinite dP/dF in the Frobenius norm.
void project_psd(MembraneHessian& hessian);

/// The 6x6 matrix d vec(P) / d vec(F), column-major vec: entry i + 3 j belongs to F(i, j). Symmetric.
Mat6 expand(const MembraneHessian& hessian);

/// psi(F) in J/m^3, strain limit included; +inf for a collapsed F of a barrier law and beyond the limit.
template <class Law>
double membrane_energy_density(const Law& law, const StrainLimit& limit, const Mat32& F) {
    const Vec2 s = sheet_svd(F).s;
    const double energy = law.value(s);
    return limit.active(s) ? energy + limit.value(s) : energy;
}

/// First Piola stress P = d psi / d F in Pa, 3x2. Not defined where the energy is +inf.
template <class Law>
Mat32 membrane_stress(const Law& law, const StrainLimit& limit, const Mat32& F) {
    const SheetSvd svd = sheet_svd(F);
    Vec2 principal = law.gradient(svd.s);
    if (limit.active(svd.s)) principal += limit.gradient(svd.s);
    return svd.U.leftCols<2>() * principal.asDiagonal() * svd.V.transpose();
}

/// dP/dF in principal axes, not projected. Not defined where the energy is +inf.
template <class Law>
MembraneHessian membrane_hessian(const Law& law, const StrainLimit& limit, const Mat32& F) {
    const SheetSvd svd = sheet_svd(F);
    MembraneHessian result{svd.U,
                           svd.V,
                           law.hessian(svd.s),
                           law.flip(svd.s),
                           law.twist(svd.s),
                           Vec2(law.normal(svd.s, 0), law.normal(svd.s, 1))};
    if (limit.active(svd.s)) {
        result.scaling += limit.hessian(svd.s);
        result.flip += limit.flip(svd.s);
        result.twist += limit.twist(svd.s);
        result.normal += Vec2(limit.normal(svd.s, 0), limit.normal(svd.s, 1));
    }
    return result;
}

}  // namespace stiction
