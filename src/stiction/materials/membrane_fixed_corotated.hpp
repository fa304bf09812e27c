// Fixed corotated sheets.
#pragma once

#include "stiction/base/host_device.hpp"
#include "stiction/materials/membrane_moduli.hpp"
#include "stiction/materials/membrane_stretches.hpp"
#include "stiction/materials/stretches.hpp"

namespace stiction {

/// psi = mu sum (s_i - 1)^2 + lambda_p/2 (J - 1)^2, in J/m^3, J = s_0 s_1, lambda_p of plane stress. Finite for every
/// F: a triangle may collapse. Needs lambda >= 0.
template <class T>
struct MembraneFixedCorotated {
    static constexpr bool collapsible = true;

    T mu, lambda;  ///< lambda is that of plane stress

    /// From the Lame parameters of linear elasticity in three dimensions.
    STICTION_HD static MembraneFixedCorotated from_lame(const LameParameters& lame) {
        return {T(lame.mu), T(plane_stress_lambda(lame))};
    }

    /// Energy density of principal stretches.
    STICTION_HD T value(const SheetStretches<T>& s) const {
        const SheetStretches<T> d = s - SheetStretches<T>::Ones();
        const T area = area_change(d);
        return mu * d.squaredNorm() + T(0.5) * lambda * area * area;
    }

    /// Principal stresses d psi / d s.
    STICTION_HD SheetStretches<T> gradient(const SheetStretches<T>& s) const {
        return T(2) * mu * (s - SheetStretches<T>::Ones()) + area_slope(s) * s.reverse();
    }

    /// d^2 psi / d s_i d s_j.
    Matrix2<T> hessian(const SheetStretches<T>& s) const {
        Matrix2<T> H = lambda * s.reverse() * s.reverse().transpose();
        H.diagonal().array() += T(2) * mu;
        H(0, 1) += area_slope(s);
        H(1, 0) += area_slope(s);
        return H;
    }

    /// (g_0 - g_1) / (s_0 - s_1), also for s_0 = s_1.
    T flip(const SheetStretches<T>& s) const { return T(2) * mu - area_slope(s); }
    /// (g_0 + g_1) / (s_0 + s_1), with the pole at s = 0 guarded.
    T twist(const SheetStretches<T>& s) const {
        return T(2) * mu * (T(1) - T(2) / guarded_stretch_sum(T(s.sum()))) + area_slope(s);
    }
    /// g_i / s_i, with the pole at s_i = 0 guarded.
    T normal(const SheetStretches<T>& s, int i) const {
        const T own = guarded_stretch_sum(T(s[i]));
        return T(2) * mu * (T(1) - T(1) / own) + area_slope(s) * s[1 - i] / own;
    }

private:
    /// Derivative of the area part with respect to J.
    STICTION_HD T area_slope(const SheetStretches<T>& s) const {
        return lambda * area_change(SheetStretches<T>(s - SheetStretches<T>::Ones()));
    }
};

}  // namespace stiction
