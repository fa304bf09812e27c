// Hexahedra, prisms and pyramids of mesh files as tets.
#pragma once

#include "stiction/mesh/mesh.hpp"

#include <array>
#include <span>
#include <vector>

namespace stiction {

/// Appends tets that all have the cell's lowest vertex: one for each triangle of the faces that do not have it.
/// Quadrangles are cut through their lowest vertex, so that cells which share a face cut it alike (Dompierre, Labbe,
/// Vallet and Camarero, How to subdivide pyramids, prisms and hexahedra into tetrahedra, 1999). A cell with faces that
/// point outwards gives tets of positive volume where it is convex.
/// @param nodes  5 (pyramid), 6 (prism) or 8 (hexahedron): the base around, then the top, corner above corner
/// @return number of tets added: 2 (pyramid), 3 (prism) or 6 (hexahedron)
std::size_t add_cell_as_tets(Mesh& mesh, std::span<const Index> nodes);

/// Quadrangles of a file as two triangles each. Alone they are cut through their first vertex; beside cells as the
/// faces of those are, so that they stay faces of the tets.
class Quadrangles {
public:
    /// Appends two triangles.
    void add(Mesh& mesh, const std::array<Index, 4>& nodes);
    /// At the end of the file.
    void finish(Mesh& mesh) const;

private:
    struct Added {
        std::size_t triangle;  ///< the first of the two
        std::array<Index, 4> nodes;
    };
    std::vector<Added> added_;
};

}  // namespace stiction
