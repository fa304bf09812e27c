#include "stiction/base/error.hpp"
#include "stiction/collision/orientation.hpp"

#include <Eigen/Geometry>
#include <boost/multiprecision/cpp_int.hpp>
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

using namespace stiction;

namespace {

using Rational = boost::multiprecision::cpp_rational;
using Random = std::mt19937_64;

int sign_of(const Rational& r) {
    return r.sign();
}

int slow_orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    Rational m[3][3];
    for (int k = 0; k < 3; ++k) {
        m[0][k] = Rational(b[k]) - Rational(a[k]);
        m[1][k] = Rational(c[k]) - Rational(a[k]);
        m[2][k] = Rational(d[k]) - Rational(a[k]);
    }
    Rational sum = 0;  // all six permutations
    const int even[3][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}};
    for (const auto& p : even) sum += m[0][p[0]] * m[1][p[1]] * m[2][p[2]] - m[0][p[0]] * m[1][p[2]] * m[2][p[1]];
    return sign_of(sum);
}

int slow_orient2d(const Vec2& a, const Vec2& b, const Vec2& c) {
    return sign_of((Rational(b[0]) - Rational(a[0])) * (Rational(c[1]) - Rational(a[1])) -
                   (Rational(b[1]) - Rational(a[1])) * (Rational(c[0]) - Rational(a[0])));
}

int slow_plane_side(const Vec3& n, const Vec3& o, const Vec3& p) {
    Rational sum = 0;
    for (int k = 0; k < 3; ++k) sum += Rational(n[k]) * (Rational(p[k]) - Rational(o[k]));
    return sign_of(sum);
}

double uniform(Random& random, double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
}
Vec3 random_point(Random& random) {
    return {uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)};
}
int random_int(Random& random, int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
}

/// Small integers: exactly flat often.
Vec3 grid_point(Random& random) {
    return {static_cast<double>(random_int(random, 0, 3)), static_cast<double>(random_int(random, 0, 3)),
            static_cast<double>(random_int(random, 0, 3))};
}

}  // namespace

TEST_CASE("orientations: hand-made signs and their conventions") {
    CHECK(orient2d({0, 0}, {1, 0}, {0, 1}) == 1);
    CHECK(orient2d({0, 0}, {0, 1}, {1, 0}) == -1);
    CHECK(orient2d({0.1, 0.1}, {0.2, 0.2}, {0.4, 0.4}) == 0);
    CHECK(orient3d({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}) == 1);
    CHECK(orient3d({0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}) == -1);
    CHECK(plane_side({0, 1, 0}, {0, 3, 0}, {5, 3, 1}) == 0);
    CHECK(plane_side({0, 2, 0}, {0, 3, 0}, {5, 4, 1}) == 1);
    const double tiny = std::numeric_limits<double>::denorm_min(), huge = std::numeric_limits<double>::max();
    CHECK(orient3d({0, 0, 0}, {tiny, 0, 0}, {0, tiny, 0}, {0, 0, tiny}) == 1);
    CHECK(orient3d({-huge, -huge, -huge}, {huge, -huge, -huge}, {-huge, huge, -huge}, {-huge, -huge, huge}) == 1);
    CHECK(orient3d({0, 0, 0}, {huge, 0, 0}, {0, tiny, 0}, {0, 0, -tiny}) == -1);
    CHECK(orient2d({-huge, -huge}, {huge, -huge}, {0, -huge + 1e300}) == 1);
    CHECK(orient2d({0, 0}, {tiny, 0}, {0, tiny}) == 1);
    CHECK(plane_side({tiny, 0, 0}, {0, 0, 0}, {-tiny, 1, 1}) == -1);
    CHECK(plane_side({1, 1, 1}, {huge, -huge, 0}, {-huge, huge, tiny}) == 1);
    const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(orient3d({inf, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}), InternalError);
    CHECK_THROWS_AS(orient2d({nan, 0}, {1, 0}, {0, 1}), InternalError);
    CHECK_THROWS_AS(plane_side({0, 1, 0}, {0, 0, 0}, {0, nan, 0}), InternalError);
}

TEST_CASE("orientations agree with rational arithmetic, flat points at every scale included") {
    const std::uint64_t seed = 20240611;
    Random random(seed);
    INFO("seed " << seed);
    std::array<int, 3> seen{};
    const double scales[] = {1.0,    1e-9,  1e6,           1e-100, 1e100, 1e-150, 1e150,
                             1e-300, 1e300, 5e-324 * 1024, 1e-107, 1e-161};  // the last two: products are subnormal
    for (int trial = 0; trial < 6000; ++trial) {
        const double scale = scales[(trial / 3) % 12];
        std::array<Vec3, 4> p;
        for (Vec3& q : p) q = random_point(random);
        if (trial % 3 != 0) {  // nearly or exactly in the plane of the others
            const double s = random_int(random, -8, 8) / 8.0, t = random_int(random, -8, 8) / 8.0;
            p[3] = p[0] + s * (p[1] - p[0]) + t * (p[2] - p[0]);
        }
        if (trial % 5 == 4) {  // small integers: exactly flat often
            for (Vec3& q : p) q = grid_point(random);
        }
        if (trial % 7 == 6) {
            for (Vec3& q : p) q += Vec3(1e6, -1e6, 3e5);
        }
        for (Vec3& q : p) q *= scale;
        if (trial % 11 == 10) {  // axes of very different size
            for (Vec3& q : p) q = (q / scale).cwiseProduct(Vec3(1e-160, 1.0, 1e160)).eval();
        }
        const int sign = orient3d(p[0], p[1], p[2], p[3]);
        REQUIRE(sign == slow_orient3d(p[0], p[1], p[2], p[3]));
        REQUIRE(orient3d(p[1], p[0], p[2], p[3]) == -sign);
        REQUIRE(orient3d(p[1], p[2], p[3], p[0]) == -sign);
        ++seen[static_cast<std::size_t>(sign + 1)];
        const Vec2 a = p[0].head<2>(), b = p[1].head<2>(),
                   c = trial % 2 ? Vec2(a + (b - a) * (random_int(random, -8, 8) / 8.0)) : Vec2(p[2].head<2>());
        REQUIRE(orient2d(a, b, c) == slow_orient2d(a, b, c));
        const Vec3 normal = (p[1] - p[0]).cross(p[2] - p[0]);
        if (normal.allFinite()) REQUIRE(plane_side(normal, p[0], p[3]) == slow_plane_side(normal, p[0], p[3]));
    }
    for (const int count : seen) CHECK(count > 200);
}

TEST_CASE("one ulp decides") {
    const Vec3 a(0.1, 0.7, 0.3), b(1.3, 0.7, -0.2), c(0.4, 0.7, 1.9);
    const double up = std::nextafter(0.7, 1.0), down = std::nextafter(0.7, 0.0);
    CHECK(orient3d(a, b, c, {0.5, 0.7, 0.5}) == 0);
    CHECK(orient3d(a, b, c, {0.5, up, 0.5}) == -orient3d(a, b, c, {0.5, down, 0.5}));
    CHECK(orient3d(a, b, c, {0.5, up, 0.5}) != 0);
}
