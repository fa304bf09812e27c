// Pairs that have lost a dimension, and digits that have to survive features much larger than their distance.
#include "stiction/collision/distance.hpp"

#include "collision/ccd_generator.hpp"
#include "collision/reference.hpp"
#include <Eigen/Geometry>
#include <doctest/doctest.h>

using namespace stiction;
using namespace stiction::testing;

namespace {

using LMat3 = Eigen::Matrix<Real, 3, 3>;

/// From the second feature to the first, features extended to lines and planes, in long double.
LVec reference_separation(PairKind kind, const std::array<Vec3, 4>& x) {
    const std::array<LVec, 4> y = widen(x);
    if (kind == PairKind::point_point) return y[0] - y[1];
    if (kind == PairKind::point_edge) {
        const LVec e = y[2] - y[1], w = y[0] - y[1];
        return cross(e, cross(w, e)) / e.dot(e);
    }
    const bool edges = kind == PairKind::edge_edge;
    const LVec n = edges ? cross(y[1] - y[0], y[3] - y[2]) : cross(y[2] - y[1], y[3] - y[1]);
    const LVec w = edges ? LVec(y[0] - y[2]) : LVec(y[0] - y[1]);
    return n * (n.dot(w) / n.dot(n));
}

void check_weights(PairKind kind, const std::array<Vec3, 4>& x) {
    const Vec4 w = closest_weights(kind, x.data());
    CHECK(w.head(first_count(kind)).sum() == 1.0);
    CHECK(w.sum() == 0.0);
    const Vec12 gradient = squared_distance_gradient(kind, x.data());
    const Mat12 hessian = squared_distance_hessian(kind, x.data());
    const Vec3 r = separation(kind, x.data());
    for (int i = 0; i < 4; ++i) {
        CHECK((gradient.segment<3>(3 * i) - 2.0 * w[i] * r).norm() <= 1e-15);
        for (int j = 0; j < 4; ++j) {
            // Nothing but the weights moves: no parameter is left, or none that can be told.
            CHECK((hessian.block<3, 3>(3 * i, 3 * j) - 2.0 * w[i] * w[j] * Mat3::Identity()).norm() <= 1e-15);
        }
    }
}

}  // namespace

TEST_CASE("distance: pairs without length or area measure between two of their vertices") {
    const Vec3 p(0.3, -0.2, 0.9), q(0.1, 0.4, -0.5), none = Vec3::Zero();
    const std::array<Vec3, 4> no_edge{p, q, q, none}, no_triangle{p, q, q, q}, no_edges{p, p, q, q};
    check_weights(PairKind::point_point, {p, q, none, none});
    check_weights(PairKind::point_edge, no_edge);
    check_weights(PairKind::point_triangle, no_triangle);
    check_weights(PairKind::edge_edge, no_edges);
    CHECK(closest_weights(PairKind::point_edge, no_edge.data()) == Vec4(1, -1, 0, 0));
    CHECK(closest_weights(PairKind::point_triangle, no_triangle.data()) == Vec4(1, -1, 0, 0));
    CHECK(closest_weights(PairKind::edge_edge, no_edges.data()) == Vec4(1, 0, -1, 0));
    CHECK(separation(PairKind::point_edge, no_edge.data()) == p - q);
    CHECK(separation(PairKind::point_triangle, no_triangle.data()) == p - q);
    CHECK(separation(PairKind::edge_edge, no_edges.data()) == p - q);
    const auto points = [](int a, int b) { return std::array<int, 4>{a, b, -1, -1}; };
    CHECK(classify(PairKind::point_edge, no_edge.data()).local == points(0, 1));
    CHECK(classify(PairKind::point_triangle, no_triangle.data()).local == points(0, 1));
    CHECK(classify(PairKind::edge_edge, no_edges.data()).kind == PairKind::point_point);
    // Triangles without area whose vertices differ, and parallel edges, have weights of their first vertices.
    const Vec3 e(1.0, 2.0, -0.5);
    CHECK(closest_weights(PairKind::point_triangle, std::array{p, q, Vec3(q + e), Vec3(q + 2.0 * e)}.data()) ==
          Vec4(1, -1, 0, 0));
    CHECK(closest_weights(PairKind::edge_edge, std::array{p, Vec3(p + e), q, Vec3(q - 2.0 * e)}.data()) ==
          Vec4(1, 0, -1, 0));
}

TEST_CASE("distance: a point beside or beyond an edge is nearest to its end, also where it lies on the line") {
    const Vec3 a(1, 1, 1), b(1, 3, 1);
    const auto feature = [&](const Vec3& p) { return classify_point_edge(std::array{p, a, b}.data()); };
    CHECK(feature({1, 0.5, 1}).local == std::array{0, 1, -1, -1});
    CHECK(feature({1, 1, 1}).local == std::array{0, 1, -1, -1});
    CHECK(feature({5, 1, 1}).local == std::array{0, 1, -1, -1});
    CHECK(feature({1, 3, 1}).local == std::array{0, 2, -1, -1});
    CHECK(feature({1, 3, 9}).local == std::array{0, 2, -1, -1});
    CHECK(feature({1, 4, 1}).local == std::array{0, 2, -1, -1});
    CHECK(feature({1, 2, 1}).local == std::array{0, 1, 2, -1});
    CHECK(feature({1, 2, 1}).kind == PairKind::point_edge);
    CHECK(feature({1, 4, 1}).kind == PairKind::point_point);
}

TEST_CASE("distance: the separation keeps its digits beside features a million times as large") {
    const std::uint64_t seed = 19;
    INFO("seed ", seed);
    Random random(seed);
    for (const PairKind kind : {PairKind::point_edge, PairKind::point_triangle, PairKind::edge_edge}) {
        const int first = first_count(kind), count = vertex_count(kind);
        for (int trial = 0; trial < 300; ++trial) {
            // One vertex of each feature near the other, all others far away; each pair of vertices in turn.
            const int i = trial % first, j = first + trial / first % (count - first);
            std::array<Vec3, 4> x;
            for (Vec3& p : x) p = 1e6 * random.vector(1.0);
            x[static_cast<std::size_t>(i)] = random.vector(1.0);
            x[static_cast<std::size_t>(j)] = random.vector(1.0);
            const LVec wanted = reference_separation(kind, x);
            const Vec3 found = separation(kind, x.data());
            const double shortest = (x[static_cast<std::size_t>(i)] - x[static_cast<std::size_t>(j)]).norm();
            CHECK(double((found.cast<Real>() - wanted).norm()) <= 2e-12 * shortest);
            CHECK(std::abs(squared_distance(kind, x.data()) - found.squaredNorm()) == 0.0);
        }
    }
}

TEST_CASE("cross product: at right angles to both vectors however nearly parallel they are") {
    Random random(21);
    for (int trial = 0; trial < 500; ++trial) {
        const Vec3 u = random.vector(1.0) * std::pow(10.0, random.real(-3, 3));
        const double thin = std::pow(10.0, random.real(-9, 0));
        const Vec3 v = random.real(-100.0, 100.0) * u + thin * u.norm() * random.vector(1.0);
        for (const auto& [a, b] : {std::pair<Vec3, Vec3>{u, v}, {v, u}}) {
            const Vec3 n = accurate_cross(a, b);
            const LVec exact = cross(a.cast<Real>(), b.cast<Real>());
            CHECK(std::abs(n.dot(a)) <= 1e-15 * n.norm() * a.norm());
            CHECK(std::abs(n.dot(b)) <= 1e-15 * n.norm() * b.norm());
            CHECK(double((n.cast<Real>() - exact).norm()) <= 1e-15 * a.norm() * b.norm());
        }
    }
    CHECK(accurate_cross(Vec3::Zero(), Vec3(1, 2, 3)) == Vec3::Zero());
    CHECK(accurate_cross(Vec3(1, 2, 3), Vec3::Zero()) == Vec3::Zero());
    CHECK(accurate_cross(Vec3(1, 2, 3), Vec3(2, 4, 6)).norm() <= 1e-15);
}

TEST_CASE("tangents of a normal: orthonormal and across it to rounding, for every direction and length") {
    Random random(22);
    std::vector<Vec3> normals{Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ(), {1, 1, 0}, {0, -1, 1}, {1, 0, 1}, {1, 1, 1}};
    for (int trial = 0; trial < 300; ++trial) {
        Vec3 n = random.vector(1.0);
        n[trial % 3] *= std::pow(10.0, random.real(-12, 0));
        normals.push_back(n * std::pow(10.0, random.real(-150, 150)));
    }
    for (const Vec3& normal : normals) {
        CAPTURE(normal.transpose());
        const Mat32 frame = any_tangents(normal);
        CHECK((frame.transpose() * frame - Mat2::Identity()).norm() <= 1e-15);
        CHECK((frame.transpose() * (normal / normal.cwiseAbs().maxCoeff())).norm() <= 1e-15);
    }
    const Mat32 any = any_tangents(Vec3::Zero());
    CHECK((any.transpose() * any - Mat2::Identity()).norm() == 0.0);
}

TEST_CASE("tangent frames: the second column is the one that the pair names, or any where it is lost") {
    Random random(23);
    for (int trial = 0; trial < 200; ++trial) {
        std::array<Vec3, 4> x;
        for (Vec3& p : x) p = random.vector(1.0);
        const auto check = [&](PairKind kind, const Vec3& first, const Vec3& second) {
            const Mat32 frame = tangent_frame(kind, x.data());
            CHECK((frame.col(0) - first.normalized()).norm() <= 1e-13);
            CHECK((frame.col(1) - second.normalized()).norm() <= 1e-10);
        };
        const Vec3 e = x[2] - x[1], f = x[3] - x[1], u = x[1] - x[0], v = x[3] - x[2];
        check(PairKind::point_edge, e, e.cross(x[0] - x[1]));
        check(PairKind::point_triangle, e, e.cross(f).cross(e));
        check(PairKind::edge_edge, u, u.cross(v).cross(u));
        // What is left of a direction that is lost.
        std::array<Vec3, 4> y = x;
        y[2] = y[1];
        CHECK((tangent_frame(PairKind::point_triangle, y.data()).col(0) - (y[3] - y[1]).normalized()).norm() <= 1e-13);
        y = x;
        y[1] = y[0];
        CHECK((tangent_frame(PairKind::edge_edge, y.data()).col(0) - v.normalized()).norm() <= 1e-13);
    }
}
