// The collision surface: primitives of the whole world, and the table of pairs of bodies that may touch.
#pragma once

#include "stiction/base/types.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace stiction {

/// Collision primitives of the world. All ids refer to the world's vertices.
struct CollisionSurface {
    std::vector<Index> vertices;  ///< all colliding vertices, ascending, no duplicates (bare points included)
    std::vector<Triangle> triangles;
    std::vector<Edge>
        edges;  ///< all unique edges: of triangles, then bare ones; every edge has its smaller vertex first
    std::vector<Index> bare_edges;      ///< indices into `edges` of those that belong to no triangle
    std::vector<Index> bare_points;     ///< vertices that belong to neither triangle nor edge, ascending
    std::vector<Index> loose_points;    ///< bare points and ends of bare edges, ascending: those that meet bare edges
    std::vector<Index> body_of_vertex;  ///< one entry for every vertex of the world
};

/// Builds the surface from the primitives of all bodies. Edges of triangles are made unique and sorted. Bare edges that
/// coincide with an edge of a triangle or with each other are dropped, and so are bare points that belong to a triangle
/// or an edge.
/// @param triangles       triangles of closed and open surfaces
/// @param edges           bare edges
/// @param points          bare points
/// @param body_of_vertex  body of every vertex of the world
/// @throws InternalError if an index is out of range or a primitive names a vertex twice
CollisionSurface make_collision_surface(std::span<const Triangle> triangles, std::span<const Edge> edges,
                                        std::span<const Index> points, std::vector<Index> body_of_vertex);

/// Symmetric table: may body a touch body b? Self-contact is the diagonal. Everything is allowed at first.
class BodyPairTable {
public:
    BodyPairTable() = default;
    explicit BodyPairTable(Index bodies)
        : bodies_(bodies), allowed_(static_cast<std::size_t>(bodies) * static_cast<std::size_t>(bodies), 1) {}

    Index size() const { return bodies_; }
    bool allowed(Index a, Index b) const { return allowed_[at(a, b)] != 0; }
    void set(Index a, Index b, bool allowed) { allowed_[at(a, b)] = allowed_[at(b, a)] = allowed ? 1 : 0; }

private:
    std::size_t at(Index a, Index b) const {
        return static_cast<std::size_t>(a) * static_cast<std::size_t>(bodies_) + static_cast<std::size_t>(b);
    }

    Index bodies_ = 0;
    std::vector<std::uint8_t> allowed_;
};

}  // namespace stiction
