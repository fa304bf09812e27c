#include "stiction/collision/surface.hpp"

#include "stiction/base/error.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace stiction {

namespace {

Edge ordered(Index a, Index b) {
    return a < b ? Edge{a, b} : Edge{b, a};
}

void sort_unique(std::vector<Edge>& edges) {
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
}

}  // namespace

CollisionSurface make_collision_surface(std::span<const Triangle> triangles, std::span<const Edge> edges,
                                        std::span<const Index> points, std::vector<Index> body_of_vertex) {
    const auto vertex_total = static_cast<Index>(body_of_vertex.size());
    const auto check_vertex = [&](Index v) {
        STICTION_CHECK(v >= 0 && v < vertex_total, "collision primitive names vertex " + std::to_string(v));
    };
    CollisionSurface surface;
    surface.body_of_vertex = std::move(body_of_vertex);
    surface.triangles.assign(triangles.begin(), triangles.end());

    std::vector<char> has_edge(surface.body_of_vertex.size(), 0);
    surface.edges.reserve(3 * triangles.size() + edges.size());
    for (const Triangle& t : triangles) {
        STICTION_CHECK(t[0] != t[1] && t[1] != t[2] && t[2] != t[0], "collision triangle names a vertex twice");
        for (std::size_t k = 0; k < 3; ++k) {
            check_vertex(t[k]);
            has_edge[static_cast<std::size_t>(t[k])] = 1;
            surface.edges.push_back(ordered(t[k], t[(k + 1) % 3]));
        }
    }
    sort_unique(surface.edges);

    std::vector<Edge> bare;
    for (const Edge& e : edges) {
        STICTION_CHECK(e[0] != e[1], "collision edge names a vertex twice");
        check_vertex(e[0]);
        check_vertex(e[1]);
        const Edge edge = ordered(e[0], e[1]);
        if (!std::binary_search(surface.edges.begin(), surface.edges.end(), edge)) bare.push_back(edge);
        has_edge[static_cast<std::size_t>(e[0])] = has_edge[static_cast<std::size_t>(e[1])] = 1;
    }
    sort_unique(bare);
    for (const Edge& e : bare) {
        surface.bare_edges.push_back(static_cast<Index>(surface.edges.size()));
        surface.edges.push_back(e);
    }

    for (const Index p : points) {
        check_vertex(p);
        if (!has_edge[static_cast<std::size_t>(p)]) surface.bare_points.push_back(p);
    }
    std::sort(surface.bare_points.begin(), surface.bare_points.end());
    surface.bare_points.erase(std::unique(surface.bare_points.begin(), surface.bare_points.end()),
                              surface.bare_points.end());

    surface.loose_points = surface.bare_points;
    for (const Edge& e : bare) surface.loose_points.insert(surface.loose_points.end(), e.begin(), e.end());
    std::sort(surface.loose_points.begin(), surface.loose_points.end());
    surface.loose_points.erase(std::unique(surface.loose_points.begin(), surface.loose_points.end()),
                               surface.loose_points.end());

    for (const Index p : surface.bare_points) has_edge[static_cast<std::size_t>(p)] = 1;
    for (std::size_t v = 0; v < has_edge.size(); ++v) {
        if (has_edge[v]) surface.vertices.push_back(static_cast<Index>(v));
    }
    return surface;
}

}  // namespace stiction
