// What a mesh holds and what is wrong with it.
#pragma once

#include "stiction/mesh/mesh.hpp"

#include <map>
#include <string>

namespace stiction {

/// Facts about a mesh. "Surface" means extract_surface: outer faces of tets and codimensional triangles.
struct MeshInfo {
    std::size_t vertices = 0;
    std::size_t used_vertices = 0;                                               ///< those some element uses
    std::size_t tets = 0, triangles = 0, edges = 0, points = 0;                  ///< sizes of the mesh's lists
    std::size_t surface_vertices = 0, surface_edges = 0, surface_triangles = 0;  ///< of the surface triangles
    std::size_t components = 0;  ///< sets of used vertices connected through elements

    Vec3 lower{0, 0, 0}, upper{0, 0, 0};  ///< bounding box of the used vertices, m
    double volume = 0;  ///< m^3: sum of the signed volumes of the tets, curved ones where they have mid nodes; without
                        ///< tets what watertight triangles enclose, else 0
    double area = 0;    ///< m^2 of the surface triangles, by their corners

    std::size_t mid_nodes = 0;  ///< of tets of second order
    double curved_by = 0;       ///< the largest distance (m) of a mid node from the middle of its edge

    std::size_t duplicate_vertices = 0;  ///< vertices at exactly the place of an earlier one
    std::size_t near_vertices = 0;  ///< vertices apart from an earlier one, but by less than 1e-6 of the box's size
    std::size_t duplicate_elements =
        0;  ///< tets, triangles, edges, points with the vertices of an earlier one of their kind
    std::size_t degenerate_tets = 0;       ///< |det| <= 1e-12 (longest edge)^3, of the corners
    std::size_t degenerate_triangles = 0;  ///< of the mesh's own: twice the area <= 1e-12 (longest edge)^2
    std::size_t degenerate_edges = 0;      ///< of the mesh's own: length 0
    std::size_t inverted_tets = 0;      ///< negative volume (of curved tets that of the curved shape), not degenerate
    std::size_t boundary_edges = 0;     ///< surface edges with one triangle
    std::size_t nonmanifold_edges = 0;  ///< surface edges with more than two triangles
    std::size_t misoriented_edges = 0;  ///< surface edges with two triangles that run along it in the same direction
    bool watertight = false;            ///< is_watertight of the surface
    std::size_t closed_parts = 0;       ///< without tets: closed parts of the surface that lie in no other one
    std::size_t inward_parts = 0;       ///< of these, the ones whose triangles face inwards (mesh/outward.hpp)

    double min_edge = 0, max_edge = 0;  ///< lengths in m over the edges of all elements; 0 without any
    double min_dihedral = 0;            ///< degrees, over all tets; 0 without tets
    double min_angle = 0;               ///< degrees, over the surface triangles; 0 without triangles

    std::map<int, std::size_t> surface_ids;  ///< surface id -> number of surface triangles that have it (0: none given)
    std::map<int, std::size_t> region_ids;   ///< tag of tets -> number of tets

    /// Whether nothing stands against simulating the mesh: no degenerate or inverted elements and no duplicate ones.
    bool sound() const;
};

MeshInfo inspect(const Mesh& mesh);

/// The facts as lines "name  value", defects marked with "!"; ends with a newline.
std::string to_text(const MeshInfo& info);

/// Smallest of the six angles between the faces of a tet, in degrees, of either orientation; 0 when it is flat.
double min_dihedral_degrees(const std::vector<Vec3>& vertices, const Tet& tet);

}  // namespace stiction
