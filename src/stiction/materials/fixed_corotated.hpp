// Fixed corotated elasticity.
#pragma once

#include "stiction/base/host_device.hpp"
#include "stiction/materials/lame.hpp"
#include "stiction/materials/stretches.hpp"

namespace stiction {

/// psi = mu sum (s_i - 1)^2 + lambda/2 (J - 1)^2, in J/m^3 (Stomakhin, Howes, Schroeder and Teran 2012).
/// Invertible. No direct path: the stress 2 mu (F - R) + lambda (J - 1) cof F needs the polar rotation R.
/// mu and lambda are the Lame parameters of linear elasticity, in Pa. Needs lambda >= 0.
template <class T>
struct FixedCorotated {
    static constexpr bool invertible = true;
    static constexpr bool has_direct_path = false;

    T mu, lambda;

    /// From the Lame parameters of linear elasticity.
    STICTION_HD static FixedCorotated from_lame(const LameParameters& lame) { return {T(lame.mu), T(lame.lambda)}; }

    /// Energy density of principal stretches.
    STICTION_HD T value(const Stretches<T>& s) const {
        const Stretches<T> d = s - Stretches<T>::Ones();
        const T volume = volume_change(d);
        return mu * d.squaredNorm() + T(0.5) * lambda * volume * volume;
    }

    /// Principal stresses d psi / d s.
    STICTION_HD Stretches<T> gradient(const Stretches<T>& s) const {
        return T(2) * mu * (s - Stretches<T>::Ones()) + volume_slope(s) * stretch_cofactor(s);
    }

    /// d^2 psi / d s_i d s_j.
    Matrix3<T> hessian(const Stretches<T>& s) const {
        const Stretches<T> cofactors = stretch_cofactor(s);
        const T slope = volume_slope(s);
        Matrix3<T> H = lambda * cofactors * cofactors.transpose();
        for (int k = 0; k < 3; ++k) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            H(k, k) += T(2) * mu;
            H(i, j) += slope * s[k];
            H(j, i) += slope * s[k];
        }
        return H;
    }

    /// (g_i - g_j) / (s_i - s_j), also for s_i = s_j.
    T flip(const Stretches<T>& s, int i, int j) const { return T(2) * mu - volume_slope(s) * s[3 - i - j]; }
    /// (g_i + g_j) / (s_i + s_j), with the pole at s_i + s_j = 0 guarded.
    T twist(const Stretches<T>& s, int i, int j) const {
        return T(2) * mu * (T(1) - T(2) / guarded_stretch_sum(T(s[i] + s[j]))) + volume_slope(s) * s[3 - i - j];
    }

private:
    /// Derivative of the volume part with respect to J.
    STICTION_HD T volume_slope(const Stretches<T>& s) const {
        return lambda * volume_change(Stretches<T>(s - Stretches<T>::Ones()));
    }
};

}  // namespace stiction
