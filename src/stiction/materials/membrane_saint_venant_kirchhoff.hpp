// St. Venant-Kirchhoff sheets.
#pragma once

#include "stiction/base/host_device.hpp"
#include "stiction/materials/membrane_moduli.hpp"
#include "stiction/materials/membrane_stretches.hpp"

namespace stiction {

/// psi = mu E : E + lambda_p/2 (tr E)^2, in J/m^3, with the 2x2 Green strain E = (F^T F - I) / 2 and lambda_p of plane
/// stress (the membrane energy of Koiter's shell). Finite for every F: resistance to compression fades below a stretch
/// of about 0.58 and a triangle may collapse.
template <class T>
struct MembraneSaintVenantKirchhoff {
    static constexpr bool collapsible = true;

    T mu, lambda;  ///< lambda is that of plane stress

    /// From the Lame parameters of linear elasticity in three dimensions.
    STICTION_HD static MembraneSaintVenantKirchhoff from_lame(const LameParameters& lame) {
        return {T(lame.mu), T(plane_stress_lambda(lame))};
    }

    /// Energy density of principal stretches.
    STICTION_HD T value(const SheetStretches<T>& s) const {
        const SheetStretches<T> e = strain(s);
        return mu * e.squaredNorm() + T(0.5) * lambda * e.sum() * e.sum();
    }

    /// Principal stresses d psi / d s.
    STICTION_HD SheetStretches<T> gradient(const SheetStretches<T>& s) const {
        const SheetStretches<T> e = strain(s);
        return s.cwiseProduct(T(2) * mu * e + SheetStretches<T>::Constant(lambda * e.sum()));
    }

    /// d^2 psi / d s_i d s_j.
    Matrix2<T> hessian(const SheetStretches<T>& s) const {
        const SheetStretches<T> e = strain(s);
        Matrix2<T> H = lambda * s * s.transpose();
        H.diagonal() += T(2) * mu * (e + s.cwiseAbs2()) + SheetStretches<T>::Constant(lambda * e.sum());
        return H;
    }

    /// (g_0 - g_1) / (s_0 - s_1), also for s_0 = s_1.
    T flip(const SheetStretches<T>& s) const {
        return mu * (s.squaredNorm() + s.prod() - T(1)) + lambda * strain(s).sum();
    }
    /// (g_0 + g_1) / (s_0 + s_1), also for s = 0.
    T twist(const SheetStretches<T>& s) const {
        return mu * (s.squaredNorm() - s.prod() - T(1)) + lambda * strain(s).sum();
    }
    /// g_i / s_i, also for s_i = 0.
    T normal(const SheetStretches<T>& s, int i) const {
        const SheetStretches<T> e = strain(s);
        return T(2) * mu * e[i] + lambda * e.sum();
    }

private:
    /// Principal Green strains (s^2 - 1) / 2, as (s - 1)(s + 1) / 2.
    STICTION_HD static SheetStretches<T> strain(const SheetStretches<T>& s) {
        return T(0.5) * (s - SheetStretches<T>::Ones()).cwiseProduct(s + SheetStretches<T>::Ones());
    }
};

}  // namespace stiction
