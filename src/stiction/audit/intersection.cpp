#include "stiction/audit/intersection.hpp"

#include "stiction/audit/box_tree.hpp"
#include "stiction/audit/collect.hpp"
#include "stiction/audit/predicates.hpp"
#include "stiction/audit/simplices.hpp"
#include "stiction/base/error.hpp"

#include <algorithm>
#include <tuple>

namespace stiction::audit {
namespace {

void check_positions(const World& world, const VecX& x) {
    STICTION_CHECK(x.size() == 3 * static_cast<Eigen::Index>(world.vertex_count()), "positions of all vertices");
    for (const Index v : world.surface.vertices)
        STICTION_CHECK(x.segment<3>(3 * v).allFinite(), "a colliding vertex is not finite");
    for (const HalfSpace& plane : world.half_spaces)
        STICTION_CHECK(x.segment<3>(3 * plane.origin_vertex).allFinite(), "a half-space is not finite");
}

/// All primitives with their tests.
class Search {
public:
    Search(const World& world, const VecX& x) : world_(world), surface_(world.surface), x_(x) {}

    std::vector<Intersection> run() const {
        std::vector<Intersection> found;
        const auto append = [&](std::vector<Intersection> more) {
            found.insert(found.end(), more.begin(), more.end());
        };
        std::vector<Edge> bare_edges;
        for (const Index e : surface_.bare_edges) bare_edges.push_back(edge(e));
        std::vector<std::array<Index, 1>> bare_points;
        for (const Index v : surface_.bare_points) bare_points.push_back({v});
        const BoxTree triangles = tree(surface_.triangles);
        append(against<2>(surface_.edges, triangles, [&](Index e, Index t, auto& out) { edge_triangle(e, t, out); }));
        if (!bare_points.empty()) {
            append(against<1>(bare_points, triangles, [&](Index p, Index t, auto& out) {
                point_triangle(surface_.bare_points[static_cast<std::size_t>(p)], t, out);
            }));
        }
        if (!bare_edges.empty()) {
            const BoxTree edges = tree(bare_edges);
            append(against<2>(bare_edges, edges, [&](Index e, Index f, auto& out) {
                if (e < f)
                    edge_edge(surface_.bare_edges[static_cast<std::size_t>(e)],
                              surface_.bare_edges[static_cast<std::size_t>(f)], out);
            }));
            append(against<1>(bare_points, edges, [&](Index p, Index e, auto& out) {
                point_edge(surface_.bare_points[static_cast<std::size_t>(p)],
                           surface_.bare_edges[static_cast<std::size_t>(e)], out);
            }));
        }
        if (!bare_points.empty()) {
            append(against<1>(bare_points, tree(bare_points), [&](Index p, Index q, auto& out) {
                if (p < q)
                    point_point(surface_.bare_points[static_cast<std::size_t>(p)],
                                surface_.bare_points[static_cast<std::size_t>(q)], out);
            }));
        }
        const auto key = [](const Intersection& entry) { return std::tuple(entry.kind, entry.first, entry.second); };
        std::sort(found.begin(), found.end(),
                  [&](const Intersection& a, const Intersection& b) { return key(a) < key(b); });
        return found;
    }

private:
    using Found = std::vector<Intersection>;

    template <std::size_t N>
    BoxTree tree(const std::vector<std::array<Index, N>>& primitives) const {
        return make_tree(primitives, surface_, world_.contact_pairs, x_, x_);
    }
    template <std::size_t N, class Test>
    Found against(const std::vector<std::array<Index, N>>& queries, const BoxTree& tree, const Test& test) const {
        return collect<Intersection>(queries.size(), [&](std::size_t i, Found& out) {
            tree.query(moving_box(queries[i], x_, x_), world_.body_of_vertex[static_cast<std::size_t>(queries[i][0])],
                       [&](Index item) { test(static_cast<Index>(i), item, out); });
        });
    }

    const Edge& edge(Index e) const { return surface_.edges[static_cast<std::size_t>(e)]; }
    const Triangle& triangle(Index t) const { return surface_.triangles[static_cast<std::size_t>(t)]; }
    Vec3 at(Index v) const { return x_.segment<3>(3 * v); }

    void edge_triangle(Index e, Index t, Found& out) const {
        const Edge& s = edge(e);
        Triangle c = triangle(t);
        const auto position = [&](Index v) { return std::find(c.begin(), c.end(), v); };
        const auto first = position(s[0]), second = position(s[1]);
        if (first != c.end() && second != c.end()) return;
        bool meet = false;
        if (first == c.end() && second == c.end()) {
            meet = segment_meets_triangle(at(s[0]), at(s[1]), at(c[0]), at(c[1]), at(c[2]));
        } else {
            const Index other = first != c.end() ? s[1] : s[0];
            std::rotate(c.begin(), first != c.end() ? first : second, c.end());
            meet = hinged_segment_meets_triangle(at(c[0]), at(other), at(c[1]), at(c[2]));
        }
        const Triangle& v = triangle(t);
        if (meet) out.push_back({IntersectionKind::edge_triangle, e, t, {s[0], s[1], v[0], v[1], v[2]}});
    }

    void edge_edge(Index e, Index f, Found& out) const {
        const Edge &a = edge(e), &b = edge(f);
        bool meet = false;
        int common = 0;
        for (std::size_t i = 0; i < 2; ++i) {
            for (std::size_t j = 0; j < 2; ++j) {
                if (a[i] != b[j]) continue;
                ++common;
                meet = hinged_segments_meet(at(a[i]), at(a[1 - i]), at(b[1 - j]));
            }
        }
        if (common == 2) return;
        if (common == 0) meet = segments_meet(at(a[0]), at(a[1]), at(b[0]), at(b[1]));
        if (meet) out.push_back({IntersectionKind::edge_edge, e, f, {a[0], a[1], b[0], b[1], -1}});
    }

    void point_triangle(Index p, Index t, Found& out) const {
        const Triangle& c = triangle(t);
        if (!point_on_triangle(at(p), at(c[0]), at(c[1]), at(c[2]))) return;
        out.push_back({IntersectionKind::point_triangle, p, t, {p, c[0], c[1], c[2], -1}});
    }
    void point_edge(Index p, Index e, Found& out) const {
        const Edge& s = edge(e);
        if (point_on_segment(at(p), at(s[0]), at(s[1])))
            out.push_back({IntersectionKind::point_edge, p, e, {p, s[0], s[1], -1, -1}});
    }
    void point_point(Index p, Index q, Found& out) const {
        if (at(p) == at(q)) out.push_back({IntersectionKind::point_point, p, q, {p, q, -1, -1, -1}});
    }

    const World& world_;
    const CollisionSurface& surface_;
    const VecX& x_;
};

}  // namespace

std::vector<Intersection> find_intersections(const World& world, const VecX& x) {
    check_positions(world, x);
    return Search(world, x).run();
}

std::vector<HalfSpaceViolation> find_half_space_violations(const World& world, const VecX& x) {
    check_positions(world, x);
    std::vector<HalfSpaceViolation> found;
    for (std::size_t k = 0; k < world.half_spaces.size(); ++k) {
        const HalfSpace& plane = world.half_spaces[k];
        const Vec3 origin = x.segment<3>(3 * plane.origin_vertex);
        for (const Index v : world.surface.vertices) {
            if (!world.contact_pairs.allowed(world.body_of_vertex[static_cast<std::size_t>(v)], plane.body)) continue;
            const int side = plane_side(plane.normal, origin, x.segment<3>(3 * v));
            if (side <= 0) found.push_back({v, static_cast<Index>(k), side == 0});
        }
    }
    return found;
}

}  // namespace stiction::audit
