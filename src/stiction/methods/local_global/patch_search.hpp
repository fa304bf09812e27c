// Pairs of primitives of two patches of the surface.
#pragma once

#include "stiction/collision/bvh.hpp"
#include "stiction/collision/distance.hpp"
#include "stiction/collision/surface.hpp"
#include "stiction/methods/local_global/primitive_extents.hpp"
#include "stiction/methods/local_global/surface_patches.hpp"

#include <array>
#include <vector>

namespace stiction::local_global {

/// Primitives whose first vertex is in a patch.
struct PatchPrimitives {
    std::vector<Index> points;                   ///< vertex ids
    std::vector<Index> edges, triangles;         ///< indices into the surface
    std::vector<Index> bare_edges, bare_points;  ///< of them: edges without triangles, vertices without edges
    std::vector<Index> loose_points;             ///< of them: bare points and ends of bare edges
};

/// Every primitive of the surface belongs to one patch.
std::vector<PatchPrimitives> primitives_of_patches(const CollisionSurface& surface,
                                                   const std::vector<SurfacePatch>& patches);

constexpr std::array pair_kinds{PairKind::point_triangle, PairKind::edge_edge, PairKind::point_edge,
                                PairKind::point_point};

/// Pairs as in Candidates, unsorted, kind after kind. Keeps its memory.
struct PairList {
    std::array<std::size_t, pair_kinds.size() + 1> begin{};  ///< of each kind of pair_kinds, and the end
    std::vector<std::array<Index, 2>> pairs;
    std::vector<float> bounds;  ///< m: the primitives of a pair are at least so far apart

    void clear();
};

/// Boxes of primitives as planar arrays in single precision. They hold the boxes: a little larger.
struct BoxRows {
    std::size_t count = 0;
    std::vector<Index> items;
    std::array<std::vector<float>, 6> bounds;  ///< m, less an origin: lower, and upper with the sign changed

    /// @param most  boxes that will be added
    void clear(std::size_t most);
    /// @param lower, upper  m, less the origin
    void add(Index item, const Vec3& lower, const Vec3& upper);
};

/// Looks at all pairs of primitives of two patches. Keeps its memory.
class PatchSearch {
public:
    /// A patch, and a box that holds its primitives (m).
    struct Side {
        const PatchPrimitives& primitives;
        const Box& box;
    };

    /// All pairs without a common vertex whose boxes are within `cutoff` (m) of each other.
    /// @param same  both sides are one patch: each pair once
    void find(const CollisionSurface& surface, const Side& a, const Side& b, bool same, const PrimitiveExtents& extents,
              double cutoff, PairList& out);
    /// The same with boxes around the straight moves of the vertices from x0 to x1 (m).
    void find_swept(const CollisionSurface& surface, const Side& a, const Side& b, bool same, const VecX& x0,
                    const VecX& x1, double cutoff, PairList& out);

private:
    template <class Boxes>
    void find_all(const CollisionSurface& surface, const Side& a, const Side& b, bool same, const Boxes& boxes,
                  double cutoff, PairList& out);

    BoxRows first_, second_;
    std::vector<float> squared_;     ///< m^2: distances of one box of first_ from those of second_
    std::vector<std::size_t> near_;  ///< numbers of those within the cutoff
};

}  // namespace stiction::local_global
