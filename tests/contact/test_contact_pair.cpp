#include "stiction/contact/contact_pair.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace stiction;

namespace {

/// A point 0.1 above the inside of a triangle in the plane y = 0, then a point far to its side.
VecX point_and_triangle() {
    VecX x(15);
    x << 0.2, 0.1, 0.3, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 3.0, 0.1, -2.0;
    return x;
}

ContactPair pair_of(PairKind kind, const std::array<Index, 4>& vertices, const VecX& x, double offset) {
    Vec3 positions[4];
    gather_stencil(vertices, x, positions);
    return closest_pair(kind, vertices, positions, offset);
}

}  // namespace

TEST_CASE("a contact pair: separation, gap and frame, whatever order the triangle was given in") {
    const VecX x = point_and_triangle();
    const ContactPair pair = pair_of(PairKind::point_triangle, {0, 1, 2, 3}, x, 0.03);
    const ContactPair turned = pair_of(PairKind::point_triangle, {0, 3, 1, 2}, x, 0.03);
    CHECK(pair.key == turned.key);
    CHECK(pair.weights == turned.weights);
    CHECK((pair.weights - Vec4(1.0, -0.5, -0.2, -0.3)).norm() < 1e-15);
    CHECK((pair.normal - Vec3::UnitY()).norm() < 1e-15);
    CHECK(std::abs(pair.gap(x) - 0.07) < 1e-15);
    CHECK((pair.frame() * pair.frame().transpose() - Mat3::Identity()).norm() < 1e-15);
    CHECK(pair.relative(x) == Vec3(pair.relative(x, VecX::Zero(x.size()))));
}

TEST_CASE("a contact pair reduces to its closest features, and says when it slid off them") {
    VecX x = point_and_triangle();
    const ContactPair corner = pair_of(PairKind::point_triangle, {4, 1, 2, 3}, x, 0.0);
    CHECK(corner.key.kind == PairKind::point_point);
    CHECK(corner.vertex_count() == 2);
    CHECK((corner.relative(x) - Vec3(-2.0, -0.1, 2.0)).norm() < 1e-15);

    ContactPair pair = pair_of(PairKind::point_triangle, {0, 1, 2, 3}, x, 0.0);
    x.segment<3>(0) = Vec3(0.4, 0.2, 0.3);
    REQUIRE(update_closest_points(x, pair));
    CHECK((pair.weights - Vec4(1.0, -0.3, -0.4, -0.3)).norm() < 1e-15);
    x[0] = 2.0;
    const Vec4 before = pair.weights;
    CHECK_FALSE(update_closest_points(x, pair));
    CHECK(pair.weights == before);
}

TEST_CASE("a contact pair of a vertex and a half-space follows the plane") {
    const VecX x = point_and_triangle();
    const ContactPair pair = half_space_pair(0, {.origin_vertex = 1, .normal = Vec3::UnitY()}, 0.02);
    CHECK(pair.vertex_count() == 2);
    CHECK(std::abs(pair.gap(x) - 0.08) < 1e-15);
}
