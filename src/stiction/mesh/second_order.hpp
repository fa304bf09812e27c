// Tets of second order, made of linear ones.
#pragma once

#include "stiction/mesh/mesh.hpp"

#include <map>
#include <string>

namespace stiction {

/// Edges of a tet in the order of the mid nodes of Tet10.
inline constexpr std::array<std::array<std::size_t, 2>, 6> mid_node_edges{
    {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}};

/// A triangle of second order: its corners, then the nodes on its edges 01, 12 and 20 (VTK's type 22).
using Triangle6 = std::array<Index, 6>;

/// Corners and mid nodes of tet t. The mesh must have mid nodes.
Tet10 tet10(const Mesh& mesh, std::size_t t);

/// The mid node of every edge of a tet, smaller vertex first; empty for linear tets.
std::map<Edge, Index> middles_of_edges(const Mesh& mesh);

/// Makes linear tets ones of second order: a vertex in the middle of every edge, behind all others, in the order in
/// which the tets come to their edges. The shape stays as it is. A mesh that has mid nodes keeps them.
void add_mid_nodes(Mesh& mesh);

/// Appends to values at the first vertices of a mesh the means of edges, for the mid nodes that have none yet.
void append_middles(const Mesh& mesh, std::vector<Vec3>& values);

/// Throws InputError unless every edge of the tets has a node of its own, which all tets at the edge share. Else
/// neighbours would come apart. @param name  begins the message
void check_mid_nodes(const std::string& name, const Mesh& mesh);

/// boundary_triangles of the tets, with the mid nodes of their edges. The mesh must have mid nodes.
std::vector<Triangle6> curved_boundary(const Mesh& mesh);

/// The largest distance (m) of a mid node from the middle of its edge; 0 without mid nodes.
double curved_by(const Mesh& mesh);

}  // namespace stiction
