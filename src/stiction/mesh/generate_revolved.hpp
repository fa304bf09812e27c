// Shapes of revolution around the y axis, to the conventions of mesh/generate.hpp.
#pragma once

#include "stiction/mesh/generate.hpp"

namespace stiction {

/// Open tube of triangles facing away from the axis, from -height/2 to height/2. Rows of vertices on the circle, each
/// turned by half an edge against the one below, so that the triangles are isosceles and no diagonal is preferred.
/// @param around  n >= 3: vertices in a row
/// @param along   m >= 1: rows of triangles; n (m + 1) vertices, 2 n m triangles
Mesh generate_tube(double radius, double height, int around, int along);

/// Capsule of tets: a cylinder between two half balls. The cylinder is a disc of `divisions` rings swept along the
/// axis, each half ball six tets from its centre, split `divisions` times along their edges and rounded.
/// @param height     m, of the cylinder alone: the capsule extends over height + 2 radius
/// @param divisions  n >= 1 across the radius
/// @param layers     m >= 1 along the cylinder: 18 n^2 m + 12 n^3 tets (n = 4, m = 15: 5088; n = 7, m = 29: 29694)
Mesh generate_capsule(double radius, double height, int divisions, int layers, Fill fill = Fill::solid);

/// Surface ids (Mesh::triangle_tags) of the parts of a tire.
enum TirePart { tire_tread = 1, tire_sidewall = 2, tire_rim = 3 };

/// Tire: a closed surface of triangles, facing outwards, around a ring-shaped chamber with the profile of a rectangle.
/// Its parts are the tread, the band at `radius` that meets the ground; the two sidewalls, flat rings at y = -width/2
/// and width/2; and the rim, the band at `rim_radius` that closes the chamber. Triangles carry the part's id, see
/// TirePart. Rows of vertices are turned as those of generate_tube.
/// @param rim_radius  m, less than radius
/// @param around      n >= 3: vertices in a row
/// @param across      m >= 4: about this many rows around the profile, shared out by length; tread and rim have an even
/// number of rows each, at least 2, a sidewall at least 1. r rows in all: n r vertices, 2 n r triangles
Mesh generate_tire(double radius, double rim_radius, double width, int around, int across);

}  // namespace stiction
