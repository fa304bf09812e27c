#include "stiction/repair/least_separation.hpp"

#include <algorithm>
#include <limits>

namespace stiction::repair {
namespace {

/// The furthest that colliding vertices reach along a direction (m).
double reach_along(const Shape& shape, const Vec3& direction) {
    double reach = -std::numeric_limits<double>::infinity();
    for (const auto& [point] : shape.points.corners) reach = std::max(reach, direction.dot(point));
    return reach;
}

Vec3 centroid(const Shape& shape) {
    Vec3 sum = Vec3::Zero();
    for (const auto& [point] : shape.points.corners) sum += point;
    return sum / static_cast<double>(shape.points.corners.size());
}

/// Directions in which the first body may leave the second.
std::vector<Vec3> exits(const ShapePair& pair, const Vec3& shift) {
    constexpr std::size_t most_normals = 16;
    std::vector<Vec3> list;
    const auto add = [&](const Vec3& way) {
        if (way.norm() > 0.0) list.push_back(way.normalized());
    };
    add(centroid(*pair.first) + shift - centroid(*pair.second));
    add(0.5 * (pair.first->low + pair.first->high - pair.second->low - pair.second->high) + shift);
    if (const auto way = deepest_exit(pair, shift)) add(*way);
    for (const Vec3& direction : axes_and_diagonals()) add(direction);
    std::vector<Vec3> normals = crossed_normals(pair, shift);
    normals.resize(std::min(normals.size(), most_normals));
    for (const Vec3& normal : normals) {
        add(normal);
        add(-normal);
    }
    return list;
}

}  // namespace

std::optional<Way> least_separation(const ShapePair& pair, const Vec3& shift, double distance) {
    WayProblem problem;
    problem.is_clear = [&](const Vec3& way) { return is_clear(pair, shift + way, distance); };
    problem.beyond = [&](const Vec3& direction) {
        return length_beyond(*pair.first, shift, *pair.second, direction) + 2.0 * distance;
    };
    problem.nearest = [&](const Vec3& way) { return nearest_difference(pair, shift + way, 1.5 * distance); };
    problem.directions = exits(pair, shift);
    problem.tolerance = 0.01 * distance;
    return least_way(problem);
}

double length_beyond(const Shape& first, const Vec3& shift, const Shape& second, const Vec3& direction) {
    return reach_along(second, direction) + reach_along(first, -direction) - direction.dot(shift);
}

}  // namespace stiction::repair
