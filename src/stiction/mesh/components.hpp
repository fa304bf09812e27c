// Connected components of a triangle surface, and whether each of them is closed.
#pragma once

#include "stiction/mesh/mesh.hpp"

#include <optional>

namespace stiction {

/// What closes a surface.
enum class ClosedBy {
    /// Every edge belongs to exactly two triangles, which run along it in opposite directions.
    manifold,
    /// Every edge is run along as often in one direction as in the other. Then volume and flux are those of a closed
    /// surface, also where tets of a union touch at an edge alone.
    balance,
};

/// An edge where a surface is not closed.
struct EdgeDefect {
    Edge edge;                 ///< lower vertex first
    std::size_t forward = 0;   ///< triangles that run along it from the lower to the higher vertex
    std::size_t backward = 0;  ///< the others
};

/// The first edge, by its vertices in ascending order, that is not as `by` asks; nothing if there is none.
std::optional<EdgeDefect> first_edge_defect(const std::vector<Triangle>& triangles, ClosedBy by);

/// Triangles connected through edges.
struct SurfaceComponent {
    std::vector<std::size_t> triangles;  ///< indices into the list that was split, ascending
    bool closed = false;                 ///< by ClosedBy::balance
    double volume = 0.0;                 ///< m^3, enclosed_volume: negative when the triangles face inwards; 0 if open
};

/// The components of a surface, and which of the closed ones bounds it from outside.
struct SurfaceComponents {
    std::vector<SurfaceComponent> components;  ///< by their first triangles
    Index outer = -1;                          ///< the closed one with the largest |volume|; -1 if none is closed
    /// Closed ones whose volume has the other sign than that of `outer`, ascending: the walls of cavities, since the
    /// surface of a solid faces away from its material everywhere. Closed ones of the same sign are further pieces of
    /// the body.
    std::vector<Index> cavities;
};

/// Splits a surface. Cavities are told by orientation: for the surface of tets (boundary_triangles), not for one that
/// went through orient_triangles, which turns every component outwards. Nesting is not looked at.
SurfaceComponents split_surface(const std::vector<Vec3>& vertices, const std::vector<Triangle>& triangles);

/// The triangles of one component, in the orientation that they have in the surface.
std::vector<Triangle> component_triangles(const std::vector<Triangle>& triangles, const SurfaceComponent& component);

/// The same triangles seen from the other side.
std::vector<Triangle> turned_over(const std::vector<Triangle>& triangles);

/// The walls of the cavities of a body of tets, one list of triangles a cavity, each counter-clockwise seen from within
/// the cavity (it faces away from the material); empty if there is no cavity.
std::vector<std::vector<Triangle>> cavity_walls(const Mesh& mesh);
/// The same of a closed surface that faces out of the material.
std::vector<std::vector<Triangle>> cavity_walls(const std::vector<Vec3>& vertices,
                                                const std::vector<Triangle>& triangles);

}  // namespace stiction
