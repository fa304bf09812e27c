// Neo-Hookean elasticity with a logarithmic volume term.
#pragma once

#include "stiction/base/host_device.hpp"
#include "stiction/materials/lame.hpp"
#include "stiction/materials/stretches.hpp"
#include "stiction/math/x_minus_log1p.hpp"

namespace stiction {

/// psi = mu/2 (I1 - 3) - mu ln J + lambda/2 (ln J)^2, in J/m^3 (Bonet and Wood 2008, section 6.4.3).
/// A barrier: +inf for J <= 0, where stress and Hessian are not defined (NaN). Needs lambda >= 0.
/// mu and lambda are the Lame parameters of linear elasticity, in Pa.
template <class T>
struct NeoHookean {
    static constexpr bool invertible = false;
    static constexpr bool has_direct_path = true;

    T mu, lambda;

    /// From the Lame parameters of linear elasticity.
    STICTION_HD static NeoHookean from_lame(const LameParameters& lame) { return {T(lame.mu), T(lame.lambda)}; }

    /// Energy density of principal stretches.
    STICTION_HD T value(const Stretches<T>& s) const {
        if (!(s.prod() > T(0))) return std::numeric_limits<T>::infinity();
        // An inversion-free F may still have two negative stretches if the caller's decomposition is not signed_svd().
        const Stretches<T> d = s.cwiseAbs() - Stretches<T>::Ones();
        T isochoric = T(0), log_volume = T(0);
        using std::log1p;
        for (int i = 0; i < 3; ++i) {
            isochoric += d[i] * d[i] + T(2) * x_minus_log1p(d[i]);  // s^2 - 1 - 2 ln s
            log_volume += log1p(d[i]);
        }
        return T(0.5) * (mu * isochoric + lambda * log_volume * log_volume);
    }

    /// Principal stresses d psi / d s.
    STICTION_HD Stretches<T> gradient(const Stretches<T>& s) const {
        const T pressure = volume_slope(s);
        return mu * s + pressure * s.cwiseInverse();
    }

    /// All second derivatives at once, in the order of PrincipalHessian: entry k of flips and twists belongs to the
    /// axes k + 1 and k + 2. They share one logarithm.
    struct Curvature {
        Matrix3<T> scaling;  ///< d^2 psi / d s_i d s_j
        Stretches<T> flip;   ///< (g_i - g_j) / (s_i - s_j), also for s_i = s_j
        Stretches<T> twist;  ///< (g_i + g_j) / (s_i + s_j)
    };
    Curvature curvature(const Stretches<T>& s) const {
        const T slope = volume_slope(s);
        Curvature result{hessian(s, slope), {}, {}};
        for (int k = 0; k < 3; ++k) {
            const T pull = slope / (s[(k + 1) % 3] * s[(k + 2) % 3]);
            result.flip[k] = mu - pull;
            result.twist[k] = mu + pull;
        }
        return result;
    }
    /// d^2 psi / d s_i d s_j.
    STICTION_HD Matrix3<T> hessian(const Stretches<T>& s) const { return hessian(s, volume_slope(s)); }
    /// (g_i - g_j) / (s_i - s_j), also for s_i = s_j.
    T flip(const Stretches<T>& s, int i, int j) const { return mu - volume_slope(s) / (s[i] * s[j]); }
    /// (g_i + g_j) / (s_i + s_j).
    T twist(const Stretches<T>& s, int i, int j) const { return mu + volume_slope(s) / (s[i] * s[j]); }

    /// Energy density of a deformation gradient; relative accuracy is kept for small strains under any rotation.
    STICTION_HD T energy(const Matrix3<T>& F) const {
        using std::log;
        using std::log1p;
        const T J = F.determinant();
        if (!(J > T(0))) return std::numeric_limits<T>::infinity();
        const GreenStrain<T> strain(F);
        if (!strain.is_small()) {
            const T log_volume = log(J);
            return mu * (strain.trace - log_volume) + T(0.5) * lambda * log_volume * log_volume;
        }
        // tr E - ln J = (q - ln(1 + q)) / 2 - (q - 2 tr E) / 2
        const T q = strain.squared_volume_change();
        const T log_volume = T(0.5) * log1p(q);
        return T(0.5) * (mu * (x_minus_log1p(q) - strain.quadratic) + lambda * log_volume * log_volume);
    }

    /// First Piola stress d psi / d F.
    STICTION_HD Matrix3<T> stress(const Matrix3<T>& F) const {
        using std::log;
        const T J = F.determinant();
        return mu * F + ((lambda * log(J) - mu) / J) * cofactor(F);
    }

private:
    STICTION_HD Matrix3<T> hessian(const Stretches<T>& s, const T& slope) const {
        const Stretches<T> inverse = s.cwiseInverse();
        Matrix3<T> H = lambda * inverse * inverse.transpose();
        H.diagonal() += (mu - slope * inverse.array().square()).matrix();
        return H;
    }

    /// s_i times the part of g_i that does not belong to mu s_i: lambda ln J - mu.
    STICTION_HD T volume_slope(const Stretches<T>& s) const {
        using std::log;
        return lambda * log(s.prod()) - mu;
    }
};

}  // namespace stiction
