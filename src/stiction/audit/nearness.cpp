#include "stiction/audit/nearness.hpp"

#include "stiction/audit/box_tree.hpp"
#include "stiction/audit/collect.hpp"

#include <algorithm>

namespace stiction::audit {
namespace {

using Found = std::vector<NearPair>;

class NearSearch {
public:
    NearSearch(const World& world, const VecX& x, double reach)
        : world_(world), surface_(world.surface), x_(x), reach_(reach), search_distance_(reach) {
        for (const Body& body : world.bodies) {
            if (body.kind != BodyKind::half_space)
                search_distance_ = std::max(search_distance_, reach + body.contact_thickness);
        }
    }

    Found run() const {
        std::vector<std::array<Index, 1>> vertices, bare_points;
        for (const Index v : surface_.vertices) vertices.push_back({v});
        for (const Index v : surface_.bare_points) bare_points.push_back({v});
        std::vector<std::array<Index, 1>> loose_points = bare_points;
        std::vector<Edge> bare_edges;
        for (const Index e : surface_.bare_edges) {
            bare_edges.push_back(surface_.edges[static_cast<std::size_t>(e)]);
            for (const Index v : bare_edges.back()) loose_points.push_back({v});
        }
        std::sort(loose_points.begin(), loose_points.end());
        loose_points.erase(std::unique(loose_points.begin(), loose_points.end()), loose_points.end());
        Found all;
        pairs(vertices, surface_.triangles, PairKind::point_triangle, false, all);
        pairs(surface_.edges, surface_.edges, PairKind::edge_edge, true, all);
        pairs(loose_points, bare_edges, PairKind::point_edge, false, all);
        pairs(bare_points, bare_points, PairKind::point_point, true, all);
        half_spaces(all);
        return all;
    }

private:
    /// Every primitive of the first list against the second; `same`: the lists are one, each pair once.
    template <std::size_t N, std::size_t M>
    void pairs(const std::vector<std::array<Index, N>>& first, const std::vector<std::array<Index, M>>& second,
               PairKind kind, bool same, Found& all) const {
        if (first.empty() || second.empty()) return;
        const BoxTree tree = make_tree(second, surface_, world_.contact_pairs, x_, x_);
        const auto found = collect<NearPair>(first.size(), [&](std::size_t i, Found& out) {
            MovingBox box = moving_box(first[i], x_, x_);
            box.inflate(search_distance_ * (1.0 + 1e-9));
            std::vector<Index> near;
            tree.query(box, world_.body_of_vertex[static_cast<std::size_t>(first[i][0])],
                       [&](Index item) { near.push_back(item); });
            std::sort(near.begin(), near.end());
            for (const Index item : near) {
                if (same && item <= static_cast<Index>(i)) continue;
                add(first[i], second[static_cast<std::size_t>(item)], kind, out);
            }
        });
        all.insert(all.end(), found.begin(), found.end());
    }

    template <std::size_t N, std::size_t M>
    void add(const std::array<Index, N>& a, const std::array<Index, M>& b, PairKind kind, Found& out) const {
        for (const Index v : a) {
            if (std::find(b.begin(), b.end(), v) != b.end()) return;
        }
        NearPair pair{{-1, -1, -1, -1}, static_cast<int>(N), Vec3::Zero(), 0.0, 0.0};
        std::copy(a.begin(), a.end(), pair.vertices.begin());
        std::copy(b.begin(), b.end(), pair.vertices.begin() + N);
        std::array<Vec3, 4> points;
        for (std::size_t k = 0; k < N + M; ++k) points[k] = x_.segment<3>(3 * pair.vertices[k]);
        const Vec3 difference = closest_points(kind, points).difference;
        pair.distance = difference.norm();
        pair.gap = pair.distance - half_thickness(a[0]) - half_thickness(b[0]);
        if (!(pair.gap < reach_)) return;
        if (pair.distance > 0.0) pair.direction = difference / pair.distance;
        out.push_back(pair);
    }

    void half_spaces(Found& all) const {
        for (const HalfSpace& plane : world_.half_spaces) {
            for (const Index v : surface_.vertices) {
                if (!world_.contact_pairs.allowed(world_.body_of_vertex[static_cast<std::size_t>(v)], plane.body))
                    continue;
                const double gap = plane.normal.dot(x_.segment<3>(3 * v) - x_.segment<3>(3 * plane.origin_vertex));
                const double left = gap - half_thickness(v) - half_thickness(plane.origin_vertex);
                if (left < reach_) all.push_back({{v, plane.origin_vertex, -1, -1}, 1, plane.normal, gap, left});
            }
        }
    }

    double half_thickness(Index vertex) const {
        return 0.5 * world_.bodies[static_cast<std::size_t>(world_.body_of_vertex[static_cast<std::size_t>(vertex)])]
                         .contact_thickness;
    }

    const World& world_;
    const CollisionSurface& surface_;
    const VecX& x_;
    double reach_;
    double search_distance_;  ///< of boxes: the largest distance of a pair that is near
};

}  // namespace

std::vector<NearPair> find_near_pairs(const World& world, const VecX& x, double reach) {
    return NearSearch(world, x, reach).run();
}

}  // namespace stiction::audit
