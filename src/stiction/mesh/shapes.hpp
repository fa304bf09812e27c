// What the generators share. Internal.
#pragma once

#include "stiction/mesh/generate.hpp"

#include <functional>
#include <string_view>

namespace stiction::detail {

/// InputError unless `value` is finite and above 0.
void require_positive(std::string_view argument, double value);
/// InputError unless `value` is at least `least`.
void require_count(std::string_view argument, int value, int least);
/// InputError when a mesh would have more than 10 million vertices; `argument` is the one to blame.
void require_vertices(std::string_view argument, double vertices);
/// round(length / edge_length), at least `least`; InputError when it exceeds what a mesh could hold.
int division(double length, double edge_length, int least);

/// Regular icosahedron with vertices on the unit sphere, faces outwards.
struct Icosahedron {
    std::vector<Vec3> vertices;
    std::vector<Triangle> faces;
};
Icosahedron icosahedron();

/// Integer barycentric coordinates in a tet; they sum to the number of pieces that its edges are split into.
using Lattice = std::array<int, 4>;
/// The vertex at a lattice point, added to the mesh where it is new.
using LatticeVertex = std::function<Index(const Lattice&)>;
/// n^3 tets that fill a tet whose edges are split into n = `divisions` pieces; its faces are split into n^2 triangles
/// each, whatever is next to them. Inner diagonals are chosen for the best worst dihedral angle of the positions that
/// `vertex` gave.
void add_split_tet(Mesh& mesh, int divisions, const LatticeVertex& vertex);

/// The solid, or its surface. Swaps vertices so that all tets are positive; InternalError should one be flat.
Mesh finished(Mesh solid, Fill fill);

}  // namespace stiction::detail
