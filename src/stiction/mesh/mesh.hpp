// One mesh type for tets, triangles, edges and points.
#pragma once

#include "stiction/base/types.hpp"

namespace stiction {

/// A further id of an element that belongs to several groups of its file.
struct FurtherTag {
    Index element;  ///< index into the list of triangles or tets
    int tag;
    bool operator==(const FurtherTag&) const = default;
};

/// A plain indexed mesh. Any of the element lists may be empty; indices refer to `vertices`.
/// A triangle that is a face of a tet only carries a surface id: the surface of the tets comes from `extract_surface`
/// (mesh/topology.hpp). A triangle that is no face of any tet is a codimensional one and belongs to the surface too.
/// Orientation: a tet (a, b, c, d) is positive when det[b-a, c-a, d-a] > 0; a triangle of a closed surface is
/// counter-clockwise seen from outside.
struct Mesh {
    std::vector<Vec3> vertices;  ///< positions in metres
    std::vector<Tet> tets;
    /// Of tets of second order the nodes on the edges, one entry per entry of `tets`, in the order of Tet10; empty for
    /// linear tets. Each is a vertex of its own, which tets with that edge share.
    std::vector<std::array<Index, 6>> mid_nodes;
    std::vector<Triangle> triangles;
    std::vector<Edge> edges;    ///< codimensional (bare) edges only, not those of triangles or tets
    std::vector<Index> points;  ///< codimensional (isolated) vertices that collide as points
    /// Surface ids as the file gave them (MSH physical or geometric tag of a triangle), one per entry of `triangles`;
    /// empty if the file has none.
    std::vector<int> triangle_tags;
    /// Region ids of tets, one per entry of `tets`; empty if the file has none.
    std::vector<int> tet_tags;
    /// Ids beyond the first of elements that belong to several groups, ascending by element.
    std::vector<FurtherTag> further_triangle_tags, further_tet_tags;
    /// Hexahedra, prisms and pyramids of the file, which became tets.
    std::size_t split_cells = 0;
};

}  // namespace stiction
