// Meshes of simple shapes, centred at the origin, lengths in metres. Tets are positive, surfaces face outwards, nothing
// is degenerate, the same arguments give the same bits. A size that is not positive, a count below its minimum or more
// than 10 million vertices is an InputError naming the argument.
#pragma once

#include "stiction/mesh/mesh.hpp"

#include <string>

namespace stiction {

/// What a generator fills in.
enum class Fill {
    solid,    ///< tets
    surface,  ///< the outer triangles of the solid
};

/// Which of its four diagonals each cell of a box is split along.
enum class Diagonals {
    parallel,     ///< the same in all: pressed straight, the box pushes sideways by a few percent of the force
    alternating,  ///< mirrored from cell to cell: even numbers of cells make the box its own mirror image
};
/// Names used in scenes, in the order of the enumeration.
const std::vector<std::string>& diagonals_names();

/// Box with edges size.x, size.y, size.z in cells[0] x cells[1] x cells[2] cells of six tets each (Kuhn's split:
/// every tet holds its cell's diagonal; halving the cells refines the mesh exactly). With parallel diagonals
/// point-symmetric about the origin; min dihedral angle 45 degrees for cubic cells.
Mesh generate_box(const Vec3& size, const std::array<int, 3>& cells, Fill fill = Fill::solid,
                  Diagonals diagonals = Diagonals::parallel);

/// generate_box along x: length x width x width.
Mesh generate_rod(double length, double width, int cells_along, int cells_across, Fill fill = Fill::solid);

/// Ball of n concentric icosahedral shells; all its surface vertices lie on the sphere.
/// @param shells  n >= 1: 1 + sum of (10 j^2 + 2) for j = 1..n vertices (13, 55, 147, 309, 561, 923, 1415, 2057, ...),
/// 20 n^3 tets
Mesh generate_ball(double radius, int shells, Fill fill = Fill::solid);
/// The number of shells that brings generate_ball nearest to a number of vertices (of the solid).
int ball_shells_for_vertices(int vertices);
/// The number of shells that makes edges of generate_ball about this long.
int ball_shells_for_edge_length(double radius, double edge_length);

/// Cylinder around the y axis, from -height/2 to height/2, with edges about edge_length long; mantle vertices lie on
/// the circle.
Mesh generate_cylinder(double radius, double height, double edge_length, Fill fill = Fill::solid);

/// Torus around the y axis: a disc of radius minor_radius swept along the circle of radius major_radius in the xz
/// plane.
/// @param edge_length  about the length of the edges; inner ones are shorter and outer ones longer
Mesh generate_torus(double major_radius, double minor_radius, double edge_length, Fill fill = Fill::solid);

/// Ring of few tets around the y axis: a regular polygon without inner vertices swept along the circle of radius
/// major_radius in the xz plane. One side of the polygon faces the axis: with four sides the cross-section is a square
/// with edges of sqrt(2) minor_radius.
/// @param minor_radius  m, from the centre line to the edges of the ring, less than major_radius
/// @param segments      n >= 3 along the circle
/// @param sides         s of the polygon, 3 to 8: n s vertices, 3 n (s - 2) tets, 2 n s triangles on the surface
Mesh generate_ring(double major_radius, double minor_radius, int segments, int sides, Fill fill = Fill::solid);

/// Rectangle in the xz plane facing +y: cells_x x cells_z cells of two triangles with diagonals in alternating
/// directions.
Mesh generate_cloth(double size_x, double size_z, int cells_x, int cells_z);

/// A line of bare edges through points (m), for rods and obstacles. Each stretch between two points is split into equal
/// edges about edge_length long. `closed` adds the stretch from the last point to the first.
/// @throws InputError for fewer than two points (three where closed), and for two in a row in one place
Mesh generate_polyline(const std::vector<Vec3>& points, bool closed, double edge_length);

/// Sphere of triangles: an icosahedron whose triangles are split in four `subdivisions` times, vertices on the sphere
/// (10 * 4^subdivisions + 2 of them).
Mesh generate_icosphere(double radius, int subdivisions);

}  // namespace stiction
