#include "stiction/collision/bvh.hpp"

#include "stiction/base/error.hpp"

#include <algorithm>
#include <numeric>

namespace stiction {

void Bvh::build(std::span<const Box> boxes, std::span<const Index> groups) {
    STICTION_CHECK(groups.empty() || groups.size() == boxes.size(), "one group an item");
    const std::size_t n = boxes.size();
    nodes_.clear();
    leaves_.clear();
    leaf_of_.assign(n, -1);
    if (n == 0) return;
    nodes_.reserve(2 * n - 1);
    leaves_.reserve(n);
    order_.resize(n);
    std::iota(order_.begin(), order_.end(), 0);
    centres_.resize(n);
    for (std::size_t i = 0; i < n; ++i)
        centres_[i] = boxes[i].lower + boxes[i].upper;  // twice the centre serves as well
    build_range(boxes, groups, 0, n);
    refit(boxes);
}

std::int32_t Bvh::build_range(std::span<const Box> boxes, std::span<const Index> groups, std::size_t begin,
                              std::size_t end) {
    const auto number = static_cast<std::int32_t>(nodes_.size());
    nodes_.push_back({Box{}, 0, -1, -1});
    if (end - begin == 1) {
        const Index item = order_[begin];
        nodes_.back().item = item;
        if (!groups.empty()) nodes_.back().group = groups[static_cast<std::size_t>(item)];
        leaf_of_[static_cast<std::size_t>(item)] = number;
        leaves_.push_back(number);
    } else {
        Box extent;
        for (std::size_t k = begin; k < end; ++k) extent.add(centres_[static_cast<std::size_t>(order_[k])]);
        Index axis = 0;
        (extent.upper - extent.lower).maxCoeff(&axis);
        const std::size_t middle = begin + (end - begin) / 2;
        const auto at = [&](std::size_t k) { return order_.begin() + static_cast<std::ptrdiff_t>(k); };
        std::nth_element(at(begin), at(middle), at(end), [&](Index a, Index b) {
            const double ca = centres_[static_cast<std::size_t>(a)][axis];
            const double cb = centres_[static_cast<std::size_t>(b)][axis];
            return ca < cb || (ca == cb && a < b);
        });
        const std::int32_t left = build_range(boxes, groups, begin, middle);
        const std::int32_t right = build_range(boxes, groups, middle, end);
        const Index left_group = nodes_[static_cast<std::size_t>(left)].group;
        const Index right_group = nodes_[static_cast<std::size_t>(right)].group;
        nodes_[static_cast<std::size_t>(number)].group = left_group == right_group ? left_group : -1;
    }
    nodes_[static_cast<std::size_t>(number)].skip = static_cast<std::int32_t>(nodes_.size());
    return number;
}

void Bvh::find_wanted(std::span<const char> wanted, std::vector<char>& subtrees) const {
    STICTION_CHECK(wanted.size() == size(), "one mark an item");
    subtrees.resize(nodes_.size());
    for (std::size_t i = nodes_.size(); i-- > 0;) {  // children come after their parent
        const Index item = nodes_[i].item;
        if (item >= 0) {
            subtrees[i] = wanted[static_cast<std::size_t>(item)];
        } else {
            const auto right = static_cast<std::size_t>(nodes_[i + 1].skip);
            subtrees[i] = subtrees[i + 1] || subtrees[right];
        }
    }
}

void Bvh::refit(std::span<const Box> boxes) {
    STICTION_CHECK(boxes.size() == leaf_of_.size(), "refit needs the items the tree was built from");
    for (std::size_t i = nodes_.size(); i-- > 0;) {
        Node& node = nodes_[i];
        if (node.item >= 0) {
            node.box = boxes[static_cast<std::size_t>(node.item)];
        } else {
            const Node& left = nodes_[i + 1];
            node.box = left.box;
            node.box.add(nodes_[static_cast<std::size_t>(left.skip)].box);
        }
    }
}

double Bvh::inner_area() const {
    double area = 0.0;
    for (const Node& node : nodes_) {
        if (node.item < 0) area += node.box.half_area();
    }
    return area;
}

}  // namespace stiction
