// A tree of axis-aligned boxes: deterministic build, refit, overlap queries.
#pragma once

#include "stiction/base/types.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace stiction {

/// An axis-aligned box; empty (lower > upper) until something is added.
struct Box {
    Vec3 lower = Vec3::Constant(std::numeric_limits<double>::infinity());
    Vec3 upper = Vec3::Constant(-std::numeric_limits<double>::infinity());

    void add(const Vec3& point) {
        lower = lower.cwiseMin(point);
        upper = upper.cwiseMax(point);
    }
    void add(const Box& box) {
        lower = lower.cwiseMin(box.lower);
        upper = upper.cwiseMax(box.upper);
    }
    /// Grows the box by `distance` on every side.
    void inflate(double distance) {
        lower.array() -= distance;
        upper.array() += distance;
    }
    /// True if the closed boxes share a point.
    bool overlaps(const Box& other) const {
        return lower[0] <= other.upper[0] && other.lower[0] <= upper[0] && lower[1] <= other.upper[1] &&
               other.lower[1] <= upper[1] && lower[2] <= other.upper[2] && other.lower[2] <= upper[2];
    }
    /// Half of the surface area; 0 for an empty box.
    double half_area() const {
        const Vec3 size = upper - lower;
        return size.minCoeff() < 0.0 ? 0.0 : size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
    }
};

/// Tree over boxes 0..n-1, one item a leaf, stored in depth-first order with skip links: the left child of node i is i
/// + 1, and `skip` is the first node after i's subtree, so that queries need no stack. The tree depends on the boxes
/// only.
class Bvh {
public:
    struct Node {
        Box box;
        std::int32_t skip;  ///< first node after this subtree
        Index item;         ///< item of a leaf, -1 for an inner node
        Index group;        ///< common group of all items below, -1 if they differ
    };

    /// Median split along the longest axis of the box centres; ties broken by item number.
    /// @param groups  optional, one entry an item (>= 0): lets queries skip subtrees of one group
    void build(std::span<const Box> boxes, std::span<const Index> groups = {});

    /// New boxes for the same items, same tree.
    void refit(std::span<const Box> boxes);

    std::size_t size() const { return leaf_of_.size(); }
    const std::vector<Node>& nodes() const { return nodes_; }
    /// Node numbers of all leaves in depth-first order.
    const std::vector<std::int32_t>& leaves() const { return leaves_; }

    /// Which subtrees hold a wanted item, one entry a node, for query().
    /// @param wanted  one entry an item
    void find_wanted(std::span<const char> wanted, std::vector<char>& subtrees) const;

    /// Sum of the half areas of all inner nodes in m^2: grows when refits make the tree worse.
    double inner_area() const;

    /// Calls visit(item) for every item whose box overlaps `box`, in depth-first order.
    /// @param first       node to start from: 0 for all; a leaf's number + 1 for the leaves after it
    /// @param skip_group  skip_group(group) true: no item of that group is visited
    /// @param wanted      of find_wanted(): visits wanted items alone; empty: all
    template <class SkipGroup, class Visit>
    void query(const Box& box, std::int32_t first, const SkipGroup& skip_group, const Visit& visit,
               std::span<const char> wanted = {}) const {
        const auto end = static_cast<std::int32_t>(nodes_.size());
        for (std::int32_t i = first; i < end;) {
            const Node& node = nodes_[static_cast<std::size_t>(i)];
            const bool none_wanted = !wanted.empty() && !wanted[static_cast<std::size_t>(i)];
            if (none_wanted || !node.box.overlaps(box) || (node.group >= 0 && skip_group(node.group))) {
                i = node.skip;
                continue;
            }
            if (node.item >= 0) visit(node.item);
            ++i;
        }
    }

private:
    std::int32_t build_range(std::span<const Box> boxes, std::span<const Index> groups, std::size_t begin,
                             std::size_t end);

    std::vector<Node> nodes_;
    std::vector<Index> order_;   ///< items in depth-first order
    std::vector<Vec3> centres_;  ///< of items, twice; while building
    std::vector<std::int32_t> leaf_of_;
    std::vector<std::int32_t> leaves_;
};

}  // namespace stiction
