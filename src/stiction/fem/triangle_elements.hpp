// Linear triangles of thin sheets in space, of one constitutive law.
#pragma once

#include "stiction/base/types.hpp"
#include "stiction/materials/membrane_law.hpp"
#include "stiction/materials/membrane_strain_limit.hpp"

#include <string_view>

namespace stiction {

/// Linear triangles that share a membrane law; several bodies may be in one group. Arrays run over elements. Shape: F =
/// Ds Dm^-1, 3x2, with Ds = [x1 - x0, x2 - x0] and Dm the same edges at rest, laid flat: corner 1 on the first axis,
/// corner 2 above it. Row a of Dm^-1 is the gradient of the shape function of corner a + 1 in the rest plane, and that
/// of corner 0 is minus their sum.
struct TriangleElements {
    MembraneLaw law = MembraneLaw::neo_hookean;
    std::vector<Triangle> vertices;         ///< global vertex ids
    std::vector<Mat2> rest_inverse;         ///< Dm^-1, 1/m
    std::vector<double> area;               ///< rest area, m^2
    std::vector<double> thickness;          ///< m
    std::vector<double> mu, lambda;         ///< Lame parameters of linear elasticity in three dimensions, Pa
    std::vector<StrainLimit> strain_limit;  ///< off by default

    std::size_t size() const { return vertices.size(); }
};

/// What a sheet is made of. For a tensile stiffness given in N/m see youngs_modulus_from_areal() (membrane_moduli.hpp).
struct SheetMaterial {
    LameParameters lame;     ///< of linear elasticity in three dimensions, Pa
    double thickness = 0.0;  ///< m, > 0
    StrainLimit strain_limit{};
};

/// Appends the triangles of one body. Only lengths of `rest` matter, so it may be curved.
/// @param rest           rest positions of the body's vertices, m
/// @param triangles      body-local vertex indices
/// @param vertex_offset  global id of the body's vertex 0
/// @param source         file or body name for messages
/// @throws InputError naming the element (its index in `triangles`) if a triangle is degenerate (twice the area at most
///         1e-12 of the product of its two longest edges) or refers to a vertex that is not there; and if the thickness
///         is not positive or the strain limit is not 1 < start < limit
void append_triangles(TriangleElements& elements, const std::vector<Vec3>& rest, const std::vector<Triangle>& triangles,
                      const SheetMaterial& material, Index vertex_offset = 0, std::string_view source = {});

/// Adds sigma A / 3 of every element to its three corners.
/// @param areal_density  sigma = rho t, kg/m^2, one per element
/// @param nodal_mass     kg, one per vertex of the scene (ALL vertices); added to
void add_lumped_mass(const TriangleElements& elements, const std::vector<double>& areal_density,
                     std::vector<double>& nodal_mass);

/// Deformation gradient of element e at stacked positions x.
inline Mat32 deformation_gradient(const TriangleElements& elements, std::size_t e, const VecX& x) {
    const Triangle& triangle = elements.vertices[e];
    const Vec3 origin = x.segment<3>(3 * triangle[0]);
    Mat32 edges;
    edges.col(0) = x.segment<3>(3 * triangle[1]) - origin;
    edges.col(1) = x.segment<3>(3 * triangle[2]) - origin;
    return edges * elements.rest_inverse[e];
}

}  // namespace stiction
