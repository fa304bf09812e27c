#include "stiction/collision/intersection.hpp"

#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/collision/bvh.hpp"
#include "stiction/collision/orientation.hpp"

#include <algorithm>
#include <tuple>

namespace stiction {
namespace {

/// The point without one coordinate, in an order that keeps the orientation of (axis + 1, axis + 2).
Vec2 without(const Vec3& p, Eigen::Index axis) {
    return {p[(axis + 1) % 3], p[(axis + 2) % 3]};
}

int orient_without(Eigen::Index axis, const Vec3& a, const Vec3& b, const Vec3& c) {
    return orient2d(without(a, axis), without(b, axis), without(c, axis));
}

/// A coordinate along which the triangle a, b, c projects to one with area, and the orientation of that triangle;
/// {-1, 0} if the points are collinear.
std::pair<Eigen::Index, int> projection_of(const Vec3& a, const Vec3& b, const Vec3& c) {
    for (Eigen::Index axis = 0; axis < 3; ++axis) {
        const int sign = orient_without(axis, a, b, c);
        if (sign != 0) return {axis, sign};
    }
    return {-1, 0};
}

template <std::size_t N>
bool share_vertex(const Edge& edge, const std::array<Index, N>& primitive) {
    return std::any_of(primitive.begin(), primitive.end(), [&](Index v) { return v == edge[0] || v == edge[1]; });
}

/// Trees and boxes of one configuration, and the search over them.
class Search {
    // Here because a deduced return type comes before its use.
    Vec3 point(Index v) const { return x_.segment<3>(3 * v); }
    Index body(Index v) const { return surface_.body_of_vertex[at(v)]; }
    bool allowed(Index v, Index w) const { return table_.allowed(body(v), body(w)); }
    auto forbids(Index v) const {
        return [this, own = body(v)](Index other) { return !table_.allowed(own, other); };
    }

public:
    Search(const CollisionSurface& surface, const BodyPairTable& table, const VecX& x)
        : surface_(surface), table_(table), x_(x) {
        fill(edge_boxes_, surface.edges, edge_tree_);
        fill(triangle_boxes_, surface.triangles, triangle_tree_);
    }

    void coincident_points(std::vector<Intersection>& out) const {
        std::vector<Index> sorted = surface_.vertices;
        const auto key = [this](Index v) { return std::tuple(x_[3 * v], x_[3 * v + 1], x_[3 * v + 2]); };
        std::sort(sorted.begin(), sorted.end(),
                  [&](Index a, Index b) { return key(a) != key(b) ? key(a) < key(b) : a < b; });
        for (std::size_t i = 0; i < sorted.size(); ++i) {
            for (std::size_t j = i + 1; j < sorted.size() && key(sorted[i]) == key(sorted[j]); ++j) {
                if (allowed(sorted[i], sorted[j])) {
                    out.push_back(
                        {IntersectionKind::point_point, sorted[i], sorted[j], {sorted[i], sorted[j], -1, -1, -1}});
                }
            }
        }
    }

    void around_point(Index v, std::vector<Intersection>& out) const {
        Box box;
        box.add(point(v));
        edge_tree_.query(box, 0, forbids(v), [&](Index e) {
            const Edge& b = surface_.edges[at(e)];
            if (v == b[0] || v == b[1] || !point_on_open_edge(point(v), point(b[0]), point(b[1]))) return;
            out.push_back({IntersectionKind::point_edge, v, e, {v, b[0], b[1], -1, -1}});
        });
        triangle_tree_.query(box, 0, forbids(v), [&](Index t) {
            const Triangle& b = surface_.triangles[at(t)];
            if (v == b[0] || v == b[1] || v == b[2]) return;
            if (!point_in_open_triangle(point(v), point(b[0]), point(b[1]), point(b[2]))) return;
            out.push_back({IntersectionKind::point_triangle, v, t, {v, b[0], b[1], b[2], -1}});
        });
    }

    /// Tests edge k against the edges after it in the order of the tree, so that each pair is tested once, and against
    /// all triangles.
    void around_edge(std::size_t k, std::vector<Intersection>& out) const {
        const std::int32_t leaf = edge_tree_.leaves()[k];
        const Index i = edge_tree_.nodes()[at(leaf)].item;
        const Edge& a = surface_.edges[at(i)];
        const Box& box = edge_boxes_[at(i)];
        // An edge and a triangle that share a vertex meet in it alone. If they meet elsewhere, a vertex lies on one of
        // them, or other edges cross: those tests find it.
        edge_tree_.query(box, leaf + 1, forbids(a[0]), [&](Index j) {
            if (share_vertex(a, surface_.edges[at(j)])) return;
            const Edge& first = surface_.edges[at(std::min(i, j))];
            const Edge& second = surface_.edges[at(std::max(i, j))];
            if (!open_edges_cross(point(first[0]), point(first[1]), point(second[0]), point(second[1]))) return;
            out.push_back({IntersectionKind::edge_edge,
                           std::min(i, j),
                           std::max(i, j),
                           {first[0], first[1], second[0], second[1], -1}});
        });
        triangle_tree_.query(box, 0, forbids(a[0]), [&](Index t) {
            const Triangle& b = surface_.triangles[at(t)];
            if (share_vertex(a, b)) return;
            if (!edge_pierces_open_triangle(point(a[0]), point(a[1]), point(b[0]), point(b[1]), point(b[2]))) return;
            out.push_back({IntersectionKind::edge_triangle, i, t, {a[0], a[1], b[0], b[1], b[2]}});
        });
    }

private:
    template <class Primitive>
    void fill(std::vector<Box>& boxes, const std::vector<Primitive>& primitives, Bvh& tree) {
        boxes.resize(primitives.size());
        std::vector<Index> groups(primitives.size());
        for (std::size_t i = 0; i < primitives.size(); ++i) {
            for (const Index v : primitives[i]) boxes[i].add(point(v));
            groups[i] = surface_.body_of_vertex[at(primitives[i][0])];
        }
        tree.build(boxes, groups);
    }

    const CollisionSurface& surface_;
    const BodyPairTable& table_;
    const VecX& x_;
    std::vector<Box> edge_boxes_, triangle_boxes_;
    Bvh edge_tree_, triangle_tree_;
};

/// Appends what search(i, list) finds for every i in [0, n).
template <class Body>
void collect(std::size_t n, std::vector<Intersection>& out, const Body& search) {
    constexpr std::size_t block_size = 128;
    std::vector<std::vector<Intersection>> found((n + block_size - 1) / block_size);
    parallel_for(
        found.size(),
        [&](std::size_t b) {
            for (std::size_t i = b * block_size; i < std::min(n, (b + 1) * block_size); ++i) search(i, found[b]);
        },
        1);
    for (const auto& list : found) out.insert(out.end(), list.begin(), list.end());
}

}  // namespace

bool point_on_open_edge(const Vec3& v, const Vec3& a, const Vec3& b) {
    bool between = false;  // on a line, strictly between along one axis is strictly between
    for (Eigen::Index k = 0; k < 3; ++k) {
        if (v[k] < std::min(a[k], b[k]) || v[k] > std::max(a[k], b[k])) return false;
        between = between || (v[k] != a[k] && v[k] != b[k]);
    }
    return between && orient_without(0, v, a, b) == 0 && orient_without(1, v, a, b) == 0 &&
           orient_without(2, v, a, b) == 0;
}

bool point_in_open_triangle(const Vec3& v, const Vec3& a, const Vec3& b, const Vec3& c) {
    if (orient3d(a, b, c, v) != 0) return false;
    const auto [axis, sign] = projection_of(a, b, c);
    return sign != 0 && orient_without(axis, a, b, v) == sign && orient_without(axis, b, c, v) == sign &&
           orient_without(axis, c, a, v) == sign;
}

bool open_edges_cross(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    if (orient3d(a, b, c, d) != 0) return false;
    const auto [axis, sign] = projection_of(a, b, c);  // c on the line a b is no crossing of open edges in one point
    if (sign == 0 || orient_without(axis, a, b, d) != -sign) return false;
    const int side = orient_without(axis, c, d, a);
    return side != 0 && orient_without(axis, c, d, b) == -side;
}

bool edge_pierces_open_triangle(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c) {
    const int side = orient3d(a, b, c, p);
    if (side == 0 || orient3d(a, b, c, q) != -side) return false;
    const int turn = orient3d(p, q, a, b);
    return turn != 0 && orient3d(p, q, b, c) == turn && orient3d(p, q, c, a) == turn;
}

std::vector<Intersection> find_intersections(const CollisionSurface& surface, const BodyPairTable& table,
                                             const VecX& x) {
    STICTION_CHECK(x.size() == 3 * static_cast<Eigen::Index>(surface.body_of_vertex.size()),
                   "positions of all vertices");
    for (const Index v : surface.vertices) {
        STICTION_CHECK(x.segment<3>(3 * v).allFinite(), "colliding vertices are finite");
        const Index body = surface.body_of_vertex[at(v)];
        STICTION_CHECK(body >= 0 && body < table.size(), "the table of body pairs covers every body");
    }
    const Search search(surface, table, x);
    std::vector<Intersection> found;
    search.coincident_points(found);
    collect(surface.vertices.size(), found,
            [&](std::size_t k, auto& out) { search.around_point(surface.vertices[k], out); });
    collect(surface.edges.size(), found, [&](std::size_t k, auto& out) { search.around_edge(k, out); });
    std::sort(found.begin(), found.end(), [](const Intersection& a, const Intersection& b) {
        return std::tie(a.kind, a.first, a.second) < std::tie(b.kind, b.first, b.second);
    });
    return found;
}

}  // namespace stiction
