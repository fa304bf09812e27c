#include "stiction/audit/closest.hpp"
#include "stiction/audit/simplices.hpp"
#include "stiction/repair/shape.hpp"

#include <Eigen/Geometry>

#include <algorithm>

namespace stiction::repair {
namespace {

template <std::size_t N>
std::array<Vec3, N> moved_by(std::array<Vec3, N> corners, const Vec3& shift) {
    for (Vec3& corner : corners) corner += shift;
    return corners;
}

/// Calls visit(corners of the first, corners of the second) for every two primitives whose boxes are within `reach`
/// (m), the first ones moved by `shift`, until it returns true. Returns whether it did.
template <std::size_t N, std::size_t M, class Visit>
bool visit_near(const Primitives<N>& first, Index first_body, const Vec3& shift, const Primitives<M>& second,
                double reach, const Visit& visit) {
    if (!first.tree || !second.tree) return false;
    for (const auto& original : first.corners) {
        const auto corners = moved_by(original, shift);
        Vec3 low = corners[0], high = low;
        for (const Vec3& corner : corners) {
            low = low.cwiseMin(corner);
            high = high.cwiseMax(corner);
        }
        low.array() -= reach;
        high.array() += reach;
        if ((low.array() > second.high.array()).any() || (high.array() < second.low.array()).any()) continue;
        const audit::MovingBox box{low, high, low, high};
        bool done = false;
        second.tree->query(box, first_body, [&](Index item) {
            done = done || visit(corners, second.corners[static_cast<std::size_t>(item)]);
        });
        if (done) return true;
    }
    return false;
}

bool crosses(const std::array<Vec3, 2>& edge, const std::array<Vec3, 3>& triangle) {
    return audit::segment_meets_triangle(edge[0], edge[1], triangle[0], triangle[1], triangle[2]);
}

/// Whether an edge of the first, moved, crosses a triangle of the second.
bool edges_cross(const Shape& first, const Vec3& shift, const Shape& second) {
    return visit_near(first.edges, first.body, shift, second.triangles, 0.0, crosses);
}

/// Calls visit(difference) for every two primitives whose boxes are within `reach` (m), with the way from the second to
/// the first at their closest points, until it returns true. Returns whether it did.
template <std::size_t N, std::size_t M, class Visit>
bool visit_differences(const Primitives<N>& first, Index first_body, const Vec3& shift, const Primitives<M>& second,
                       double reach, audit::PairKind kind, const Visit& visit) {
    return visit_near(first, first_body, shift, second, reach, [&](const auto& a, const auto& b) {
        std::array<Vec3, 4> points;
        std::copy(b.begin(), b.end(), std::copy(a.begin(), a.end(), points.begin()));
        return visit(audit::closest_points(kind, points).difference);
    });
}

/// The same for all kinds of primitives of two bodies, the first moved.
template <class Visit>
bool visit_differences(const ShapePair& pair, const Vec3& shift, double reach, const Visit& visit) {
    using audit::PairKind;
    const Shape &a = *pair.first, &b = *pair.second;
    const auto turned = [&](const Vec3& difference) { return visit(Vec3(-difference)); };
    const Vec3 back = -shift;
    return visit_differences(a.points, a.body, shift, b.triangles, reach, PairKind::point_triangle, visit) ||
           visit_differences(b.points, b.body, back, a.triangles, reach, PairKind::point_triangle, turned) ||
           visit_differences(a.edges, a.body, shift, b.edges, reach, PairKind::edge_edge, visit) ||
           visit_differences(a.bare_points, a.body, shift, b.bare_edges, reach, PairKind::point_edge, visit) ||
           visit_differences(b.bare_points, b.body, back, a.bare_edges, reach, PairKind::point_edge, turned) ||
           visit_differences(a.bare_points, a.body, shift, b.bare_points, reach, PairKind::point_point, visit);
}

bool surfaces_near(const ShapePair& pair, const Vec3& shift, double distance) {
    return visit_differences(pair, shift, distance,
                             [&](const Vec3& difference) { return difference.norm() < distance; });
}

bool boxes_apart(const Shape& a, const Vec3& shift, const Shape& b, double distance) {
    return ((a.low + shift - b.high).array() > distance).any() || ((b.low - a.high - shift).array() > distance).any();
}

/// Whether a body whose surface crosses no other's is on its side of one: its pieces count.
bool is_on_side(const Shape& body, const Vec3& shift, const Shape& other, bool within) {
    if (other.inside == Inside::none) return true;
    return std::all_of(body.pieces.begin(), body.pieces.end(),
                       [&](const Vec3& piece) { return encloses(other, piece + shift) == within; });
}

/// Unit normals, with the number of crossings that speak for each.
class NormalCount {
public:
    void add(const std::array<Vec3, 3>& triangle, double sign) {
        const Vec3 area = (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]);
        if (area.norm() == 0.0) return;
        const Vec3 normal = sign * area.normalized();
        constexpr double nearly_parallel = 0.99;
        for (auto& [count, direction] : counts_) {
            if (direction.dot(normal) < nearly_parallel) continue;
            ++count;
            return;
        }
        if (counts_.size() < most_normals) counts_.emplace_back(1, normal);
    }

    std::vector<Vec3> sorted() {
        std::stable_sort(counts_.begin(), counts_.end(),
                         [](const auto& a, const auto& b) { return a.first > b.first; });
        std::vector<Vec3> directions;
        for (const auto& [count, direction] : counts_) directions.push_back(direction);
        return directions;
    }

private:
    static constexpr std::size_t most_normals = 64;
    std::vector<std::pair<int, Vec3>> counts_;
};

Vec3 nearest_on_surface(const Shape& shape, const Vec3& point) {
    Vec3 way = Vec3::Zero();
    double nearest = std::numeric_limits<double>::infinity();
    for (const auto& [a, b, c] : shape.triangles.corners) {
        const Vec3 difference = audit::closest_points(audit::PairKind::point_triangle, {point, a, b, c}).difference;
        if (difference.norm() >= nearest) continue;
        nearest = difference.norm();
        way = -difference;
    }
    return way;
}

/// The longest way from a vertex of `body` in `other` to the surface of `other`; zero where there is none.
Vec3 longest_way_out(const Shape& body, const Vec3& shift, const Shape& other) {
    Vec3 longest = Vec3::Zero();
    if (other.inside == Inside::none) return longest;
    constexpr std::size_t most_asked = 64;
    const std::size_t stride = body.points.corners.size() / most_asked + 1;
    for (std::size_t i = 0; i < body.points.corners.size(); i += stride) {
        const Vec3 point = body.points.corners[i][0] + shift;
        if (!encloses(other, point)) continue;
        const Vec3 way = nearest_on_surface(other, point);
        if (way.norm() > longest.norm()) longest = way;
    }
    return longest;
}

}  // namespace

bool is_clear(const ShapePair& pair, const Vec3& shift, double distance) {
    const Shape &a = *pair.first, &b = *pair.second;
    if (boxes_apart(a, shift, b, distance)) return !pair.sides_matter || (!pair.first_within && !pair.second_within);
    if (edges_cross(a, shift, b) || edges_cross(b, -shift, a) || surfaces_near(pair, shift, distance)) return false;
    return !pair.sides_matter ||
           (is_on_side(a, shift, b, pair.first_within) && is_on_side(b, -shift, a, pair.second_within));
}

std::vector<Vec3> crossed_normals(const ShapePair& pair, const Vec3& shift) {
    const Shape &a = *pair.first, &b = *pair.second;
    NormalCount normals;
    visit_near(a.edges, a.body, shift, b.triangles, 0.0, [&](const auto& edge, const auto& triangle) {
        if (crosses(edge, triangle)) normals.add(triangle, 1.0);
        return false;
    });
    visit_near(b.edges, b.body, Vec3(-shift), a.triangles, 0.0, [&](const auto& edge, const auto& triangle) {
        if (crosses(edge, triangle)) normals.add(triangle, -1.0);
        return false;
    });
    return normals.sorted();
}

std::optional<Vec3> deepest_exit(const ShapePair& pair, const Vec3& shift) {
    const Vec3 first = longest_way_out(*pair.first, shift, *pair.second);
    const Vec3 second = -longest_way_out(*pair.second, -shift, *pair.first);
    const Vec3& longest = first.norm() >= second.norm() ? first : second;
    if (longest.norm() == 0.0) return std::nullopt;
    return longest;
}

std::optional<Vec3> nearest_difference(const ShapePair& pair, const Vec3& shift, double reach) {
    std::optional<Vec3> nearest;
    visit_differences(pair, shift, reach, [&](const Vec3& difference) {
        if (!nearest || difference.norm() < nearest->norm()) nearest = difference;
        return false;
    });
    return nearest;
}

}  // namespace stiction::repair
