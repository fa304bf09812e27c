// The triangles around the closest features of a pair: whether the pair is a contact, and its normal.
#pragma once

#include "stiction/collision/surface.hpp"
#include "stiction/contact/contact_pair.hpp"

#include <functional>
#include <span>
#include <vector>

namespace stiction {

/// Of each body: whether its surface is closed and oriented outwards, so that the body has an inside. Every edge of its
/// triangles belongs to two triangles of the same orientation then, and the enclosed volume is positive.
/// @param x  positions of all vertices, stacked (m)
std::vector<char> closed_bodies(const CollisionSurface& surface, std::size_t bodies, const VecX& x);

/// Local tests on a collision surface. Vertices of pairs are ordered as in PairKind. Positions x are of all vertices,
/// stacked (m).
class SurfaceNeighbours {
public:
    using Positions = std::function<Vec3(Index)>;

    /// @param surface  kept by reference
    SurfaceNeighbours(const CollisionSurface& surface, Index vertex_count);

    /// Whether a feature that adjoins one of the pair is nearer than the pair. Then the pair is the boundary of that
    /// contact, and its own normal is arbitrary. False for point-triangle and edge-edge pairs.
    /// @param squared  squared distance of the pair (m^2)
    bool nearer_neighbour(PairKind kind, const std::array<Index, 4>& vertices, double squared, const VecX& x) const;
    /// Outward pseudo-normal of the feature that has `count` vertices from `first` on, not of unit length (Baerentzen
    /// and Aanaes 2005): of a vertex the sum of the normals weighted by angles, of an edge the sum of both normals.
    Vec3 pseudo_normal(const std::array<Index, 4>& vertices, int first, int count, const VecX& x) const;
    /// Whether an edge-edge pair is a contact of two ridges.
    /// @param apart  separation, from the second edge to the first (m)
    /// @return false if it leans over one face of either edge: then another pair, with that face, is the contact
    bool upright(const std::array<Index, 4>& vertices, const VecX& x, const Vec3& apart) const;
    /// The same after the separation was turned upright on the face that it leans over, by at most 37 degrees. False if
    /// that is not enough.
    bool straighten(const std::array<Index, 4>& vertices, const VecX& x, Vec3& apart) const;
    /// Turns the normal of a pair of vertices or edges that leans over a triangle next to one of its features: it then
    /// points along the shortest way between the triangles next to both. So an edge inside a flat surface pushes at
    /// right angles to the surface. The normal of a ridge, of a corner and of a pair with a triangle or a half-space
    /// stays, and so it does where the other feature has come to the triangle through it.
    /// @param position  of any vertex (m)
    /// @param start     positions without intersections from where the vertices moved there
    void turn_upright(const Positions& position, const VecX& start, ContactPair& pair) const;
    /// Whether a pair is where two surfaces meet first: neither feature is behind the surface of the other one's body,
    /// and no triangle next to a feature is nearer. Else another pair is, with that surface or that triangle.
    /// @param position  of any vertex (m); bodies may be through each other
    /// @param pair      with the normal of its closest points
    /// @param closed    of every body, see closed_bodies()
    bool meets_first(const Positions& position, const ContactPair& pair, const std::vector<char>& closed) const;

private:
    template <class At>
    Vec3 pseudo_normal_at(const At& at, std::span<const Index> feature) const;
    bool is_behind(const Positions& position, const ContactPair& pair, const std::vector<char>& closed) const;
    template <class Visit>
    void visit_adjacent(const Positions& position, const ContactPair& pair, std::size_t side, const Vec3& point,
                        const Visit& visit) const;
    Vec3 lean(Index a, Index b, const Vec3& away, const VecX& x) const;
    /// The triangles around vertex v.
    std::span<const Index> triangles_of(Index v) const;

    const CollisionSurface& surface_;
    std::vector<std::size_t> triangle_begin_;  ///< triangles of each vertex
    std::vector<Index> triangle_of_;
};

}  // namespace stiction
