// The elements of a world as plain arrays, for the local step.
#pragma once

#include "stiction/world/world.hpp"

#include <cstddef>
#include <vector>

namespace stiction::local_global {

/// Tets of one law. Component k of a quantity of element e is at [k * count + e].
struct TetArrays {
    MaterialLaw law = MaterialLaw::neo_hookean;
    double extrapolate_below = 0.0;  ///< volume ratio below which a barrier law is extrapolated; 0: nowhere
    std::size_t count = 0;
    std::size_t first_element = 0;     ///< place in arrays over all elements
    std::vector<Index> corner;         ///< 4 components: global vertex ids
    std::vector<double> rest_inverse;  ///< 9 components, Dm^-1 by columns (1/m)
    std::vector<double> volume;        ///< V (m^3)
    std::vector<double> mu, lambda;    ///< Pa
    std::vector<double> weight;        ///< w (J)
};

/// Triangles of one membrane law; layout as above.
struct TriangleArrays {
    MembraneLaw law = MembraneLaw::neo_hookean;
    std::size_t count = 0;
    std::size_t first_element = 0;
    std::vector<Index> corner;         ///< 3 components
    std::vector<double> rest_inverse;  ///< 4 components, Dm^-1 by columns (1/m)
    std::vector<double> volume;        ///< thickness times area (m^3)
    std::vector<double> mu, lambda;    ///< Pa
    std::vector<double> weight;        ///< J
};

/// All elements of a world, tets before triangles, and the corners of each vertex. In an array over all corners, corner
/// c of element e of a block with `count` elements is at first_corner + c * count + e.
struct ElementArrays {
    /// @param extrapolate_below  volume ratio for barrier laws whose material gives none
    ElementArrays(const World& world, double extrapolate_below);

    std::vector<TetArrays> tets;
    std::vector<TriangleArrays> triangles;
    std::vector<std::size_t> first_tet_corner, first_triangle_corner;  ///< one a block
    std::size_t element_count = 0;
    std::size_t corner_count = 0;
    /// Corners of vertex v: vertex_corner, from vertex_begin[v] to vertex_begin[v + 1].
    std::vector<std::size_t> vertex_begin;
    std::vector<std::size_t> vertex_corner;  ///< ascending within a vertex
};

/// Largest stiffness k of a stretch at rest over the weight w. An iteration multiplies the error of a mode by 1 - k /
/// w. A smaller w makes rotations, whose k is small, converge faster. But a factor below -1/3 gains energy over a step
/// of an odd number of iterations from x_t + h v_t. This ratio bounds the factor by -1/4.
constexpr double largest_stiffness_by_weight = 1.25;

/// w / V of an element (Pa): the largest stiffness at rest, of dilation or shear, over largest_stiffness_by_weight. It
/// is at least the stiffness along one axis, for most laws stiffen under stretch. ARAP does not. There w = 8/5 mu V:
/// the projection onto rotations, which has w = 2 mu V, over-relaxed by a quarter.
double weight_density(MaterialLaw law, const LameParameters& lame);
double weight_density(MembraneLaw law, const LameParameters& lame);

}  // namespace stiction::local_global
