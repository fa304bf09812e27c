// Bounding-volume tree over primitives during a straight move: the broad phase of the move certificates.
#pragma once

#include "stiction/collision/surface.hpp"

#include <vector>

namespace stiction::audit {

/// Bounds of a set of points at both ends of a straight move.
struct MovingBox {
    Vec3 min0, max0, min1, max1;

    static MovingBox empty();
    void extend(const Vec3& at0, const Vec3& at1);
    void extend(const MovingBox& other);
    /// Larger on every side by at least `by` (metres, >= 0).
    void inflate(double by);
    /// Along one axis, this is strictly on the same side of `other` at both ends. Differences of coordinates are linear
    /// in time, so the sets are then apart during the whole move. Comparisons only: there is nothing to round. Common
    /// motion does not matter.
    bool apart(const MovingBox& other) const;
};

/// A binary tree of moving boxes. Which items a query finds depends on the boxes alone.
class BoxTree {
public:
    /// @param boxes   one an item
    /// @param bodies  body of each item
    /// @param pairs   which bodies may touch; must outlive the tree
    BoxTree(std::vector<MovingBox> boxes, std::vector<Index> bodies, const BodyPairTable& pairs);

    const MovingBox& box(Index item) const { return boxes_[static_cast<std::size_t>(item)]; }

    /// Calls found(item) for every item of a body that `body` may touch and whose box is not apart from `box`; in no
    /// particular order.
    template <class Found>
    void query(const MovingBox& box, Index body, const Found& found) const {
        for (std::size_t n = 0; n < nodes_.size();) {
            const Node& node = nodes_[n];
            const bool skip = (node.body >= 0 && !pairs_->allowed(node.body, body)) || box.apart(node.box);
            if (!skip) {
                for (std::size_t i = node.begin; i < node.end; ++i) {
                    const auto item = static_cast<std::size_t>(items_[i]);
                    if (pairs_->allowed(bodies_[item], body) && !box.apart(boxes_[item])) found(items_[i]);
                }
            }
            n = skip ? node.next : n + 1;
        }
    }

private:
    struct Node {
        MovingBox box;
        Index body = -1;                 ///< of all items below; -1 if there are several
        std::size_t next = 0;            ///< first node that is not below this one
        std::size_t begin = 0, end = 0;  ///< items of a leaf
    };
    void build(std::size_t begin, std::size_t end);

    std::vector<MovingBox> boxes_;
    std::vector<Index> bodies_;
    const BodyPairTable* pairs_;
    std::vector<Index> items_;
    std::vector<Node> nodes_;  // depth first
};

/// Box of a primitive with these vertices.
template <std::size_t N>
MovingBox moving_box(const std::array<Index, N>& vertices, const VecX& x0, const VecX& x1) {
    MovingBox box = MovingBox::empty();
    for (const Index v : vertices) box.extend(x0.segment<3>(3 * v), x1.segment<3>(3 * v));
    return box;
}

/// Tree over primitives of the collision surface, in their order.
template <std::size_t N>
BoxTree make_tree(const std::vector<std::array<Index, N>>& primitives, const CollisionSurface& surface,
                  const BodyPairTable& pairs, const VecX& x0, const VecX& x1) {
    std::vector<MovingBox> boxes;
    std::vector<Index> bodies;
    boxes.reserve(primitives.size());
    bodies.reserve(primitives.size());
    for (const auto& primitive : primitives) {
        boxes.push_back(moving_box(primitive, x0, x1));
        bodies.push_back(surface.body_of_vertex[static_cast<std::size_t>(primitive[0])]);
    }
    return {std::move(boxes), std::move(bodies), pairs};
}

}  // namespace stiction::audit
