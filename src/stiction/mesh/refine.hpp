// Uniform refinement.
#pragma once

#include "stiction/mesh/mesh.hpp"

namespace stiction {

/// Halves every edge, `times` times: a tet becomes eight (four at its corners, four around the shortest diagonal of the
/// octahedron between them), a triangle four, a bare edge two. Vertices keep their numbers; midpoints follow, in the
/// order in which tets, triangles and edges first name their edges. Parts of an element follow each other and have its
/// tag. Points and orientation stay.
/// @param times  >= 0
/// @throws InputError, without a file, where there would be more than fifty million elements
Mesh refined(Mesh mesh, int times = 1);

}  // namespace stiction
