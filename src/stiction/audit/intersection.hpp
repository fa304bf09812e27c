// Intersections of the collision surface at one configuration, without rounding.
#pragma once

#include "stiction/world/world.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace stiction::audit {

/// Which closed primitives have a common point.
enum class IntersectionKind : std::uint8_t { edge_triangle, edge_edge, point_triangle, point_edge, point_point };

/// Two primitives of the collision surface that should be apart.
struct Intersection {
    IntersectionKind kind;
    Index first;   ///< point: vertex id; edge: index into surface.edges
    Index second;  ///< point: vertex id; edge: index into surface.edges; triangle: index into surface.triangles
    std::array<Index, 5> vertices;  ///< global vertex ids of the first, then of the second; unused entries are -1

    bool operator==(const Intersection&) const = default;
};

/// Every intersection between primitives of bodies that may touch (World::contact_pairs), self-contact included. Looked
/// at are: all edges against all triangles that they are no side of; bare edges against bare edges; bare points against
/// triangles, bare edges and bare points. So two surfaces that have a common point other than their common vertices and
/// edges give at least one entry.
///
/// Primitives are closed: touching counts, coplanar or not. Primitives with one common vertex are reported when they
/// meet anywhere else (folded onto or through each other), or when another of their vertices coincides with the common
/// one. Neighbours that only share what they share, and coplanar primitives that are disjoint, are not reported.
///
/// Exact for the given doubles; sorted by kind, first, second; the same for any number of threads.
/// @param x  stacked positions of ALL vertices (m)
/// @throws InternalError if the size is wrong or a colliding vertex is not finite
std::vector<Intersection> find_intersections(const World& world, const VecX& x);

/// A colliding vertex that is not strictly on the allowed side of a half-space.
struct HalfSpaceViolation {
    Index vertex;      ///< global id
    Index half_space;  ///< index into World::half_spaces
    bool touching;     ///< exactly on the plane, not behind it

    bool operator==(const HalfSpaceViolation&) const = default;
};

/// Colliding vertices on or behind half-spaces that their body may touch: the sign of n . (x - o), exact, with the
/// doubles n and o as they are stored. Sorted by half-space, then vertex. Throws as find_intersections does.
std::vector<HalfSpaceViolation> find_half_space_violations(const World& world, const VecX& x);

}  // namespace stiction::audit
