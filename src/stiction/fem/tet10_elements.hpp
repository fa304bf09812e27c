// Tetrahedra of second order of one constitutive law.
#pragma once

#include "stiction/fem/bernstein.hpp"
#include "stiction/fem/element_material.hpp"
#include "stiction/fem/quadratic_shape.hpp"

#include <string_view>

namespace stiction {

/// Quadratic tetrahedra, curved at rest or straight. Arrays run over elements. The energy is summed over four points:
/// F = sum over nodes of x_a grad N_a^T.
struct Tet10Elements : ElementMaterial {
    using Gradients = Eigen::Matrix<double, 3, 10>;  ///< column a: gradient of the shape function of node a, 1/m

    std::vector<Tet10> vertices;                          ///< global vertex ids, positively oriented at rest
    std::vector<std::array<Gradients, 4>> gradients;      ///< at the four points, in rest coordinates
    std::vector<std::array<double, 4>> weight;            ///< of the four points, m^3
    std::vector<double> volume;                           ///< rest volume, m^3
    std::vector<BernsteinCoefficients> rest_determinant;  ///< of the map from the reference element, m^3; all positive

    std::size_t size() const { return vertices.size(); }
};

/// Positions of the nodes of an element in a stacked vector of all vertices, column by column.
using NodePositions = Eigen::Matrix<double, 3, 10>;
inline NodePositions node_positions(const Tet10& nodes, const VecX& x) {
    NodePositions result;
    for (int a = 0; a < 10; ++a) result.col(a) = x.segment<3>(3 * nodes[static_cast<std::size_t>(a)]);
    return result;
}

/// Deformation gradient of element e at one of the four points.
inline Mat3 deformation_gradient(const Tet10Elements& elements, std::size_t e, std::size_t point, const VecX& x) {
    return node_positions(elements.vertices[e], x) * elements.gradients[e][point].transpose();
}

/// The same at one of its corners.
Mat3 corner_deformation_gradient(const Tet10Elements& elements, std::size_t e, std::size_t corner, const VecX& x);

/// Appends quadratic tets of one body.
/// @param rest           rest positions of the body's vertices, m
/// @param tets           body-local vertex indices
/// @param lame           the body's material
/// @param vertex_offset  global id of the body's vertex 0
/// @param source         file or body name for messages
/// @throws InputError naming the element (its index in `tets`) if a lower bound of the determinant of its map (least of
///         BernsteinCoefficients) is not positive, or if it refers to a vertex that is not there
void append_tets(Tet10Elements& elements, const std::vector<Vec3>& rest, const std::vector<Tet10>& tets,
                 const LameParameters& lame, Index vertex_offset = 0, std::string_view source = {});

}  // namespace stiction
