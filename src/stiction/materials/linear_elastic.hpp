// Linear elasticity.
#pragma once

#include "stiction/materials/lame.hpp"
#include "stiction/materials/principal_hessian.hpp"
#include "stiction/materials/stretches.hpp"

namespace stiction {

/// psi = mu eps : eps + lambda/2 (tr eps)^2, in J/m^3, with the small strain eps = (F + F^T) / 2 - I. Quadratic in F
/// and finite for every F. Not objective: rotations cost energy, which grows as their angle squared; for small turns
/// only. Stretches mean F = diag(s) here. mu and lambda in Pa.
template <class T>
struct LinearElastic {
    static constexpr bool invertible = true;
    static constexpr bool has_direct_path = true;

    T mu, lambda;

    /// From the Lame parameters of linear elasticity.
    static LinearElastic from_lame(const LameParameters& lame) { return {T(lame.mu), T(lame.lambda)}; }

    /// Energy density of F = diag(s).
    T value(const Stretches<T>& s) const {
        const Stretches<T> e = s - Stretches<T>::Ones();
        return mu * e.squaredNorm() + T(0.5) * lambda * e.sum() * e.sum();
    }
    /// Diagonal of the stress of F = diag(s).
    Stretches<T> gradient(const Stretches<T>& s) const {
        const Stretches<T> e = s - Stretches<T>::Ones();
        return T(2) * mu * e + Stretches<T>::Constant(lambda * e.sum());
    }
    /// d^2 psi / d s_i d s_j.
    Matrix3<T> hessian(const Stretches<T>&) const {
        Matrix3<T> H = Matrix3<T>::Constant(lambda);
        H.diagonal().array() += T(2) * mu;
        return H;
    }

    /// dP/dF of symmetric changes off the diagonal, as in PrincipalHessian.
    T flip(const Stretches<T>&, int, int) const { return T(2) * mu; }
    /// dP/dF of antisymmetric changes, as in PrincipalHessian: none.
    T twist(const Stretches<T>&, int, int) const { return T(0); }

    /// Energy density of a deformation gradient.
    T energy(const Matrix3<T>& F) const {
        const Matrix3<T> strain = small_strain(F);
        return mu * strain.squaredNorm() + T(0.5) * lambda * strain.trace() * strain.trace();
    }
    /// First Piola stress d psi / d F, symmetric.
    Matrix3<T> stress(const Matrix3<T>& F) const {
        const Matrix3<T> strain = small_strain(F);
        Matrix3<T> P = T(2) * mu * strain;
        P.diagonal().array() += lambda * strain.trace();
        return P;
    }
    /// dP/dF, the same for every F, in the axes of space; positive semidefinite.
    PrincipalHessian fixed_hessian() const {
        return {Mat3::Identity(), Mat3::Identity(), Mat3(hessian({})), Vec3::Constant(2.0 * mu), Vec3::Zero()};
    }

private:
    static Matrix3<T> small_strain(const Matrix3<T>& F) {
        return T(0.5) * (F + F.transpose()) - Matrix3<T>::Identity();
    }
};

}  // namespace stiction
