// Linear tetrahedra of one constitutive law.
#pragma once

#include "stiction/base/types.hpp"
#include "stiction/fem/element_material.hpp"

#include <string_view>

namespace stiction {

/// Linear tetrahedra that share a constitutive law; several bodies may be in one group. Arrays run over elements.
/// Shape: F = Ds Dm^-1 with Ds = [x1 - x0, x2 - x0, x3 - x0]; row a of Dm^-1 is the gradient of the shape function of
/// corner a + 1, and that of corner 0 is minus their sum.
struct TetElements : ElementMaterial {
    std::vector<Tet> vertices;       ///< global vertex ids, positively oriented at rest
    std::vector<Mat3> rest_inverse;  ///< Dm^-1, 1/m
    std::vector<double> volume;      ///< rest volume, m^3

    std::size_t size() const { return vertices.size(); }
};

/// Appends the tets of one body.
/// @param rest           rest positions of the body's vertices, m
/// @param tets           body-local vertex indices
/// @param lame           the body's material
/// @param vertex_offset  global id of the body's vertex 0
/// @param source         file or body name for messages
/// @throws InputError naming the element (its index in `tets`) if a tet is inverted, degenerate (six times the volume
/// at
///         most 1e-12 of the product of the three edge lengths at its first corner) or refers to a vertex that is not
///         there
void append_tets(TetElements& elements, const std::vector<Vec3>& rest, const std::vector<Tet>& tets,
                 const LameParameters& lame, Index vertex_offset = 0, std::string_view source = {});

/// Edge matrix [x1 - x0, x2 - x0, x3 - x0] of a tet in a stacked vector of all vertices (positions, or steps of them).
inline Mat3 edge_matrix(const Tet& tet, const VecX& x) {
    const Vec3 origin = x.segment<3>(3 * tet[0]);
    Mat3 edges;
    for (int a = 0; a < 3; ++a) edges.col(a) = x.segment<3>(3 * tet[static_cast<std::size_t>(a) + 1]) - origin;
    return edges;
}

/// Deformation gradient of element e at stacked positions x.
inline Mat3 deformation_gradient(const TetElements& elements, std::size_t e, const VecX& x) {
    return edge_matrix(elements.vertices[e], x) * elements.rest_inverse[e];
}

}  // namespace stiction
