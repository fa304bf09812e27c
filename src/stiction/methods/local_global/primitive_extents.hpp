// Boxes and moves of the primitives of a collision surface, to tell at once which pairs stay apart.
#pragma once

#include "stiction/collision/candidates.hpp"

#include <vector>

namespace stiction::local_global {

/// Where a primitive is, and how it moves.
struct Extent {
    Vec3 lower, upper;    ///< its box at the start (m)
    Vec3 move;            ///< mean of its vertices' moves (m)
    double spread = 0.0;  ///< m: no vertex moves otherwise by more than this
};

/// Extents of all vertices, edges and triangles. Keeps its memory.
class PrimitiveExtents {
public:
    explicit PrimitiveExtents(const CollisionSurface& surface) : surface_(surface) {}

    /// @param x, prediction  ends of the motion (m), stacked
    void measure(const VecX& x, const VecX& prediction);

    const Extent& point(Index vertex) const { return points_[at(vertex)]; }
    const Extent& edge(Index edge) const { return edges_[at(edge)]; }
    const Extent& triangle(Index triangle) const { return triangles_[at(triangle)]; }
    const Extent& first(PairKind kind, const std::array<Index, 2>& pair) const {
        return kind == PairKind::edge_edge ? edges_[at(pair[0])] : points_[at(pair[0])];
    }
    const Extent& second(PairKind kind, const std::array<Index, 2>& pair) const {
        switch (kind) {
            case PairKind::point_point: return points_[at(pair[1])];
            case PairKind::point_triangle: return triangles_[at(pair[1])];
            default: return edges_[at(pair[1])];
        }
    }

private:
    const CollisionSurface& surface_;
    std::vector<Extent> points_, edges_, triangles_;  ///< points by vertex id
};

/// How far two boxes are apart along each axis (m). A and B have `lower` and `upper`.
template <class A, class B>
Vec3 box_gaps(const A& a, const B& b) {
    return (a.lower - b.upper).cwiseMax(b.lower - a.upper).cwiseMax(0.0);
}
/// Their squared distance (m^2).
template <class A, class B>
double squared_box_distance(const A& a, const B& b) {
    return box_gaps(a, b).squaredNorm();
}
/// Bound of how far two points of the primitives come nearer to each other (m).
inline double relative_move(const Extent& a, const Extent& b) {
    return (a.move - b.move).norm() + a.spread + b.spread;
}

}  // namespace stiction::local_global
