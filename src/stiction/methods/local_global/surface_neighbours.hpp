// The triangles around a feature of a surface, and what they say about the closest features of a pair.
#pragma once

#include "stiction/collision/distance.hpp"
#include "stiction/collision/surface.hpp"

#include <array>
#include <vector>

namespace stiction::local_global {

/// Vertices of pairs are ordered as in PairKind; positions x are those of all vertices, stacked (m).
class SurfaceNeighbours {
public:
    /// @param surface  kept by reference
    SurfaceNeighbours(const CollisionSurface& surface, Index vertex_count);

    /// Whether a feature beside one of the pair's is nearer than the pair, whose squared distance is given (m^2): then
    /// it is the boundary of a smoother contact, and its normal means nothing. Never of faces, nor of two edges.
    bool nearer_neighbour(PairKind kind, const std::array<Index, 4>& vertices, double squared, const VecX& x) const;
    /// Outward normal at the feature of `count` vertices from `first` on, not of unit length: of a vertex weighted by
    /// angles, of an edge the sum of both sides'.
    Vec3 pseudo_normal(const std::array<Index, 4>& vertices, int first, int count, const VecX& x) const;
    /// Of two edges: whether the way from the second to the first, `apart`, leans over no single face beside either of
    /// them.
    bool upright(const std::array<Index, 4>& vertices, const VecX& x, const Vec3& apart) const;
    /// The same, `apart` being made upright first where a face on one side asks for no more than 37 degrees. False
    /// where that is not enough.
    bool straighten(const std::array<Index, 4>& vertices, const VecX& x, Vec3& apart) const;

private:
    Vec3 lean(Index a, Index b, const Vec3& away, const VecX& x) const;

    const CollisionSurface& surface_;
    std::vector<std::size_t> triangle_begin_;  ///< triangles of each vertex
    std::vector<Index> triangle_of_;
};

}  // namespace stiction::local_global
