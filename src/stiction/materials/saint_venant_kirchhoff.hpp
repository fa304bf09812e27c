// St. Venant-Kirchhoff elasticity.
#pragma once

#include "stiction/base/host_device.hpp"
#include "stiction/materials/lame.hpp"
#include "stiction/materials/stretches.hpp"

namespace stiction {

/// psi = mu E : E + lambda/2 (tr E)^2, in J/m^3, with the Green strain E = (F^T F - I) / 2 (Sifakis and Barbic 2012,
/// section 3.3). Finite for every F, but it does not resist compression: the stress fades below a stretch of about 0.58
/// and an inverted F costs no more than its mirror image. mu and lambda are those of linear elasticity, in Pa.
template <class T>
struct SaintVenantKirchhoff {
    static constexpr bool invertible = true;
    static constexpr bool has_direct_path = true;

    T mu, lambda;

    /// From the Lame parameters of linear elasticity.
    STICTION_HD static SaintVenantKirchhoff from_lame(const LameParameters& lame) {
        return {T(lame.mu), T(lame.lambda)};
    }

    /// Energy density of principal stretches.
    STICTION_HD T value(const Stretches<T>& s) const {
        const Stretches<T> e = strain(s);
        return mu * e.squaredNorm() + T(0.5) * lambda * e.sum() * e.sum();
    }

    /// Principal stresses d psi / d s.
    STICTION_HD Stretches<T> gradient(const Stretches<T>& s) const {
        const Stretches<T> e = strain(s);
        return s.cwiseProduct(T(2) * mu * e + Stretches<T>::Constant(lambda * e.sum()));
    }

    /// d^2 psi / d s_i d s_j.
    Matrix3<T> hessian(const Stretches<T>& s) const {
        const Stretches<T> e = strain(s);
        Matrix3<T> H = lambda * s * s.transpose();
        H.diagonal() += T(2) * mu * (e + s.cwiseAbs2()) + Stretches<T>::Constant(lambda * e.sum());
        return H;
    }

    /// (g_i - g_j) / (s_i - s_j), also for s_i = s_j.
    T flip(const Stretches<T>& s, int i, int j) const {
        return mu * (s[i] * s[i] + s[i] * s[j] + s[j] * s[j] - T(1)) + lambda * strain(s).sum();
    }
    /// (g_i + g_j) / (s_i + s_j), also for s_i = -s_j.
    T twist(const Stretches<T>& s, int i, int j) const {
        return mu * (s[i] * s[i] - s[i] * s[j] + s[j] * s[j] - T(1)) + lambda * strain(s).sum();
    }

    /// Energy density of a deformation gradient.
    STICTION_HD T energy(const Matrix3<T>& F) const {
        const GreenStrain<T> E(F);
        return mu * E.squared_norm + T(0.5) * lambda * E.trace * E.trace;
    }

    /// First Piola stress d psi / d F = F S.
    STICTION_HD Matrix3<T> stress(const Matrix3<T>& F) const {
        const Matrix3<T> E = T(0.5) * (F.transpose() * F - Matrix3<T>::Identity());
        Matrix3<T> S = T(2) * mu * E;
        S.diagonal().array() += lambda * E.trace();
        return F * S;
    }

private:
    /// Principal Green strains (s^2 - 1) / 2, as (s - 1)(s + 1) / 2.
    STICTION_HD static Stretches<T> strain(const Stretches<T>& s) {
        return T(0.5) * (s - Stretches<T>::Ones()).cwiseProduct(s + Stretches<T>::Ones());
    }
};

}  // namespace stiction
