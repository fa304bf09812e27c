// Elements of a world as plain arrays, one number after the other: what the local step runs over.
#pragma once

#include "stiction/world/world.hpp"

#include <cstddef>
#include <vector>

namespace stiction::local_global {

/// Tets of one law. Entry k of a quantity with several components is at [k * count + e].
struct TetArrays {
    MaterialLaw law = MaterialLaw::neo_hookean;
    double extrapolate_below = 0.0;  ///< volume ratio below which a barrier law is continued; 0: nowhere
    std::size_t count = 0;
    std::size_t first_element = 0;     ///< of the arrays that run over all elements
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

/// All elements of a world, tets before triangles, and where their corners are gathered. Forces of corner c of element
/// e of a block with `count` elements are at 3 * (first_corner + c * count + e) of an array over all corners.
struct ElementArrays {
    /// @param extrapolate_below  for barrier laws that are not continued by their material
    ElementArrays(const World& world, double extrapolate_below);

    std::vector<TetArrays> tets;
    std::vector<TriangleArrays> triangles;
    std::vector<std::size_t> first_tet_corner, first_triangle_corner;  ///< one a block
    std::size_t element_count = 0;
    std::size_t corner_count = 0;
    std::vector<std::size_t>
        vertex_begin;  ///< corners of vertex v: vertex_corner[vertex_begin[v]] up to vertex_begin[v + 1]
    std::vector<std::size_t> vertex_corner;  ///< ascending within a vertex
};

/// Largest stiffness k of a stretch at rest over the weight w. An iteration leaves 1 - k / w of a mode: the less w, the
/// fewer iterations rotations take, whose k is small. Below -1/3 an odd number of them in a step, begun at x_t + h v_t,
/// gains energy; this leaves -1/4.
constexpr double largest_stiffness_by_weight = 1.25;

/// w over V of an element: the largest stiffness at rest over that ratio, that of dilation or shear; but not below the
/// stiffness along one axis, since laws stiffen where they are stretched. ARAP does not: there it is 8/5 mu, and the
/// iteration the projection onto rotations, which 2 mu makes it, over-relaxed by a quarter.
double weight_density(MaterialLaw law, const LameParameters& lame);
double weight_density(MembraneLaw law, const LameParameters& lame);

}  // namespace stiction::local_global
