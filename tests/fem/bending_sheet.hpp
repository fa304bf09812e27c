// Sheets with a bending energy, sums over their elements, and one folded hinge.
#pragma once

#include "stiction/fem/bending.hpp"
#include "stiction/fem/hinge_bending.hpp"
#include "stiction/fem/isometric_bending.hpp"

#include "fem/small_sheet.hpp"
#include <Eigen/Geometry>

namespace stiction::testing {

inline constexpr double bending_stiffness = 0.7;  // N m

inline VecX total_gradient(const HingeBending& elements, const VecX& x) {
    std::vector<Vec12> local;
    hinge_gradients(elements, x, local);
    return summed(elements.vertices, local, x.size());
}

inline VecX total_gradient(const IsometricBending& elements, const VecX& x) {
    std::vector<Vec12> local;
    isometric_gradients(elements, x, local);
    return summed(elements.vertices, local, x.size());
}

inline HingeBending hinges_of(const SmallSheet& sheet, RestAngles rest_angles = RestAngles::as_given) {
    HingeBending elements;
    append_hinges(elements, sheet.rest, find_hinges(sheet.triangles), bending_stiffness, rest_angles);
    return elements;
}

inline IsometricBending isometric_of(const SmallSheet& sheet) {
    IsometricBending elements;
    append_isometric_bending(elements, sheet.rest, find_hinges(sheet.triangles), bending_stiffness);
    return elements;
}

/// Irregular hinge with edge (0,0,0) -> (0.2, 1.1, 0), second wing turned down by `angle` about the edge.
inline std::vector<Vec3> folded_hinge(double angle) {
    const Vec3 x0(0, 0, 0), x1(0.2, 1.1, 0), x2(-0.8, 0.3, 0), x3(0.9, 0.7, 0);
    const Vec3 axis = (x1 - x0).normalized();
    return {x0, x1, x2, Eigen::AngleAxisd(angle, axis) * x3};
}

}  // namespace stiction::testing
