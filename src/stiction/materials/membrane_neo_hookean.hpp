// Neo-Hookean sheets.
#pragma once

#include "stiction/base/host_device.hpp"
#include "stiction/materials/membrane_moduli.hpp"
#include "stiction/materials/membrane_stretches.hpp"
#include "stiction/math/x_minus_log1p.hpp"

#include <cmath>

namespace stiction {

/// psi = mu/2 (|F|^2 - 2 - 2 ln J) + lambda_p/2 (ln J)^2, in J/m^3, J = s_0 s_1 = sqrt(det F^T F), lambda_p of plane
/// stress: the solid law written in two dimensions. It is not the solid law with its thickness stretch solved for, but
/// has the same small-strain limit. A barrier: +inf for J = 0, where stress and Hessian are not defined (NaN). Needs
/// lambda >= 0.
template <class T>
struct MembraneNeoHookean {
    static constexpr bool collapsible = false;

    T mu, lambda;  ///< lambda is that of plane stress

    /// From the Lame parameters of linear elasticity in three dimensions.
    STICTION_HD static MembraneNeoHookean from_lame(const LameParameters& lame) {
        return {T(lame.mu), T(plane_stress_lambda(lame))};
    }

    /// Energy density of principal stretches.
    STICTION_HD T value(const SheetStretches<T>& s) const {
        using std::log1p;
        if (!(s.prod() > T(0))) return std::numeric_limits<T>::infinity();
        const SheetStretches<T> d = s - SheetStretches<T>::Ones();
        T isochoric = T(0), log_area = T(0);
        for (int i = 0; i < 2; ++i) {
            isochoric += d[i] * d[i] + T(2) * x_minus_log1p(d[i]);  // s^2 - 1 - 2 ln s
            log_area += log1p(d[i]);
        }
        return T(0.5) * (mu * isochoric + lambda * log_area * log_area);
    }

    /// Principal stresses d psi / d s.
    STICTION_HD SheetStretches<T> gradient(const SheetStretches<T>& s) const {
        return mu * s + area_slope(s) * s.cwiseInverse();
    }

    /// d^2 psi / d s_i d s_j.
    Matrix2<T> hessian(const SheetStretches<T>& s) const {
        const SheetStretches<T> inverse = s.cwiseInverse();
        Matrix2<T> H = lambda * inverse * inverse.transpose();
        H.diagonal().array() += mu - area_slope(s) * inverse.array().square();
        return H;
    }

    /// (g_0 - g_1) / (s_0 - s_1), also for s_0 = s_1.
    T flip(const SheetStretches<T>& s) const { return mu - area_slope(s) / s.prod(); }
    /// (g_0 + g_1) / (s_0 + s_1).
    T twist(const SheetStretches<T>& s) const { return mu + area_slope(s) / s.prod(); }
    /// g_i / s_i.
    T normal(const SheetStretches<T>& s, int i) const { return mu + area_slope(s) / (s[i] * s[i]); }

private:
    /// s_i times the part of g_i that does not belong to mu s_i: lambda ln J - mu.
    STICTION_HD T area_slope(const SheetStretches<T>& s) const {
        using std::log;
        return lambda * log(s.prod()) - mu;
    }
};

}  // namespace stiction
