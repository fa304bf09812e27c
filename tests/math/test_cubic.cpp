#include "stiction/math/cubic.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

using namespace stiction;

namespace {

struct Cubic {
    double a, b, c, d;
    long double operator()(double t) const {
        const long double u = t;
        return ((static_cast<long double>(a) * u + b) * u + c) * u + d;
    }
    std::optional<double> root(double t_max) const { return smallest_positive_root(a, b, c, d, t_max); }
};

/// c (t - r0)(t - r1)(t - r2)
Cubic from_roots(double c, double r0, double r1, double r2) {
    return {c, -c * (r0 + r1 + r2), c * (r0 * r1 + r1 * r2 + r2 * r0), -c * r0 * r1 * r2};
}

/// No change of sign in (0, end] (or in (0, end) if the end may be a root), in extended precision, densely sampled.
bool keeps_sign(const Cubic& p, double end) {
    const bool positive = p.d > 0.0;
    for (int k = 1; k <= 400; ++k) {
        const long double value = p(end * (k / 400.0));
        if (value == 0.0L ? k < 400 : (value > 0.0L) != positive) return false;
    }
    return true;
}

}  // namespace

TEST_CASE("roots that are exact in double are approached from below") {
    struct Case {
        Cubic p;
        double t_max, root;
    };
    const std::array<Case, 9> cases = {{
        {from_roots(1.0, 1.0, 2.0, 3.0), 10.0, 1.0},
        {from_roots(-2.0, 0.5, -2.0, 4.0), 1.0, 0.5},
        {from_roots(4.0, 0.25, 8.0, 8.0), 1.0, 0.25},
        {from_roots(1.0, 1.0, -1.0, -4.0), 1.0, 1.0},  // at the very end of the interval
        {{0.0, 1.0, -3.0, 2.0}, 5.0, 1.0},             // quadratic
        {{0.0, 0.0, -4.0, 1.0}, 5.0, 0.25},            // linear
        {{-1.0, 0.0, 0.0, 8.0}, 5.0, 2.0},             // t^3 = 8
        {from_roots(1.0, 0.0, 2.0, 3.0), 10.0, 2.0},   // the root at zero is not positive
        {from_roots(0x1p-200, 0x1p-30, 1.0, 2.0), 1.0, 0x1p-30},
    }};
    for (const Case& c : cases) {
        CAPTURE(c.root);
        const auto found = c.p.root(c.t_max);
        REQUIRE(found.has_value());
        CHECK(*found <= c.root);
        CHECK(*found >= c.root * (1.0 - 1e-13));
        CHECK(*found > 0.0);
    }
}

TEST_CASE("double and triple roots count") {
    for (const Cubic& p :
         {from_roots(1.0, 1.0, 1.0, 3.0), from_roots(-1.0, 1.0, 1.0, 1.0), from_roots(8.0, 1.0, 1.0, -2.0)}) {
        const auto found = p.root(2.0);
        REQUIRE(found.has_value());
        CHECK(*found <= 1.0);
        CHECK(*found > 1.0 - 1e-4);  // a triple root is only determined to the cube root of eps
    }
}

TEST_CASE("no root") {
    CHECK_FALSE(Cubic{0, 0, 0, 1}.root(1.0).has_value());
    CHECK_FALSE(Cubic{1, 1, 1, 1}.root(1e6).has_value());
    CHECK_FALSE(Cubic{0, 1, -2, 1.0 + 1e-12}.root(5.0).has_value());  // misses zero by 1e-12
    CHECK_FALSE(from_roots(1.0, 1.5, 2.0, 3.0).root(1.0).has_value());
    CHECK_FALSE(Cubic{1, 0, 0, 0}.root(1.0).has_value());
    CHECK_FALSE(Cubic{-1, -1, -1, -1}.root(3.0).has_value());
}

TEST_CASE("hopeless coefficients return zero") {
    CHECK(smallest_positive_root(0, 0, 0, 0, 1.0) == 0.0);
    CHECK(smallest_positive_root(std::numeric_limits<double>::quiet_NaN(), 0, 0, 1, 1.0) == 0.0);
    CHECK(smallest_positive_root(0, 0, std::numeric_limits<double>::infinity(), 1, 1.0) == 0.0);
}

TEST_CASE("random roots: never above, close below") {
    constexpr unsigned seed = 91;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    std::uniform_real_distribution<double> exponent(-6.0, 1.0), uniform(-1.0, 1.0);
    int with_root = 0;
    for (int n = 0; n < 20000; ++n) {
        std::array<double, 3> roots{};
        for (double& root : roots) root = std::copysign(std::pow(10.0, exponent(generator)), uniform(generator));
        if (n % 3 == 0) roots[2] = roots[1] * (1.0 + 1e-9 * uniform(generator));  // nearly double
        const Cubic p = from_roots(uniform(generator), roots[0], roots[1], roots[2]);
        const auto found = p.root(1.0);
        double smallest = std::numeric_limits<double>::infinity();
        for (const double root : roots) {
            if (root > 0.0) smallest = std::min(smallest, root);
        }
        CAPTURE(n);
        CAPTURE(roots[0]);
        CAPTURE(roots[1]);
        CAPTURE(roots[2]);
        if (smallest > 1.0 + 1e-3) {
            if (!found) CHECK(keeps_sign(p, 1.0));
            continue;
        }
        if (n % 3 == 0) {  // may have been rounded off the axis: only the sign is known
            CHECK(keeps_sign(p, found.value_or(1.0)));
            continue;
        }
        ++with_root;
        REQUIRE(found.has_value());
        CHECK(*found > 0.0);
        CHECK(keeps_sign(p, *found));
        double nearest = std::numeric_limits<double>::infinity();  // relative distance of the other roots
        for (const double root : roots) {
            if (root != smallest)
                nearest = std::min(nearest, std::abs(root - smallest) / std::max(smallest, std::abs(root)));
        }
        if (nearest > 1e-2) CHECK(*found >= smallest * (1.0 - 1e-10));
    }
    CHECK(with_root > 5000);
}

TEST_CASE("random coefficients: sign kept up to the root, lost just after it") {
    constexpr unsigned seed = 92;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> normal;
    int crossings = 0;
    for (int n = 0; n < 20000; ++n) {
        const Cubic p{normal(generator), normal(generator), normal(generator), normal(generator)};
        const auto found = p.root(1.0);
        CAPTURE(p.a);
        CAPTURE(p.b);
        CAPTURE(p.c);
        CAPTURE(p.d);
        CHECK(keeps_sign(p, found.value_or(1.0)));
        if (!found || *found > 1.0 - 1e-9) continue;
        if ((p(*found * (1.0 + 1e-10)) > 0.0L) != (p.d > 0.0)) ++crossings;
    }
    CHECK(crossings > 4000);
}

TEST_CASE("the root scales with the unknown and not with the polynomial") {
    const Cubic p = from_roots(1.0, 0.37, -0.8, 1.9);
    const double root = p.root(1.0).value();
    for (const double scale : {0x1p-100, 0x1p-20, 0x1p20, 0x1p100}) {
        CHECK(smallest_positive_root(scale * p.a, scale * p.b, scale * p.c, scale * p.d, 1.0) == root);
        const double stretched =
            smallest_positive_root(p.a / (scale * scale * scale), p.b / (scale * scale), p.c / scale, p.d, scale)
                .value();
        CHECK(stretched <= 0.37 * scale * (1.0 + 1e-15));
        CHECK(stretched >= 0.37 * scale * (1.0 - 1e-13));
    }
}
