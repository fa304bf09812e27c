// All intersections of the collision surface at one configuration, decided exactly.
#pragma once

#include "stiction/collision/surface.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace stiction {

/// How two primitives meet. Features are open (an edge without its end points, a triangle without its boundary), so
/// that one meeting point is reported as one kind.
enum class IntersectionKind : std::uint8_t {
    point_point,     ///< two vertices at the same place
    point_edge,      ///< a vertex on an edge
    point_triangle,  ///< a vertex on a triangle
    edge_edge,       ///< two edges that are not parallel meet in one point
    edge_triangle,   ///< an edge passes through a triangle from one side to the other
};

/// A meeting of two primitives of the collision surface that should be apart.
struct Intersection {
    IntersectionKind kind;
    Index first;   ///< point: vertex id; edge: index into surface.edges
    Index second;  ///< point: vertex id; edge: index into surface.edges; triangle: index into surface.triangles
    std::array<Index, 5> vertices;  ///< vertices of the first, then of the second; unused entries are -1

    bool operator==(const Intersection&) const = default;
};

/// Every intersection of two primitives of allowed bodies, self-intersections where a body may touch itself.
///
/// Complete: if two primitives (triangles, edges, bare points) have a common point other than their common vertices and
/// edges, then at least one entry names them or sub-features of them. At an extreme point of the common part, two open
/// features meet in that point alone: these are the five kinds above. So overlapping coplanar triangles appear as
/// points in triangles and as crossing edges. Disjoint coplanar triangles do not appear. A triangle that is folded flat
/// onto a neighbour appears by the features that they do not share. Triangles and edges without extent are treated as
/// the segment or the point that they are. A vertex on the opposite edge of its own triangle and the coincident ends of
/// an edge are therefore reported.
///
/// Exact for the given doubles (orientation.hpp); sorted by kind, first, second; the same for any number of threads.
/// @param surface  @param table  what collides
/// @param x        stacked positions of ALL vertices of the world, metres
/// @throws InternalError if sizes do not fit or a colliding vertex is not finite
std::vector<Intersection> find_intersections(const CollisionSurface& surface, const BodyPairTable& table,
                                             const VecX& x);

// The tests behind it, one a kind, for finite points.

/// v lies on the open segment a b.
bool point_on_open_edge(const Vec3& v, const Vec3& a, const Vec3& b);
/// v lies in the open triangle a b c.
bool point_in_open_triangle(const Vec3& v, const Vec3& a, const Vec3& b, const Vec3& c);
/// The open segments a b and c d have exactly one common point.
bool open_edges_cross(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);
/// p and q lie strictly on opposite sides of the plane of a b c, and the segment p q meets the open triangle.
bool edge_pierces_open_triangle(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c);

}  // namespace stiction
