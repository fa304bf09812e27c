// Stable neo-Hookean elasticity.
#pragma once

#include "stiction/base/host_device.hpp"
#include "stiction/materials/lame.hpp"
#include "stiction/materials/stretches.hpp"

namespace stiction {

/// psi = mu/2 (I1 - 3) - mu (J - 1) + lambda/2 (J - 1)^2, in J/m^3: Smith, de Goes and Kim 2018 before their
/// logarithmic origin barrier is added (their equation 11 up to a constant), the form of the course notes of Kim and
/// Eberle 2022. Invertible: finite for every F. `mu` and `lambda` here are the law's own: against linear elasticity
/// lambda is shifted, see from_lame().
template <class T>
struct StableNeoHookean {
    static constexpr bool invertible = true;
    static constexpr bool has_direct_path = true;

    T mu, lambda;

    /// From the Lame parameters of linear elasticity: mu = mu_L, lambda = lambda_L + mu_L, since -mu (J - 1) takes mu
    /// from the volume stiffness. (With the logarithmic term the shifts would be 4/3 mu_L and lambda_L + 5/6 mu_L.)
    STICTION_HD static StableNeoHookean from_lame(const LameParameters& lame) {
        return {T(lame.mu), T(lame.lambda + lame.mu)};
    }

    /// Energy density of principal stretches.
    STICTION_HD T value(const Stretches<T>& s) const {
        const Stretches<T> d = s - Stretches<T>::Ones();
        const T volume = volume_change(d);
        const T isochoric = T(0.5) * d.squaredNorm() - (volume - d.sum());  // (I1 - 3) / 2 - (J - 1)
        return mu * isochoric + T(0.5) * lambda * volume * volume;
    }

    /// Principal stresses d psi / d s.
    STICTION_HD Stretches<T> gradient(const Stretches<T>& s) const {
        return mu * s + volume_slope(s) * stretch_cofactor(s);
    }

    /// d^2 psi / d s_i d s_j.
    Matrix3<T> hessian(const Stretches<T>& s) const {
        const Stretches<T> cofactors = stretch_cofactor(s);
        const T slope = volume_slope(s);
        Matrix3<T> H = lambda * cofactors * cofactors.transpose();
        for (int k = 0; k < 3; ++k) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            H(k, k) += mu;
            H(i, j) += slope * s[k];
            H(j, i) += slope * s[k];
        }
        return H;
    }

    /// (g_i - g_j) / (s_i - s_j), also for s_i = s_j.
    T flip(const Stretches<T>& s, int i, int j) const { return mu - volume_slope(s) * s[3 - i - j]; }
    /// (g_i + g_j) / (s_i + s_j).
    T twist(const Stretches<T>& s, int i, int j) const { return mu + volume_slope(s) * s[3 - i - j]; }

    /// Energy density of a deformation gradient; relative accuracy is kept for small strains under any rotation.
    STICTION_HD T energy(const Matrix3<T>& F) const {
        const T J = F.determinant();
        const GreenStrain<T> strain(F);
        if (!strain.is_small() || J < T(0)) {
            return mu * (strain.trace - (J - T(1))) + T(0.5) * lambda * (J - T(1)) * (J - T(1));
        }
        // J - 1 = q / (1 + J) and tr E - (J - 1) = (tr E (J - 1) - (q - 2 tr E)) / (1 + J)
        const T volume = strain.squared_volume_change() / (T(1) + J);
        const T isochoric = (strain.trace * volume - strain.quadratic) / (T(1) + J);
        return mu * isochoric + T(0.5) * lambda * volume * volume;
    }

    /// First Piola stress d psi / d F.
    STICTION_HD Matrix3<T> stress(const Matrix3<T>& F) const {
        return mu * F + (lambda * (F.determinant() - T(1)) - mu) * cofactor(F);
    }

private:
    /// Derivative of the volume part with respect to J.
    STICTION_HD T volume_slope(const Stretches<T>& s) const { return lambda * (s.prod() - T(1)) - mu; }
};

}  // namespace stiction
