// Weights that make the barrier an integral over the area in contact.
#pragma once

#include "stiction/collision/candidates.hpp"

#include <array>
#include <span>
#include <vector>

namespace stiction {

/// An edge or corner of a triangle, and how often the distance to it counts beside those to the triangles around it.
struct SharedFeature {
    std::array<Index, 2> vertices{-1, -1};  ///< of the edge; or the corner, and -1
    int count = 0;                          ///< 0: it has no part
};

/// Weights of pairs of primitives, as areas over dhat^3 (1/m): barrier_stiffness * weight * b(d^2) is an energy, with a
/// stiffness in Pa (docs/physics/ipc.md, "Weights by area"). After Li, Kaufman and Jiang, Convergent incremental
/// potential contact, 2023: points stand for a third of the triangles at them, and what several triangles share counts
/// once. Edge-edge pairs have a rule of their own, edge_edge().
class ContactWeights {
public:
    /// Part of the integral that edge-edge pairs have; points have the rest.
    static constexpr double edge_share = 0.25;
    /// Of two edges the wider strip counts as at most this many times the narrower one.
    static constexpr double widest_ratio = 4.0;

    /// @param surface  kept by pointer
    /// @param rest     positions that areas are measured at, stacked (m)
    /// @param dhat     activation distance (m): the width of bare edges, and of the square of a bare point
    /// @param share    of each body, its part of dhat as such a width; empty: the whole
    ContactWeights(const CollisionSurface& surface, const VecX& rest, double dhat, std::span<const double> share = {});

    /// A vertex at a half-space, which has no points of its own: its area, whole.
    double half_space(Index vertex) const { return area_[static_cast<std::size_t>(vertex)]; }
    /// A candidate of any kind, before anything shared is counted.
    double pair(PairKind kind, const std::array<Index, 2>& candidate) const;
    /// (1 - edge_share)/2 of the area of the vertex: the other half is that of the points of the other surface.
    double point_triangle(Index vertex) const;
    /// edge_share pi/2 a a', with widths a = area / length of the strips that the edges stand for. Straight lines with
    /// lengths p and p' over area cross 2/pi p p' times over area (Poincare), so that crossings of two surfaces in
    /// random directions sum up to edge_share times their common area.
    double edge_edge(Index edge, Index other) const;

    /// What the point shares with several triangles and is to be counted at this one, so that the distances to all
    /// triangles without the point count once: by inclusion and exclusion the count of an edge is 1 - n with n of these
    /// triangles at it, that of a corner 1 + n - m with n of them and m of their edges at it. Edges and corners are
    /// counted at the first of their triangles.
    std::array<SharedFeature, 6> shared_features(Index vertex, Index triangle) const;
    /// Whether a loose point is a bare point: a square of side dhat.
    bool is_bare_point(Index vertex) const { return bare_end_[static_cast<std::size_t>(vertex)] == 0; }
    /// The same of an end of a bare edge and another bare edge, which is counted with point_triangle(vertex): each end
    /// of that edge counts 1 - n, with n of the bare edges at it, at the first of them.
    std::array<SharedFeature, 2> shared_ends(Index vertex, Index edge) const;

private:
    std::span<const Index> triangles_at(Index vertex) const;
    void list_triangles();
    void list_bare_edges();
    void add_areas(const VecX& rest, double dhat, std::span<const double> share);
    SharedFeature shared_edge(Index point, Index a, Index b, Index triangle) const;
    SharedFeature shared_corner(Index point, Index corner, Index triangle) const;

    const CollisionSurface* surface_;
    std::vector<double> area_;                   ///< of every vertex of the world, over dhat^3
    std::vector<double> width_;                  ///< of every edge of the surface, over dhat^(3/2)
    double bare_pair_ = 0.0;                     ///< of two bare primitives: dhat^2 over dhat^3
    std::vector<std::size_t> first_;             ///< where the triangles of a vertex begin in triangle_list_
    std::vector<Index> triangle_list_;           ///< ascending for each vertex
    std::vector<char> bare_end_;                 ///< of every vertex of the world: whether it is an end of a bare edge
    std::vector<std::array<Index, 2>> bare_at_;  ///< (vertex, bare edge at it), sorted
};

}  // namespace stiction
