#include "stiction/audit/box_tree.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace stiction::audit {
namespace {

constexpr std::size_t leaf_size = 4;
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

MovingBox MovingBox::empty() {
    const Vec3 low = Vec3::Constant(-infinity), high = Vec3::Constant(infinity);
    return {high, low, high, low};
}

void MovingBox::extend(const Vec3& at0, const Vec3& at1) {
    min0 = min0.cwiseMin(at0);
    max0 = max0.cwiseMax(at0);
    min1 = min1.cwiseMin(at1);
    max1 = max1.cwiseMax(at1);
}

void MovingBox::extend(const MovingBox& other) {
    min0 = min0.cwiseMin(other.min0);
    max0 = max0.cwiseMax(other.max0);
    min1 = min1.cwiseMin(other.min1);
    max1 = max1.cwiseMax(other.max1);
}

void MovingBox::inflate(double by) {
    const auto outwards = [&](Vec3& corner, double sign) {
        // One double further than the rounded sum, which is at most half a step off.
        for (Eigen::Index k = 0; k < 3; ++k) corner[k] = std::nextafter(corner[k] + sign * by, sign * infinity);
    };
    outwards(min0, -1.0);
    outwards(min1, -1.0);
    outwards(max0, 1.0);
    outwards(max1, 1.0);
}

bool MovingBox::apart(const MovingBox& other) const {
    for (Eigen::Index k = 0; k < 3; ++k) {
        if (max0[k] < other.min0[k] && max1[k] < other.min1[k]) return true;
        if (min0[k] > other.max0[k] && min1[k] > other.max1[k]) return true;
    }
    return false;
}

BoxTree::BoxTree(std::vector<MovingBox> boxes, std::vector<Index> bodies, const BodyPairTable& pairs)
    : boxes_(std::move(boxes)), bodies_(std::move(bodies)), pairs_(&pairs), items_(boxes_.size()) {
    std::iota(items_.begin(), items_.end(), Index{0});
    if (!items_.empty()) build(0, items_.size());
}

void BoxTree::build(std::size_t begin, std::size_t end) {
    const std::size_t self = nodes_.size();
    nodes_.emplace_back();
    MovingBox box = MovingBox::empty();
    Index body = bodies_[static_cast<std::size_t>(items_[begin])];
    for (std::size_t i = begin; i < end; ++i) {
        box.extend(boxes_[static_cast<std::size_t>(items_[i])]);
        if (bodies_[static_cast<std::size_t>(items_[i])] != body) body = -1;
    }
    nodes_[self].box = box;
    nodes_[self].body = body;
    if (end - begin <= leaf_size) {
        nodes_[self].begin = begin;
        nodes_[self].end = end;
    } else {
        Eigen::Index axis = 0;
        (box.max0 - box.min0).maxCoeff(&axis);
        const auto key = [&](Index item) {
            const MovingBox& of_item = boxes_[static_cast<std::size_t>(item)];
            return of_item.min0[axis] + of_item.max0[axis];
        };
        const std::size_t middle = begin + (end - begin) / 2;
        const auto at = [&](std::size_t i) { return items_.begin() + static_cast<std::ptrdiff_t>(i); };
        std::nth_element(at(begin), at(middle), at(end), [&](Index a, Index b) { return key(a) < key(b); });
        build(begin, middle);
        build(middle, end);
    }
    nodes_[self].next = nodes_.size();
}

}  // namespace stiction::audit
