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

}  // namespace stiction
