// As-rigid-as-possible elasticity.
#pragma once

#include "stiction/base/host_device.hpp"
#include "stiction/materials/lame.hpp"
#include "stiction/materials/stretches.hpp"

namespace stiction {

/// psi = mu |F - R|^2 = mu sum (s_i - 1)^2, in J/m^3, R the polar rotation: fixed corotated elasticity without its
/// volume term. Invertible. `mu` is the shear modulus of linear elasticity, so the shear response is that of (E, nu);
/// lambda is ignored, hence Poisson's ratio is 0 and the uniaxial stiffness is 2 mu = E / (1 + nu), whatever nu was
/// asked for.
template <class T>
struct Arap {
    static constexpr bool invertible = true;
    static constexpr bool has_direct_path = false;

    T mu;

    /// From the Lame parameters of linear elasticity; lambda is ignored.
    STICTION_HD static Arap from_lame(const LameParameters& lame) { return {T(lame.mu)}; }

    /// Energy density of principal stretches.
    STICTION_HD T value(const Stretches<T>& s) const { return mu * (s - Stretches<T>::Ones()).squaredNorm(); }
    /// Principal stresses d psi / d s.
    STICTION_HD Stretches<T> gradient(const Stretches<T>& s) const { return T(2) * mu * (s - Stretches<T>::Ones()); }
    /// d^2 psi / d s_i d s_j.
    Matrix3<T> hessian(const Stretches<T>&) const { return T(2) * mu * Matrix3<T>::Identity(); }
    /// (g_i - g_j) / (s_i - s_j), also for s_i = s_j.
    T flip(const Stretches<T>&, int, int) const { return T(2) * mu; }
    /// (g_i + g_j) / (s_i + s_j), with the pole at s_i + s_j = 0 guarded.
    T twist(const Stretches<T>& s, int i, int j) const {
        return T(2) * mu * (T(1) - T(2) / guarded_stretch_sum(T(s[i] + s[j])));
    }
};

}  // namespace stiction
