#include "stiction/contact/contact_weights.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stiction {
namespace {

/// No area is less than that of a square with this part of dhat as its side: a pair without weight would have no
/// barrier.
constexpr double least_side = 1e-2;

/// Keeps 40 bits. Sums of a few multiples of one weight are then exact, and those that cancel leave nothing behind.
double rounded(double weight) {
    int exponent = 0;
    const double mantissa = std::frexp(weight, &exponent);
    return std::ldexp(std::round(std::ldexp(mantissa, 40)), exponent - 40);
}

bool contains(const Triangle& triangle, Index vertex) {
    return triangle[0] == vertex || triangle[1] == vertex || triangle[2] == vertex;
}

}  // namespace

ContactWeights::ContactWeights(const CollisionSurface& surface, const VecX& rest, double dhat,
                               std::span<const double> share)
    : surface_(&surface),
      area_(surface.body_of_vertex.size(), 0.0),
      width_(surface.edges.size(), 0.0),
      bare_pair_(1.0 / dhat) {
    list_triangles();
    list_bare_edges();
    add_areas(rest, dhat, share);
}

void ContactWeights::list_triangles() {
    first_.assign(area_.size() + 1, 0);
    for (const Triangle& triangle : surface_->triangles) {
        for (const Index vertex : triangle) ++first_[static_cast<std::size_t>(vertex) + 1];
    }
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    triangle_list_.resize(first_.back());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t t = 0; t < surface_->triangles.size(); ++t) {
        for (const Index vertex : surface_->triangles[t])
            triangle_list_[next[static_cast<std::size_t>(vertex)]++] = static_cast<Index>(t);
    }
}

void ContactWeights::list_bare_edges() {
    bare_end_.assign(area_.size(), 0);
    for (const Index edge : surface_->bare_edges) {
        for (const Index vertex : surface_->edges[static_cast<std::size_t>(edge)]) {
            bare_end_[static_cast<std::size_t>(vertex)] = 1;
            bare_at_.push_back({vertex, edge});
        }
    }
    std::sort(bare_at_.begin(), bare_at_.end());
}

void ContactWeights::add_areas(const VecX& rest, double dhat, std::span<const double> share) {
    const auto side = [&](Index vertex) {
        const Index body = surface_->body_of_vertex[static_cast<std::size_t>(vertex)];
        return share.empty() ? dhat : std::min(share[static_cast<std::size_t>(body)], 1.0) * dhat;
    };
    const auto& edges = surface_->edges;
    const auto triangle_edges_end = edges.end() - static_cast<std::ptrdiff_t>(surface_->bare_edges.size());
    for (const Triangle& t : surface_->triangles) {
        const Vec3 a = rest.segment<3>(3 * t[0]), b = rest.segment<3>(3 * t[1]), c = rest.segment<3>(3 * t[2]);
        const double third = Vec3(b - a).cross(Vec3(c - a)).norm() / 6.0;
        for (std::size_t k = 0; k < 3; ++k) {
            area_[static_cast<std::size_t>(t[k])] += third;
            const auto [low, high] = std::minmax(t[k], t[(k + 1) % 3]);
            const auto edge = std::lower_bound(edges.begin(), triangle_edges_end, Edge{low, high});
            width_[static_cast<std::size_t>(edge - edges.begin())] += third;
        }
    }
    const auto length = [&](const Edge& e) { return (rest.segment<3>(3 * e[1]) - rest.segment<3>(3 * e[0])).norm(); };
    for (const Index edge : surface_->bare_edges) {
        const Edge& e = edges[static_cast<std::size_t>(edge)];
        width_[static_cast<std::size_t>(edge)] = length(e) * side(e[0]);
        for (const Index vertex : e) area_[static_cast<std::size_t>(vertex)] += 0.5 * length(e) * side(vertex);
    }
    for (const Index point : surface_->bare_points) area_[static_cast<std::size_t>(point)] = side(point) * side(point);
    for (std::size_t v = 0; v < area_.size(); ++v) {
        const double least = least_side * side(static_cast<Index>(v));
        area_[v] = rounded(std::max(area_[v], least * least) / (dhat * dhat * dhat));
    }
    for (std::size_t e = 0; e < edges.size(); ++e) {
        const double along = length(edges[e]);
        width_[e] = std::max(along > 0.0 ? width_[e] / along : 0.0, least_side * side(edges[e][0])) /
                    std::sqrt(dhat * dhat * dhat);
    }
}

double ContactWeights::point_triangle(Index vertex) const {
    return rounded(0.5 * (1.0 - edge_share) * area_[static_cast<std::size_t>(vertex)]);
}

double ContactWeights::edge_edge(Index edge, Index other) const {
    const auto [narrow, wide] =
        std::minmax(width_[static_cast<std::size_t>(edge)], width_[static_cast<std::size_t>(other)]);
    return rounded(edge_share * 0.5 * std::numbers::pi * narrow * std::min(wide, widest_ratio * narrow));
}

double ContactWeights::pair(PairKind kind, const std::array<Index, 2>& candidate) const {
    switch (kind) {
        case PairKind::point_triangle: return point_triangle(candidate[0]);
        case PairKind::edge_edge: return edge_edge(candidate[0], candidate[1]);
        case PairKind::point_edge: return is_bare_point(candidate[0]) ? bare_pair_ : point_triangle(candidate[0]);
        case PairKind::point_point: break;
    }
    return bare_pair_;
}

std::span<const Index> ContactWeights::triangles_at(Index vertex) const {
    const auto v = static_cast<std::size_t>(vertex);
    return std::span(triangle_list_).subspan(first_[v], first_[v + 1] - first_[v]);
}

SharedFeature ContactWeights::shared_edge(Index point, Index a, Index b, Index triangle) const {
    int triangles = 0;
    for (const Index t : triangles_at(a)) {
        const Triangle& at = surface_->triangles[static_cast<std::size_t>(t)];
        if (!contains(at, b) || contains(at, point)) continue;
        if (triangles == 0 && t != triangle) return {};
        ++triangles;
    }
    return {{a, b}, 1 - triangles};
}

SharedFeature ContactWeights::shared_corner(Index point, Index corner, Index triangle) const {
    const std::span<const Index> around = triangles_at(corner);
    const auto vertices = [&](Index t) -> const Triangle& { return surface_->triangles[static_cast<std::size_t>(t)]; };
    int triangles = 0, edges = 0;
    for (std::size_t i = 0; i < around.size(); ++i) {
        if (contains(vertices(around[i]), point)) continue;
        if (triangles == 0 && around[i] != triangle) return {};
        ++triangles;
        for (const Index vertex : vertices(around[i])) {
            // An edge counts at the first of its triangles.
            const bool known =
                std::any_of(around.begin(), around.begin() + static_cast<std::ptrdiff_t>(i),
                            [&](Index t) { return contains(vertices(t), vertex) && !contains(vertices(t), point); });
            edges += vertex != corner && !known;
        }
    }
    return {{corner, -1}, 1 + triangles - edges};
}

std::array<SharedFeature, 2> ContactWeights::shared_ends(Index vertex, Index edge) const {
    const Edge& own = surface_->edges[static_cast<std::size_t>(edge)];
    std::array<SharedFeature, 2> result;
    for (std::size_t k = 0; k < 2; ++k) {
        int edges = 0;
        bool first = true;
        for (auto at = std::lower_bound(bare_at_.begin(), bare_at_.end(), std::array<Index, 2>{own[k], 0});
             at != bare_at_.end() && (*at)[0] == own[k]; ++at) {
            const Edge& other = surface_->edges[static_cast<std::size_t>((*at)[1])];
            if (other[0] == vertex || other[1] == vertex) continue;
            if (edges == 0) first = (*at)[1] == edge;
            ++edges;
        }
        if (first) result[k] = {{own[k], -1}, 1 - edges};
    }
    return result;
}

std::array<SharedFeature, 6> ContactWeights::shared_features(Index vertex, Index triangle) const {
    const Triangle& t = surface_->triangles[static_cast<std::size_t>(triangle)];
    std::array<SharedFeature, 6> result;
    for (std::size_t k = 0; k < 3; ++k) {
        result[k] = shared_edge(vertex, t[k], t[(k + 1) % 3], triangle);
        result[3 + k] = shared_corner(vertex, t[k], triangle);
    }
    return result;
}

}  // namespace stiction
