// The angle of a hinge and the energy of bending it, on a CPU or a GPU.
#pragma once

#include "stiction/base/host_device.hpp"
#include "stiction/base/types.hpp"

#include <Eigen/Geometry>

#include <cmath>
#include <limits>

namespace stiction {

/// Signed angle between the normals n0 = (x1 - x0) x (x2 - x0) and n1 = (x3 - x0) x (x1 - x0) in (-pi, pi]: 0 when
/// flat, positive when the hinge is a ridge seen from the side that the normals point to (x3 lies below triangle 0). By
/// atan2, so accurate for small angles too. Swapping (x0, x1) and (x2, x3) together keeps it; swapping one pair turns
/// its sign. 0 if a triangle is collapsed.
STICTION_HD inline double dihedral_angle(const Vec3& x0, const Vec3& x1, const Vec3& x2, const Vec3& x3) {
    const Vec3 e = x1 - x0, d = x3 - x0;
    const Vec3 n0 = e.cross(x2 - x0), n1 = d.cross(e);
    // n0 x n1 = -(n0 . d) e
    return std::atan2(-n0.dot(d) * e.norm(), n0.dot(n1));
}

/// One of the two triangles of a hinge with edge e: how fast the angle changes when its apex moves, and where the apex
/// projects to on the edge (as a fraction of e).
struct HingeWing {
    Vec3 rate;    ///< |e| n / |n|^2 (rad/m)
    double foot;  ///< apex . e / |e|^2

    /// @param sign  1 for the first triangle (n = e x apex), -1 for the second
    STICTION_HD HingeWing(const Vec3& e, const Vec3& apex, double sign) {
        const Vec3 n = sign * e.cross(apex);
        const double nn = n.squaredNorm(), ee = e.squaredNorm(), length = std::sqrt(ee);
        rate = length / nn * n;
        foot = apex.dot(e) / ee;
    }
};

/// 1/2 w (theta - theta_rest)^2 (J); +inf where a triangle is collapsed.
STICTION_HD inline double hinge_energy(const Vec3& x0, const Vec3& x1, const Vec3& x2, const Vec3& x3,
                                       double rest_angle, double stiffness) {
    const Vec3 e = x1 - x0;
    const bool has_angle = e.cross(x2 - x0).squaredNorm() > 0.0 && e.cross(x3 - x0).squaredNorm() > 0.0;
    if (!has_angle) return std::numeric_limits<double>::infinity();
    const double excess = dihedral_angle(x0, x1, x2, x3) - rest_angle;
    return 0.5 * stiffness * excess * excess;
}

/// The gradient of hinge_energy() (N), corner by corner. Not finite where a triangle is collapsed.
STICTION_HD inline Vec12 hinge_gradient(const Vec3& x0, const Vec3& x1, const Vec3& x2, const Vec3& x3,
                                        double rest_angle, double stiffness) {
    const double excess = dihedral_angle(x0, x1, x2, x3) - rest_angle;
    const HingeWing first(x1 - x0, x2 - x0, 1.0), second(x1 - x0, x3 - x0, -1.0);
    const double moment = stiffness * excess;
    Vec12 result;
    result.segment<3>(3) = moment * Vec3(first.foot * first.rate + second.foot * second.rate);
    result.segment<3>(6) = moment * Vec3(-first.rate);
    result.segment<3>(9) = moment * Vec3(-second.rate);
    result.head<3>() = -(result.segment<3>(3) + result.segment<3>(6) + result.segment<3>(9));
    return result;
}

}  // namespace stiction
