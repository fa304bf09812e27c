#include "stiction/contact/surface_neighbours.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace stiction;

namespace {

/// A strip of two triangles that meet in the edge from (0, 0, 0) to (0, 0, 1), with a fold: the right one goes up by
/// `rise` for every metre in x, the left one is level. Then the two ends of an edge of another body.
struct Strip {
    CollisionSurface surface;
    VecX x;

    Strip(double rise, const Vec3& from, const Vec3& to) : x(18) {
        const std::vector<Triangle> triangles{{0, 1, 2}, {1, 0, 3}};
        const std::vector<Edge> edges{{4, 5}};
        surface = make_collision_surface(triangles, edges, {}, {0, 0, 0, 0, 1, 1});
        x << 0, 0, 0, 0, 0, 1, 1, rise, 0.5, -1, 0, 0.5, from, to;
    }
    /// The pair of the strip's inner edge and the other body's.
    ContactPair upright() const { return upright_from(x); }
    ContactPair upright_from(const VecX& start) const {
        const std::array<Index, 4> vertices{0, 1, 4, 5};
        Vec3 positions[4];
        gather_stencil(vertices, x, positions);
        ContactPair pair = closest_pair(PairKind::edge_edge, vertices, positions, 0.0);
        const SurfaceNeighbours neighbours(surface, 6);
        neighbours.turn_upright([&](Index v) -> Vec3 { return x.segment<3>(3 * v); }, start, pair);
        return pair;
    }
    /// The normal toward the other body.
    Vec3 normal() const {
        const ContactPair pair = upright();
        return pair.key.vertices[0] < 4 ? Vec3(-pair.normal) : pair.normal;
    }
};

}  // namespace

TEST_CASE("a pair with an edge inside a flat surface is turned upright on the surface") {
    const Strip beside(0.0, {0.02, 1e-4, 0.2}, {0.02, 1e-4, 0.9});
    CHECK((beside.normal() - Vec3::UnitY()).norm() < 1e-12);
    CHECK(std::abs(beside.upright().gap(beside.x) - 1e-4) < 1e-15);
    // Below the surface it points down: the other body is there.
    CHECK((Strip(0.0, {-0.02, -1e-4, 0.2}, {-0.02, -1e-4, 0.9}).normal() + Vec3::UnitY()).norm() < 1e-12);
    // A vertex against the edge, which leaves the pair of edges a pair of a point and an edge.
    CHECK((Strip(0.0, {0.02, 1e-4, 0.5}, {0.3, 0.2, 0.5}).normal() - Vec3::UnitY()).norm() < 1e-12);
    const ContactPair pair = beside.upright();
    CHECK((pair.frame() * pair.frame().transpose() - Mat3::Identity()).norm() < 1e-15);
}

TEST_CASE("the normal of a ridge stays, the normals of its two sides follow the nearest triangle") {
    // The right triangle falls at 45 degrees: between the two normals of the ridge the pair has its own.
    const Vec3 between = Vec3(std::sin(0.3), std::cos(0.3), 0.0);
    const Vec3 from = 0.01 * between + Vec3(0, 0, 0.2), to = 0.01 * between + Vec3(0, 0, 0.9);
    CHECK((Strip(-1.0, from, to).normal() - between).norm() < 1e-12);
    // Beyond the normal of the slope it leans over the slope.
    const Vec3 slope = Vec3(1, 1, 0).normalized();
    CHECK((Strip(-1.0, {0.02, -0.0199, 0.2}, {0.02, -0.0199, 0.9}).normal() - slope).norm() < 1e-12);
    CHECK((Strip(1.0, {0.02, 0.004, 0.2}, {0.02, 0.004, 0.9}).normal() - Vec3(1, -1, 0).normalized()).norm() < 1e-12);
    CHECK((Strip(1.0, {-0.02, 0.004, 0.2}, {-0.02, 0.004, 0.9}).normal() - Vec3::UnitY()).norm() < 1e-12);
}

TEST_CASE("a pair whose other body came through the surface keeps its normal") {
    const Strip through(0.0, {0.02, -1e-4, 0.2}, {0.02, -1e-4, 0.9});
    VecX start = through.x;
    start[13] = start[16] = 0.1;
    CHECK(std::abs(through.upright_from(start).normal.x()) > 0.9999);
    start[13] = start[16] = -0.1;
    CHECK(std::abs(through.upright_from(start).normal.y()) > 0.9999);
}

TEST_CASE(
    "two surfaces meet first where neither feature is behind the other one's surface or beside a nearer triangle") {
    // A tetrahedron whose base lies in y = 0, and an edge of another body beside it.
    const std::vector<Triangle> triangles{{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    const std::vector<Edge> edges{{4, 5}};
    const auto surface = make_collision_surface(triangles, edges, {}, {0, 0, 0, 0, 1, 1});
    const SurfaceNeighbours neighbours(surface, 6);
    VecX x(18);
    x << 0, 0, 0, 1, 0, 0, 0.5, 0, 1, 0.5, 1, 0.4, 0, 0, 0, 0, 0, 0;
    const std::vector<char> closed = closed_bodies(surface, 2, x);
    REQUIRE(closed == std::vector<char>{1, 0});
    const auto position = [&](Index v) -> Vec3 { return x.segment<3>(3 * v); };
    const auto meets = [&](PairKind kind, const std::array<Index, 4>& vertices, const Vec3& from, const Vec3& to) {
        x.segment<3>(12) = from;
        x.segment<3>(15) = to;
        Vec3 positions[4];
        gather_stencil(vertices, x, positions);
        return neighbours.meets_first(position, closest_pair(kind, vertices, positions, 0.0), closed);
    };
    // Across the edge from 0 to 1, before the ridge; then the same edge over the base, and inside of the body.
    CHECK(meets(PairKind::edge_edge, {0, 1, 4, 5}, {0.5, 0.1, -0.1}, {0.5, -0.3, -0.01}));
    CHECK_FALSE(meets(PairKind::edge_edge, {0, 1, 4, 5}, {0.2, -0.01, 0.05}, {0.8, -0.01, 0.05}));
    CHECK_FALSE(meets(PairKind::edge_edge, {0, 1, 4, 5}, {0.2, 0.01, 0.05}, {0.8, 0.01, 0.05}));
    // A vertex below the base, and above it, inside.
    CHECK(meets(PairKind::point_triangle, {4, 0, 1, 2}, {0.5, -0.01, 0.3}, {0.5, -1, 0.3}));
    CHECK_FALSE(meets(PairKind::point_triangle, {4, 0, 1, 2}, {0.5, 0.01, 0.3}, {0.5, 0.02, 0.3}));
}
