// Which elements meet where: surfaces, edges, orientation, unused vertices.
#pragma once

#include "stiction/mesh/mesh.hpp"

#include <utility>

namespace stiction {

/// Faces that belong to exactly one tet, wound counter-clockwise seen from outside when the tets are positive.
/// Order: by tet, then by the vertex opposite to the face.
std::vector<Triangle> boundary_triangles(const std::vector<Tet>& tets);

/// For each entry of mesh.triangles whether it is a face (inner or outer) of some tet: such a triangle only carries a
/// surface id.
std::vector<bool> triangles_on_tets(const Mesh& mesh);

/// Everything of a mesh that can touch something, in the vertex numbering of the mesh.
struct MeshSurface {
    std::vector<Triangle> triangles;       ///< boundary faces of the tets, then the triangles that are no face of a tet
    std::vector<int> tags;                 ///< surface id of each triangle, 0 when it has none
    std::vector<FurtherTag> further_tags;  ///< further ids of triangles that belong to several groups
    std::vector<Edge> edges;      ///< edges of `triangles` as unique_edges gives them, then the bare edges of the mesh
    std::vector<Index> vertices;  ///< vertices of the triangles, edges and points of the mesh, ascending
};

/// The surface of a mesh: outer faces of its tets with the ids of the equal triangles, codimensional triangles, edges
/// and points.
MeshSurface extract_surface(const Mesh& mesh);

/// The surface as a mesh of its own: triangles (with ids when the mesh has any), bare edges and points; unused vertices
/// dropped.
Mesh surface_mesh(const Mesh& mesh);

/// Distinct edges of triangles, each with its lower vertex first, in ascending order.
std::vector<Edge> unique_edges(const std::vector<Triangle>& triangles);

/// det[b-a, c-a, d-a] / 6 in m^3, negative for an inverted tet.
double signed_volume(const Mesh& mesh, const Tet& tet);

/// Volume in m^3 enclosed by closed triangles that face outwards (divergence theorem); negative when they face inwards.
double enclosed_volume(const std::vector<Vec3>& vertices, const std::vector<Triangle>& triangles);

/// Swaps two vertices of every tet with negative volume, and its mid nodes to match. The volume is that of the corners.
/// @return how many were swapped
std::size_t orient_tets(Mesh& mesh);

/// Two tets of a mesh on the same side of a face that both have: the mesh is folded there, and one of the two is
/// inverted.
/// @param tets  positively oriented (orient_tets); none twice
/// @return the first such pair by the ids of its vertices, or {-1, -1} if there is none
std::pair<Index, Index> folded_tets(const std::vector<Tet>& tets);

/// What orient_triangles found and did.
struct OrientationRepair {
    std::size_t flipped = 0;       ///< triangles turned over
    std::size_t components = 0;    ///< sets of triangles connected through edges with exactly two triangles
    std::size_t closed = 0;        ///< orientable components without boundary: these face outwards now
    std::size_t unorientable = 0;  ///< components such as a Moebius strip: some neighbours still disagree
};

/// Makes neighbouring triangles of mesh.triangles agree, and closed components face outwards (each seen alone: a
/// cavity's wall is turned outwards, too). An open component keeps the side of its first triangle.
OrientationRepair orient_triangles(Mesh& mesh);

/// Whether there are triangles and every edge belongs to an even number of them, so that inside and outside are
/// defined.
bool is_watertight(const std::vector<Triangle>& triangles);

/// Drops vertices that no element uses; the rest keep their order.
/// @return for each old vertex its new index, -1 when dropped
std::vector<Index> compact(Mesh& mesh);

}  // namespace stiction
