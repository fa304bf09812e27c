// What the constitutive laws share: stretch vectors, cofactors, guarded quotients.
#pragma once

#include "stiction/base/host_device.hpp"
#include "stiction/base/types.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <cmath>
#include <limits>

namespace stiction {

/// Principal stretches (signed singular values of F), dimensionless.
template <class T>
using Stretches = Eigen::Matrix<T, 3, 1>;
/// 3x3 matrix over any scalar: deformation gradient F, first Piola stress P, second derivatives in stretches.
template <class T>
using Matrix3 = Eigen::Matrix<T, 3, 3>;

/// Cofactor matrix dJ/dF = J F^-T; its columns are cross products of the columns of F. Defined for singular F too.
template <class T>
STICTION_HD Matrix3<T> cofactor(const Matrix3<T>& F) {
    Matrix3<T> result;
    result.col(0) = F.col(1).cross(F.col(2));
    result.col(1) = F.col(2).cross(F.col(0));
    result.col(2) = F.col(0).cross(F.col(1));
    return result;
}

/// Products of the two other stretches: dJ/ds.
template <class T>
STICTION_HD Stretches<T> stretch_cofactor(const Stretches<T>& s) {
    return Stretches<T>(s[1] * s[2], s[2] * s[0], s[0] * s[1]);
}

/// J - 1 for s = 1 + d, without cancellation near rest.
template <class T>
STICTION_HD T volume_change(const Stretches<T>& d) {
    return d.sum() + d[0] * d[1] + d[1] * d[2] + d[2] * d[0] + d[0] * d[1] * d[2];
}

/// `sum` kept away from zero by 1e-12 with its sign. Where s_i + s_j = 0 the rotation of F is not unique and the twist
/// of laws in the polar factor has a pole; the guard makes it large and finite.
template <class T>
STICTION_HD T guarded_stretch_sum(const T& sum) {
    const T smallest = T(1e-12);
    if (sum < T(0)) return sum > -smallest ? -smallest : sum;
    return sum < smallest ? smallest : sum;
}

/// Invariants of the Green strain E = (F^T F - I) / 2 and q = J^2 - 1 = 2 tr E + 4 I2(E) + 8 det E. Energies written in
/// them do not cancel for small strains, whatever the rotation; for large strains they would, so is_small() decides.
template <class T>
struct GreenStrain {
    T trace;         ///< tr E = (I1 - 3) / 2
    T quadratic;     ///< 4 I2(E) + 8 det E with I2 = (tr^2 E - tr E^2) / 2: q - 2 tr E, second order in the strain
    T squared_norm;  ///< E : E

    STICTION_HD explicit GreenStrain(const Matrix3<T>& F) {
        const Matrix3<T> E = T(0.5) * (F.transpose() * F - Matrix3<T>::Identity());
        trace = E.trace();
        squared_norm = E.squaredNorm();
        quadratic = T(2) * (trace * trace - squared_norm) + T(8) * E.determinant();
    }

    /// q = J^2 - 1.
    STICTION_HD T squared_volume_change() const { return T(2) * trace + quadratic; }
    /// |E| < 0.1: J^2 is then between 0.6 and 1.6.
    STICTION_HD bool is_small() const { return squared_norm < T(0.01); }
};

}  // namespace stiction
