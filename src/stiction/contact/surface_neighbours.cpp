#include "stiction/contact/surface_neighbours.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <map>

namespace stiction {
namespace {

/// Factor on squared distances: a neighbouring feature is nearer only beyond rounding.
constexpr double nearer = 1.0 - 1e-9;

/// The same for triangles next to a feature, whose pairs are less exact where surfaces are flat.
constexpr double nearer_triangle = 1.0 - 1e-8;

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

/// The vertices of the first feature, then those of the second.
std::array<std::span<const Index>, 2> features_of(const ContactPair& pair) {
    const std::span vertices(pair.key.vertices.data(), static_cast<std::size_t>(pair.vertex_count()));
    const auto first = static_cast<std::size_t>(first_count(pair.key.kind));
    return {vertices.first(first), vertices.subspan(first)};
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

std::vector<char> closed_bodies(const CollisionSurface& surface, std::size_t bodies, const VecX& x) {
    std::vector<std::map<Edge, int>> sides(bodies);
    std::vector<double> volume(bodies, 0.0);
    for (const Triangle& triangle : surface.triangles) {
        const auto body = static_cast<std::size_t>(surface.body_of_vertex[static_cast<std::size_t>(triangle[0])]);
        const auto at = [&](std::size_t k) -> Vec3 { return x.segment<3>(3 * triangle[k]); };
        volume[body] += at(0).dot(at(1).cross(at(2))) / 6.0;
        for (std::size_t k = 0; k < 3; ++k) ++sides[body][{triangle[k], triangle[(k + 1) % 3]}];
    }
    std::vector<char> closed(bodies, 0);
    for (std::size_t b = 0; b < bodies; ++b) {
        const auto matched = [&](const auto& side) {
            return side.second == 1 && sides[b].contains({side.first[1], side.first[0]});
        };
        closed[b] = !sides[b].empty() && volume[b] > 0.0 && std::all_of(sides[b].begin(), sides[b].end(), matched);
    }
    return closed;
}

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
        for (const Index t : triangles_of(vertex)) {
            const Triangle& triangle = surface_.triangles[static_cast<std::size_t>(t)];
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
        for (const Index t : triangles_of(point)) {
            for (const Index end : surface_.triangles[static_cast<std::size_t>(t)]) {
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

/// @param at  position of any vertex (m)
template <class At>
Vec3 SurfaceNeighbours::pseudo_normal_at(const At& at, std::span<const Index> feature) const {
    Vec3 sum = Vec3::Zero();
    for (const Index t : triangles_of(feature[0])) {
        const Triangle& triangle = surface_.triangles[static_cast<std::size_t>(t)];
        const auto has = [&](Index vertex) {
            return std::find(triangle.begin(), triangle.end(), vertex) != triangle.end();
        };
        if (!std::all_of(feature.begin(), feature.end(), has)) continue;
        const Vec3 corners[3] = {at(triangle[0]), at(triangle[1]), at(triangle[2])};
        const Vec3 normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalized();
        double weight = 1.0;
        if (feature.size() == 1) {
            const auto place =
                static_cast<int>(std::find(triangle.begin(), triangle.end(), feature[0]) - triangle.begin());
            const Vec3 u = corners[(place + 1) % 3] - corners[place], w = corners[(place + 2) % 3] - corners[place];
            weight = std::atan2(u.cross(w).norm(), u.dot(w));
        }
        sum += weight * normal;
    }
    return sum;
}

Vec3 SurfaceNeighbours::pseudo_normal(const std::array<Index, 4>& vertices, int first, int count, const VecX& x) const {
    return pseudo_normal_at(
        [&](Index v) -> Vec3 { return x.segment<3>(3 * v); },
        std::span(vertices).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)));
}

/// The component of `away`, which points from edge ab to the other feature, over the one triangle of ab that it leans
/// over. 0 if it leans over none, or over both: in a valley.
Vec3 SurfaceNeighbours::lean(Index a, Index b, const Vec3& away, const VecX& x) const {
    const Vec3 start = x.segment<3>(3 * a), edge = (x.segment<3>(3 * b) - start).normalized();
    Vec3 part = Vec3::Zero();
    int count = 0;
    for (const Index t : triangles_of(a)) {
        const Triangle& triangle = surface_.triangles[static_cast<std::size_t>(t)];
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

/// Visits the triangles next to one feature of a pair.
/// @param side   of the feature, 0 or 1
/// @param visit  called with the triangle and the separation (m) from it to a point
template <class Visit>
void SurfaceNeighbours::visit_adjacent(const Positions& position, const ContactPair& pair, std::size_t side,
                                       const Vec3& point, const Visit& visit) const {
    const auto features = features_of(pair);
    const auto &own = features[side], &other = features[1 - side];
    if (own.size() == 3) return;
    for (const Index t : triangles_of(own[0])) {
        const Triangle& triangle = surface_.triangles[static_cast<std::size_t>(t)];
        const auto has = [&](Index v) { return std::find(triangle.begin(), triangle.end(), v) != triangle.end(); };
        if (!std::all_of(own.begin(), own.end(), has) || std::any_of(other.begin(), other.end(), has)) continue;
        visit(triangle, separation_from_triangle(point, triangle, position));
    }
}

/// The closest points of both features' triangles, by projections in turn: a point on one side, nearest to one on the
/// other, may itself be beside a nearer triangle there.
void SurfaceNeighbours::turn_upright(const Positions& position, const VecX& start, ContactPair& pair) const {
    if (pair.key.half_space || pair.key.kind == PairKind::point_triangle) return;
    constexpr int most_turns = 4;
    const Positions before = [&](Index v) -> Vec3 { return start.segment<3>(3 * v); };
    const std::array closest{material_point(position, pair, 0), material_point(position, pair, 1)};
    const std::array closest_before{material_point(before, pair, 0), material_point(before, pair, 1)};
    std::array points = closest;
    Vec3 apart = points[0] - points[1];
    bool turned = false;
    for (int turn = 0, unchanged = 0; turn < most_turns && unchanged < 2; ++turn) {
        const std::size_t side = turn % 2 == 0 ? 1 : 0;
        const Vec3 point = points[1 - side];
        double least = nearer_triangle * apart.squaredNorm();
        ++unchanged;
        visit_adjacent(position, pair, side, point, [&](const Triangle& triangle, const Vec3& away) {
            if (!(away.squaredNorm() > 0.0) || away.squaredNorm() >= least) return;
            if (scaled_height(closest[1 - side], triangle, position) *
                    scaled_height(closest_before[1 - side], triangle, before) <=
                0.0)
                return;
            least = away.squaredNorm();
            apart = side == 1 ? away : Vec3(-away);
            points[side] = point - away;
            unchanged = 0;
            turned = true;
        });
    }
    if (!turned) return;
    pair.normal = apart.normalized();
    pair.tangents = any_tangents(pair.normal);
}

/// Whether a feature is behind the surface of the other one's body (Baerentzen and Aanaes 2005).
bool SurfaceNeighbours::is_behind(const Positions& position, const ContactPair& pair,
                                  const std::vector<char>& closed) const {
    const auto features = features_of(pair);
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        const auto body = surface_.body_of_vertex[static_cast<std::size_t>(features[side][0])];
        if (!closed[static_cast<std::size_t>(body)]) continue;
        const double outward = pair.normal.dot(pseudo_normal_at(position, features[side]));
        if (side == 0 ? outward > 0.0 : outward < 0.0) return true;
    }
    return false;
}

bool SurfaceNeighbours::meets_first(const Positions& position, const ContactPair& pair,
                                    const std::vector<char>& closed) const {
    if (pair.key.half_space) return true;
    if (is_behind(position, pair, closed)) return false;
    const std::array points{material_point(position, pair, 0), material_point(position, pair, 1)};
    const double most = nearer_triangle * (points[0] - points[1]).squaredNorm();
    bool nearer = false;
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        visit_adjacent(position, pair, side, points[1 - side],
                       [&](const Triangle&, const Vec3& away) { nearer = nearer || away.squaredNorm() < most; });
    }
    return !nearer;
}

}  // namespace stiction
