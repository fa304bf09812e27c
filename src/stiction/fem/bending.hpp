// Hinges: pairs of triangles that share an edge, and their rest geometry. The two bending energies are in
// hinge_bending.hpp and isometric_bending.hpp.
#pragma once

#include "stiction/fem/hinge_angle.hpp"

#include <string_view>

namespace stiction {

/// What to do with an edge of three or more triangles.
enum class NonManifoldEdges {
    refuse,    ///< InputError that names the edge
    pair_all,  ///< one hinge for each two of its triangles, as if every two were glued
};

/// One hinge (x0, x1, x2, x3) for every edge with two triangles: x0 -> x1 is the edge as wound in the triangle that
/// comes first in the list, x2 that triangle's third vertex, x3 that of the other. Windings need not agree. Ordered by
/// the lower, then the higher vertex of the edge, then by triangles. Edges of one triangle have no hinge.
/// @param triangles  vertex ids, all >= 0, each triangle with three different ones
/// @param source     file or body name for messages
/// @throws InputError naming edge and triangles for a non-manifold edge (if refused) and for two triangles on the same
///         three vertices
std::vector<Tet> find_hinges(const std::vector<Triangle>& triangles,
                             NonManifoldEdges non_manifold = NonManifoldEdges::refuse, std::string_view source = {});

/// Lengths, areas and feet of a hinge; depends on the lengths of its five edges only (except the angle).
struct HingeGeometry {
    double edge_length = 0.0;         ///< |x1 - x0|, m
    double area0 = 0.0, area1 = 0.0;  ///< of the triangles with x2 and with x3, m^2
    double foot0 = 0.0, foot1 = 0.0;  ///< x2 and x3 project to x0 + foot (x1 - x0)
    double angle = 0.0;               ///< see dihedral_angle() of hinge_angle.hpp
};

/// Geometry of a hinge at given positions.
HingeGeometry hinge_geometry(const Vec3& x0, const Vec3& x1, const Vec3& x2, const Vec3& x3);

/// Geometry of every hinge at rest.
/// @param rest    rest positions of the body's vertices, m
/// @param hinges  as from find_hinges
/// @throws InputError naming the hinge's edge if a triangle is degenerate (as in append_triangles) or refers to a
///         vertex that is not there
std::vector<HingeGeometry> rest_geometry(const std::vector<Vec3>& rest, const std::vector<Tet>& hinges,
                                         std::string_view source = {});

}  // namespace stiction
