// Selections of vertices.
#pragma once

#include "stiction/mesh/mesh.hpp"
#include "stiction/scene/spec.hpp"

#include <string>
#include <vector>

namespace stiction {

/// The vertices of a body that a selection names, ascending, in the body's numbering.
/// Geometric selections are closed and widened by 1e-9 of the bounding-box diagonal, so that rounding drops nobody.
/// @param mesh    the body at t = 0, world frame (m)
/// @param new_id  for each vertex of the mesh file its index in `mesh`, -1 when it was dropped; empty: unchanged
/// @param field   path of the selection, for messages
/// @throws InputError when nothing is selected, an id does not exist, the mesh has no surface ids or the file cannot be
/// read
std::vector<Index> select_vertices(const SelectionSpec& select, const Mesh& mesh, const std::vector<Index>& new_id,
                                   const SceneOrigin& origin, const std::string& field);

}  // namespace stiction
