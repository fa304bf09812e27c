// The readers of one format each. Internal: use read_mesh (mesh/read.hpp), which also checks and tidies the result.
#pragma once

#include "stiction/mesh/byte_reader.hpp"
#include "stiction/mesh/mesh.hpp"

namespace stiction::detail {

Mesh read_msh(ByteReader& in);
Mesh read_vtk(ByteReader& in);
/// @param seg  whether `s a b` is an edge (.seg) and not a smoothing group (.obj)
Mesh read_obj(ByteReader& in, bool seg);
/// Reads NAME.node beside NAME.ele, too.
Mesh read_ele(ByteReader& in);
Mesh read_ply(ByteReader& in);
Mesh read_stl(ByteReader& in);

/// Appends the fan of a polygon around its first vertex. @return number of triangles added
std::size_t add_polygon(Mesh& mesh, const std::vector<Index>& polygon);
/// Appends the edges of an open polyline.
void add_polyline(Mesh& mesh, const std::vector<Index>& polyline);

}  // namespace stiction::detail
