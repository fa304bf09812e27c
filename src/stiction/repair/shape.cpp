#include "stiction/repair/shape.hpp"

#include "stiction/audit/penetration.hpp"
#include "stiction/mesh/components.hpp"

#include <Eigen/Geometry>

#include <numbers>
#include <numeric>

namespace stiction::repair {
namespace {

/// The numbers of a body's colliding vertices, and the primitives among them.
class ShapeBuilder {
public:
    ShapeBuilder(const World& world, const VecX& x, Index body) : world_(world), x_(x), body_(body) {}

    Shape run(bool solid) const {
        const CollisionSurface& surface = world_.surface;
        Shape shape;
        shape.body = body_;
        std::vector<Edge> bare_edges;
        for (const Index e : surface.bare_edges) bare_edges.push_back(surface.edges[static_cast<std::size_t>(e)]);
        shape.points = primitives(as_points(surface.vertices));
        shape.edges = primitives(surface.edges);
        shape.triangles = primitives(surface.triangles);
        shape.bare_edges = primitives(bare_edges);
        shape.bare_points = primitives(as_points(surface.bare_points));
        if (shape.points.corners.empty()) return shape;
        shape.low = shape.points.low;
        shape.high = shape.points.high;
        shape.pieces = pieces();
        const Body& body = world_.bodies[static_cast<std::size_t>(body_)];
        const bool closed = !body.surface.empty() && !first_edge_defect(body.surface, ClosedBy::balance);
        if (closed) shape.inside = solid ? Inside::solid : Inside::hollow;
        return shape;
    }

private:
    static std::vector<std::array<Index, 1>> as_points(const std::vector<Index>& vertices) {
        std::vector<std::array<Index, 1>> points;
        points.reserve(vertices.size());
        for (const Index v : vertices) points.push_back({v});
        return points;
    }

    bool is_mine(Index vertex) const { return world_.body_of_vertex[static_cast<std::size_t>(vertex)] == body_; }

    template <std::size_t N>
    Primitives<N> primitives(const std::vector<std::array<Index, N>>& all) const {
        Primitives<N> result;
        std::vector<audit::MovingBox> boxes;
        for (const auto& vertices : all) {
            if (!is_mine(vertices[0])) continue;
            std::array<Vec3, N> corners;
            for (std::size_t k = 0; k < N; ++k) corners[k] = x_.segment<3>(3 * vertices[k]);
            result.corners.push_back(corners);
            boxes.push_back(audit::moving_box(vertices, x_, x_));
        }
        if (boxes.empty()) return result;
        result.low = result.high = result.corners.front()[0];
        for (const audit::MovingBox& box : boxes) {
            result.low = result.low.cwiseMin(box.min0);
            result.high = result.high.cwiseMax(box.max0);
        }
        std::vector<Index> bodies(boxes.size(), body_);
        result.tree.emplace(std::move(boxes), std::move(bodies), world_.contact_pairs);
        return result;
    }

    /// One vertex of each set of vertices that edges connect.
    std::vector<Vec3> pieces() const {
        const Body& body = world_.bodies[static_cast<std::size_t>(body_)];
        std::vector<Index> parent(static_cast<std::size_t>(body.vertex_count()));
        std::iota(parent.begin(), parent.end(), Index{0});
        const auto root = [&](Index v) {
            while (parent[static_cast<std::size_t>(v)] != v)
                v = parent[static_cast<std::size_t>(v)] =
                    parent[static_cast<std::size_t>(parent[static_cast<std::size_t>(v)])];
            return v;
        };
        for (const Edge& edge : world_.surface.edges) {
            if (!is_mine(edge[0])) continue;
            const Index a = root(edge[0] - body.first_vertex), b = root(edge[1] - body.first_vertex);
            parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
        }
        std::vector<Vec3> found;
        for (const Index v : world_.surface.vertices) {
            if (is_mine(v) && root(v - body.first_vertex) == v - body.first_vertex)
                found.push_back(x_.segment<3>(3 * v));
        }
        return found;
    }

    const World& world_;
    const VecX& x_;
    Index body_;
};

/// Most vertices of a body that are asked on which side they are.
constexpr std::size_t most_samples = 200;

/// Whether most vertices of a body lie in another.
bool is_mostly_within(const Shape& body, const Shape& other) {
    const std::size_t stride = body.points.corners.size() / most_samples + 1;
    std::size_t within = 0, asked = 0;
    for (std::size_t i = 0; i < body.points.corners.size(); i += stride, ++asked)
        within += encloses(other, body.points.corners[i][0]) ? 1 : 0;
    return 2 * within > asked;
}

}  // namespace

Shape make_shape(const World& world, const VecX& x, Index body, bool solid) {
    return ShapeBuilder(world, x, body).run(solid);
}

bool encloses(const Shape& shape, const Vec3& point) {
    if ((point.array() < shape.low.array()).any() || (point.array() > shape.high.array()).any()) return false;
    double angle = 0.0;
    for (const auto& [a, b, c] : shape.triangles.corners) angle += audit::solid_angle(a - point, b - point, c - point);
    return std::abs(angle) > 2.0 * std::numbers::pi;
}

ShapePair make_pair_of(const Shape& first, const Shape& second) {
    ShapePair pair{&first, &second};
    if (second.inside == Inside::hollow) pair.first_within = is_mostly_within(first, second);
    if (first.inside == Inside::hollow) pair.second_within = is_mostly_within(second, first);
    return pair;
}

}  // namespace stiction::repair
