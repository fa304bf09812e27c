#include "stiction/methods/local_global/surface_neighbours.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace stiction::local_global {
namespace {

/// Factor on squared distances: a neighbouring feature is nearer only beyond rounding.
constexpr double nearer = 1.0 - 1e-9;

/// Sines of the angles by which the separation of two edges may lean over a face of one of them: before it counts as
/// leaning, and after straightening.
constexpr double leaning = 0.02, most_leaning = 0.2;
/// Cosine of the largest angle of straightening.
constexpr double least_upright = 0.8;

}  // namespace

SurfaceNeighbours::SurfaceNeighbours(const CollisionSurface& surface, Index vertex_count) : surface_(surface) {
    triangle_begin_.assign(static_cast<std::size_t>(vertex_count) + 1, 0);
    for (const Triangle& triangle : surface.triangles) {
        for (const Index vertex : triangle) ++triangle_begin_[static_cast<std::size_t>(vertex) + 1];
    }
    for (std::size_t v = 0; v + 1 < triangle_begin_.size(); ++v) triangle_begin_[v + 1] += triangle_begin_[v];
    triangle_of_.resize(triangle_begin_.back());
    std::vector<std::size_t> cursor(triangle_begin_.begin(), triangle_begin_.end() - 1);
    for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
        for (const Index vertex : surface.triangles[t])
            triangle_of_[cursor[static_cast<std::size_t>(vertex)]++] = static_cast<Index>(t);
    }
}

bool SurfaceNeighbours::nearer_neighbour(PairKind kind, const std::array<Index, 4>& v, double squared,
                                         const VecX& x) const {
    if (kind == PairKind::point_triangle || kind == PairKind::edge_edge) return false;
    const auto nearest_triangle = [&](Index point, Index vertex, Index other) {
        for (std::size_t k = triangle_begin_[static_cast<std::size_t>(vertex)];
             k < triangle_begin_[static_cast<std::size_t>(vertex) + 1]; ++k) {
            const Triangle& triangle = surface_.triangles[static_cast<std::size_t>(triangle_of_[k])];
            if (std::find(triangle.begin(), triangle.end(), point) != triangle.end()) continue;
            if (other >= 0 && std::find(triangle.begin(), triangle.end(), other) == triangle.end()) continue;
            const Vec3 positions[4] = {x.segment<3>(3 * point), x.segment<3>(3 * triangle[0]),
                                       x.segment<3>(3 * triangle[1]), x.segment<3>(3 * triangle[2])};
            if (closest_squared_distance(PairKind::point_triangle, positions) < nearer * squared) return true;
        }
        return false;
    };
    if (kind == PairKind::point_edge) {
        if (nearest_triangle(v[0], v[1], v[2])) return true;
    } else if (nearest_triangle(v[0], v[1], -1) || nearest_triangle(v[1], v[0], -1)) {
        return true;
    }
    // Edges that end at the point, against the other edge.
    const auto nearer_edge = [&](Index point, Index c, Index d) {
        for (std::size_t k = triangle_begin_[static_cast<std::size_t>(point)];
             k < triangle_begin_[static_cast<std::size_t>(point) + 1]; ++k) {
            for (const Index end : surface_.triangles[static_cast<std::size_t>(triangle_of_[k])]) {
                if (end == point || end == c || end == d) continue;
                const Vec3 positions[4] = {x.segment<3>(3 * point), x.segment<3>(3 * end), x.segment<3>(3 * c),
                                           x.segment<3>(3 * d)};
                if (closest_squared_distance(PairKind::edge_edge, positions) < nearer * squared) return true;
            }
        }
        return false;
    };
    return kind == PairKind::point_edge && nearer_edge(v[0], v[1], v[2]);
}

Vec3 SurfaceNeighbours::pseudo_normal(const std::array<Index, 4>& vertices, int first, int count, const VecX& x) const {
    const auto begin = vertices.begin() + first;
    const auto v = static_cast<std::size_t>(*begin);
    Vec3 sum = Vec3::Zero();
    for (std::size_t k = triangle_begin_[v]; k < triangle_begin_[v + 1]; ++k) {
        const Triangle& triangle = surface_.triangles[static_cast<std::size_t>(triangle_of_[k])];
        const auto has = [&](Index vertex) {
            return std::find(triangle.begin(), triangle.end(), vertex) != triangle.end();
        };
        if (!std::all_of(begin, begin + count, has)) continue;
        const Vec3 p0 = x.segment<3>(3 * triangle[0]), p1 = x.segment<3>(3 * triangle[1]),
                   p2 = x.segment<3>(3 * triangle[2]);
        const Vec3 normal = (p1 - p0).cross(p2 - p0).normalized();
        double weight = 1.0;
        if (count == 1) {
            const auto place = static_cast<int>(std::find(triangle.begin(), triangle.end(), *begin) - triangle.begin());
            const Vec3 corners[3] = {p0, p1, p2};
            const Vec3 u = corners[(place + 1) % 3] - corners[place], w = corners[(place + 2) % 3] - corners[place];
            weight = std::atan2(u.cross(w).norm(), u.dot(w));
        }
        sum += weight * normal;
    }
    return sum;
}

/// The component of `away`, which points from edge ab to the other feature, over the one triangle of ab that it leans
/// over. 0 if it leans over none, or over both: in a valley.
Vec3 SurfaceNeighbours::lean(Index a, Index b, const Vec3& away, const VecX& x) const {
    const Vec3 start = x.segment<3>(3 * a), edge = (x.segment<3>(3 * b) - start).normalized();
    Vec3 part = Vec3::Zero();
    int count = 0;
    for (std::size_t k = triangle_begin_[static_cast<std::size_t>(a)];
         k < triangle_begin_[static_cast<std::size_t>(a) + 1]; ++k) {
        const Triangle& triangle = surface_.triangles[static_cast<std::size_t>(triangle_of_[k])];
        if (std::find(triangle.begin(), triangle.end(), b) == triangle.end()) continue;
        const Index opposite =
            *std::find_if(triangle.begin(), triangle.end(), [&](Index vertex) { return vertex != a && vertex != b; });
        const Vec3 arm = x.segment<3>(3 * opposite) - start, inwards = (arm - arm.dot(edge) * edge).normalized();
        if (away.dot(inwards) <= leaning * away.norm()) continue;
        part = away.dot(inwards) * inwards;
        ++count;
    }
    return count == 1 ? part : Vec3(Vec3::Zero());
}

/// An edge inside a flat surface is no ridge. Between solids the pair of a vertex and the face is the contact there.
bool SurfaceNeighbours::upright(const std::array<Index, 4>& v, const VecX& x, const Vec3& apart) const {
    const double most = most_leaning * apart.norm();
    return lean(v[2], v[3], apart, x).norm() <= most && lean(v[0], v[1], -apart, x).norm() <= most;
}

/// A sheet bends over the obstacle below it, so there need not be another pair. The normal is that of the face that the
/// separation leans over, unless it then leans over a face of the other edge.
bool SurfaceNeighbours::straighten(const std::array<Index, 4>& v, const VecX& x, Vec3& apart) const {
    const double distance = apart.norm();
    const Vec3 over_second = lean(v[2], v[3], apart, x);
    apart -= over_second;
    const Vec3 over_first = lean(v[0], v[1], -apart, x);
    if (apart.norm() < least_upright * distance) return false;
    if (!over_second.isZero(0.0)) return over_first.norm() <= most_leaning * apart.norm();
    apart += over_first;
    if (apart.norm() < least_upright * distance) return false;
    return over_first.isZero(0.0) || lean(v[2], v[3], apart, x).norm() <= most_leaning * apart.norm();
}

}  // namespace stiction::local_global
