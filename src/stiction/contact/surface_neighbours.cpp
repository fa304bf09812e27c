#include "stiction/contact/surface_neighbours.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

/// Factor on squared distances: a neighbouring feature is nearer only beyond rounding.
constexpr double nearer = 1.0 - 1e-9;

/// Sines of the angles by which the separation of two edges may lean over a face of one of them: before it counts as
/// leaning, and after straightening.
constexpr double leaning = 0.02, most_leaning = 0.2;
/// Cosine of the largest angle of straightening.
constexpr double least_upright = 0.8;

/// The point of a pair that is at its closest on a feature.
/// @param side  the feature, 0 or 1
Vec3 material_point(const SurfaceNeighbours::Positions& position, const ContactPair& pair, std::size_t side) {
    const int first = first_count(pair.key.kind), begin = side == 0 ? 0 : first,
              end = side == 0 ? first : pair.vertex_count();
    Vec3 point = Vec3::Zero();
    for (int k = begin; k < end; ++k)
        point += std::abs(pair.weights[k]) * position(pair.key.vertices[static_cast<std::size_t>(k)]);
    return point;
}

/// Height over the plane of a triangle, times twice its area (m^3).
double scaled_height(const Vec3& point, const Triangle& triangle, const SurfaceNeighbours::Positions& position) {
    const Vec3 corner = position(triangle[0]);
    return (position(triangle[1]) - corner).cross(position(triangle[2]) - corner).dot(point - corner);
}

/// From the nearest point of a triangle to a point (m).
Vec3 separation_from_triangle(const Vec3& point, const Triangle& triangle,
                              const SurfaceNeighbours::Positions& position) {
    const Vec3 stencil[4] = {point, position(triangle[0]), position(triangle[1]), position(triangle[2])};
    const ClosestFeature nearest = classify(PairKind::point_triangle, stencil);
    Vec3 reduced[4];
    for (int k = 0; k < vertex_count(nearest.kind); ++k)
        reduced[k] = stencil[nearest.local[static_cast<std::size_t>(k)]];
    return separation(nearest.kind, reduced);
}

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

std::span<const Index> SurfaceNeighbours::triangles_of(Index v) const {
    const auto at = static_cast<std::size_t>(v);
    return std::span(triangle_of_).subspan(triangle_begin_[at], triangle_begin_[at + 1] - triangle_begin_[at]);
}

void SurfaceNeighbours::turn_upright(const Positions& position, const VecX& start, ContactPair& pair) const {
    if (pair.key.half_space || pair.key.kind == PairKind::point_triangle) return;
    const std::span vertices(pair.key.vertices.data(), static_cast<std::size_t>(pair.vertex_count()));
    const auto split = static_cast<std::size_t>(first_count(pair.key.kind));
    const std::array features{vertices.first(split), vertices.subspan(split)};
    const Positions before = [&](Index v) -> Vec3 { return start.segment<3>(3 * v); };
    const std::array points{material_point(position, pair, 0), material_point(position, pair, 1)};
    const std::array points_before{material_point(before, pair, 0), material_point(before, pair, 1)};
    double least = nearer * (points[0] - points[1]).squaredNorm();
    for (const std::size_t side : {std::size_t{1}, std::size_t{0}}) {
        const auto &own = features[side], &other = features[1 - side];
        for (const Index t : triangles_of(own[0])) {
            const Triangle& triangle = surface_.triangles[static_cast<std::size_t>(t)];
            const auto has = [&](Index v) { return std::find(triangle.begin(), triangle.end(), v) != triangle.end(); };
            if (!std::all_of(own.begin(), own.end(), has) || std::any_of(other.begin(), other.end(), has)) continue;
            const Vec3 apart = separation_from_triangle(points[1 - side], triangle, position);
            if (!(apart.squaredNorm() > 0.0) || apart.squaredNorm() >= least) continue;
            if (scaled_height(points[1 - side], triangle, position) *
                    scaled_height(points_before[1 - side], triangle, before) <=
                0.0)
                continue;
            least = apart.squaredNorm();
            pair.normal = (side == 1 ? apart : Vec3(-apart)).normalized();
        }
    }
    pair.tangents = any_tangents(pair.normal);
}

}  // namespace stiction
