// Sheets under membrane laws, sums over their elements, and states to try them at.
#pragma once

#include "stiction/fem/membrane.hpp"
#include "stiction/materials/membrane_isotropic.hpp"

#include "fem/small_sheet.hpp"
#include <Eigen/Geometry>
#include <doctest/doctest.h>

namespace stiction::testing {

inline constexpr double youngs_modulus = 1e5, poisson_ratio = 0.35, sheet_thickness = 0.02;
inline const StrainLimit limit_for_tests{1.05, 1.9, 3e4};

inline SheetMaterial material_for_tests(bool limited = false) {
    return {lame_parameters(youngs_modulus, poisson_ratio), sheet_thickness, limited ? limit_for_tests : StrainLimit{}};
}

inline TriangleElements elements_of(const SmallSheet& sheet, MembraneLaw law, bool limited = false) {
    TriangleElements elements;
    elements.law = law;
    append_triangles(elements, sheet.rest, sheet.triangles, material_for_tests(limited));
    return elements;
}

inline VecX total_gradient(const TriangleElements& elements, const VecX& x) {
    std::vector<Vec9> local;
    membrane_gradients(elements, x, local);
    return summed(elements.vertices, local, x.size());
}

inline Eigen::MatrixXd total_hessian(const TriangleElements& elements, const VecX& x) {
    std::vector<Mat9> local;
    membrane_hessians(elements, x, false, local);
    return summed_matrix(elements.vertices, local, x.size());
}

inline Mat3 random_rotation(std::mt19937_64& generator) {
    const VecX q = random_vector(4, 1.0, generator);
    return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
}

inline Mat32 with_stretches(const Vec2& s, std::mt19937_64& generator) {
    const double angle = random_vector(1, 3.0, generator)[0];
    return random_rotation(generator).leftCols<2>() * s.asDiagonal() * Eigen::Rotation2Dd(angle).toRotationMatrix();
}

/// Calls body(law, limit, name) for every law with and without a strain limit.
template <class Body>
void for_all_laws(const Body& body) {
    for (const MembraneLaw name : all_membrane_laws) {
        for (const bool limited : {false, true}) {
            CAPTURE(membrane_law_name(name));
            CAPTURE(limited);
            visit_membrane_law(name, [&](auto type) {
                using Law = typename decltype(type)::type;
                body(Law::from_lame(lame_parameters(youngs_modulus, poisson_ratio)),
                     limited ? limit_for_tests : StrainLimit{}, name);
            });
        }
    }
}

/// In-plane strain and shear, out-of-plane tilt.
inline const Mat3 uniform_deformation = (Mat3() << 1.1, 0.2, -0.1, -0.15, 0.9, 0.05, 0.3, -0.2, 1.05).finished();

}  // namespace stiction::testing
