// Energy, stress and Hessian of any isotropic law at a deformation gradient.
#pragma once

#include "stiction/materials/principal_hessian.hpp"
#include "stiction/materials/stretches.hpp"
#include "stiction/math/svd3.hpp"

namespace stiction {

/// psi(F) in J/m^3: directly from F where the law can, else through principal stretches. +inf at J <= 0 for barrier
/// laws.
template <class Law>
double energy_density(const Law& law, const Mat3& F) {
    if constexpr (Law::has_direct_path) {
        return law.energy(F);
    } else {
        return law.value(signed_svd(F).s);
    }
}

/// First Piola stress by the principal stretches of F = U diag(s) V^T.
template <class Law>
Mat3 stress_of_stretches(const Law& law, const SignedSvd& svd) {
    const Vec3 principal = law.gradient(svd.s);
    return svd.U * principal.asDiagonal() * svd.V.transpose();
}

/// First Piola stress P = d psi / d F in Pa. Not defined (NaN) at J <= 0 for barrier laws.
template <class Law>
Mat3 first_piola(const Law& law, const Mat3& F) {
    if constexpr (Law::has_direct_path) {
        return law.stress(F);
    } else {
        return stress_of_stretches(law, signed_svd(F));
    }
}

/// Whether dP/dF of a law depends on F, by its stretches and rotations.
template <class Law>
constexpr bool has_stretch_hessian = !requires(const Law& law) {
    law.fixed_hessian();
};

/// dP/dF of a law in principal stretches.
template <class Law>
PrincipalHessian hessian_of_stretches(const Law& law, const SignedSvd& svd) {
    if constexpr (requires { law.curvature(svd.s); }) {  // a law that shares work between the three
        const auto curvature = law.curvature(svd.s);
        return {svd.U, svd.V, curvature.scaling, curvature.flip, curvature.twist};
    }
    PrincipalHessian result{svd.U, svd.V, law.hessian(svd.s), Vec3(), Vec3()};
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        result.flip[k] = law.flip(svd.s, i, j);
        result.twist[k] = law.twist(svd.s, i, j);
    }
    return result;
}

/// dP/dF in principal axes, not projected. Not defined (NaN) at J <= 0 for barrier laws.
template <class Law>
PrincipalHessian principal_hessian(const Law& law, const Mat3& F) {
    if constexpr (has_stretch_hessian<Law>)
        return hessian_of_stretches(law, signed_svd(F));
    else
        return law.fixed_hessian();
}

}  // namespace stiction
