// The sparse part of a volume energy's Hessian, edge by edge.
#pragma once

#include "stiction/fem/volume_zone.hpp"

namespace stiction {

/// The edges of a zone: (a, b, c, d), a -> b a side of a triangle with the third vertex c, b -> a of one with d;
/// ordered by a < b. An edge of four triangles or more is there once for each two of them.
std::vector<Tet> volume_edges(const VolumeZone& zone);

/// scale * d2V as one block an edge for its vertices a and b alone (rows and columns 6 to 11 are zero): [[0, B], [B^T,
/// 0]] with B = -scale/6 [x_c - x_d]. Unlike the blocks of triangles these depend on no reference point, and they are
/// as small as the triangles.
/// @param x        stacked positions of ALL vertices (m)
/// @param project  replace each by the nearest positive semidefinite matrix; in closed form
/// @param begin, end  edges whose blocks go to out[0], out[1], ...
void volume_edge_hessians(const std::vector<Tet>& edges, const VecX& x, double scale, bool project, std::size_t begin,
                          std::size_t end, Mat12* out);

/// scale * d2V as one projected block a triangle, whose null space holds the translations: what stands in for d2V where
/// the matrix is physics and not only a search direction. Summed by parts over the closed surface,
///   p . d2V p = sum over triangles of (x_t - o) . ((p_b - p_a) x (p_c - p_a)),
/// with the triangle's middle x_t and any o of a component of the surface; here the mean of its triangles' middles,
/// which keeps the blocks small. The blocks of edges are smaller at the scale of the triangles, but each of them, once
/// projected, resists a translation. Rows and columns 9 to 11 are zero.
/// @param x    stacked positions of ALL vertices (m)
/// @param out  resized to one an entry of zone.triangles()
void volume_triangle_hessians(const VolumeZone& zone, const VecX& x, double scale, std::vector<Mat12>& out);

}  // namespace stiction
