// Hollow shapes of tets, to the conventions of mesh/generate.hpp.
#pragma once

#include "stiction/mesh/generate.hpp"

namespace stiction {

/// Ball with a concentric spherical cavity: the faces of an icosahedron, each split `divisions` times along its edges,
/// pushed out to spheres, and prisms of three tets between them. Wall vertices lie on the spheres; the mesh is
/// point-symmetric about the origin, vertices to the last bit. With Fill::surface both walls, each facing away from the
/// material: the inner one faces the centre.
/// @param outer_radius  m
/// @param thickness     m, of the wall; below outer_radius
/// @param divisions     n >= 1: 10 n^2 + 2 vertices and 20 n^2 triangles on each wall
/// @param layers        m >= 1 across the wall: 60 n^2 m tets (n = 4, m = 1: 960; n = 30, m = 1 or n = 15, m = 4:
/// 54000)
Mesh generate_hollow_ball(double outer_radius, double thickness, int divisions, int layers = 1,
                          Fill fill = Fill::solid);

}  // namespace stiction
