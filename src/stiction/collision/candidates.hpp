// Broad phase: which pairs of primitives can be near each other.
#pragma once

#include "stiction/base/types.hpp"
#include "stiction/collision/bvh.hpp"
#include "stiction/collision/distance.hpp"
#include "stiction/collision/surface.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stiction {

/// Pairs of primitives, every list sorted and free of duplicates.
struct Candidates {
    std::vector<std::array<Index, 2>>
        point_triangle;  ///< (vertex id, triangle index); the triangle does not contain the vertex
    std::vector<std::array<Index, 2>> edge_edge;  ///< (edge index i, edge index j), i < j, no common vertex
    std::vector<std::array<Index, 2>>
        point_edge;  ///< (loose point's vertex id, bare edge's index into surface.edges), which it is no end of
    std::vector<std::array<Index, 2>> point_point;  ///< (vertex id i, vertex id j) of bare points, i < j

    std::size_t size() const {
        return point_triangle.size() + edge_edge.size() + point_edge.size() + point_point.size();
    }
    void clear();
    /// Pairs with a marked vertex, or those without one. @param marked  of every vertex of the world
    Candidates select(const CollisionSurface& surface, const std::vector<char>& marked, bool with_marked) const;
    /// Adds pairs, none of which may be there already.
    void merge(const Candidates& others);
    /// Number of pairs of one kind.
    std::size_t size(PairKind kind) const { return pairs(kind).size(); }
    const std::vector<std::array<Index, 2>>& pairs(PairKind kind) const;
};

/// World vertex ids of a candidate in stencil order (see PairKind); unused entries are -1.
std::array<Index, 4> stencil_vertices(const CollisionSurface& surface, PairKind kind, const std::array<Index, 2>& pair);

/// Positions of a stencil from the stacked vector of all vertices; unused entries are left alone.
inline void gather_stencil(const std::array<Index, 4>& vertices, const VecX& x, Vec3* out) {
    for (std::size_t k = 0; k < 4 && vertices[k] >= 0; ++k) out[k] = x.segment<3>(3 * vertices[k]);
}

/// How near the pairs of each body have to come; one entry a body.
struct BodyReaches {
    std::vector<double> share;   ///< of the radius of a search, above 0; a pair has the smaller one of its bodies, at
                                 ///< most 1. Empty: all have the whole
    std::vector<double> offset;  ///< added to it by either body (m). Empty: 0
};

/// Finds candidates with bounding-volume trees over triangles, edges, bare edges and bare points. Trees are
/// refitted to new positions, and rebuilt when refits have raised their cost. The result does not depend on the history
/// of the trees.
class BroadPhase {
public:
    BroadPhase() = default;

    /// Builds all trees.
    /// @param surface, table  kept by pointer: both must outlive this object (or the next build)
    /// @param x               positions of ALL vertices of the world, stacked, metres
    void build(const CollisionSurface& surface, const BodyPairTable& table, const VecX& x);

    /// From now on pairs are found up to the reach of their bodies, in place of the whole radius.
    void scale(BodyReaches reaches);

    /// All allowed pairs whose boxes come closer than radius (BodyReaches: than their part of it) on every axis at x:
    /// contains every pair that is closer itself. The result is sorted, the same for any number of threads, and valid
    /// until the next call.
    const Candidates& find(const VecX& x, double radius);

    /// The same with boxes around the straight motion x0 -> x1: contains every pair that comes closer than radius on
    /// the way when all vertices move linearly over the same interval.
    const Candidates& find_swept(const VecX& x0, const VecX& x1, double radius);
    /// The same where only some vertices have moved since the last find: finds pairs with one of them anew, and keeps
    /// the others. That find has to have had at least this radius.
    /// @param moving  of every vertex of the world; empty: all
    const Candidates& find_swept(const VecX& x0, const VecX& x1, double radius, const std::vector<char>& moving);

    /// The surface given to build(); must have been built.
    const CollisionSurface& surface() const { return *surface_; }
    /// The result of the last find.
    const Candidates& candidates() const { return candidates_; }
    /// How often trees were rebuilt and refitted since build().
    std::size_t rebuilds() const { return rebuilds_; }
    std::size_t refits() const { return refits_; }

private:
    struct Layer {  ///< one set of primitives with its tree
        std::vector<Box> boxes;
        std::vector<Index> groups;  ///< body of every item
        Bvh tree;
        double built_cost = 0.0;                 ///< relative cost of a query right after the build
        std::vector<char> moving, moving_below;  ///< of every item and node; empty while all move
    };

    using Pairs = std::vector<std::array<Index, 2>>;

    /// @param rounding  added to the boxes of all bodies (m)
    void set_boxes(const VecX& x0, const VecX& x1, double radius, double rounding);
    double share_of(Index body) const;
    /// Whether boxes of these bodies, inflated each by its own reach, come as near as the pair's.
    bool is_near(const Box& a, const Box& b, Index body_a, Index body_b) const;
    /// @return whether its tree was built anew
    static bool refresh(Layer& layer);
    /// Whether items have a moving vertex. @param vertices_of  vertices_of(i): those of an item
    template <class VerticesOf>
    static void mark(Layer& layer, const std::vector<char>& moving, const VerticesOf& vertices_of);
    void mark_layers(const std::vector<char>& moving);
    /// Finds all pairs, or those with a moving vertex where there are marks.
    void collect();
    template <class Emit>
    void gather_pairs(std::size_t n, Pairs& pairs, const Emit& emit);
    void sort_pairs(Pairs& pairs, std::size_t n_first);

    const CollisionSurface* surface_ = nullptr;
    const BodyPairTable* table_ = nullptr;
    BodyReaches reaches_;
    double radius_ = 0.0;  ///< of the search under way (m)
    Layer vertices_, triangles_, edges_, bare_edges_, bare_points_, loose_points_;
    Candidates candidates_;
    std::vector<Pairs> found_;  ///< of each block of queries; scratch, like the lists below
    Pairs sorted_;
    std::vector<std::size_t> start_, next_;
    std::size_t rebuilds_ = 0;
    std::size_t refits_ = 0;
};

}  // namespace stiction
