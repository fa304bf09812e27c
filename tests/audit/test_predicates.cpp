#include "stiction/audit/expansion.hpp"
#include "stiction/audit/interval.hpp"
#include "stiction/audit/predicates.hpp"

#include "audit/random.hpp"
#include <doctest/doctest.h>

#include <array>

using namespace stiction;
using stiction::testing::Dice;
using stiction::testing::Exact;

namespace {

using ExactVector = std::array<Exact, 3>;

ExactVector from_to(const Vec3& a, const Vec3& b) {
    return {Exact(b[0]) - Exact(a[0]), Exact(b[1]) - Exact(a[1]), Exact(b[2]) - Exact(a[2])};
}

int slow_orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    const ExactVector u = from_to(a, b), v = from_to(a, c), w = from_to(a, d);
    const Exact det =
        u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
    return det.sign();
}

int slow_orient2d(const Vec2& a, const Vec2& b, const Vec2& c) {
    const Exact det = (Exact(b[0]) - Exact(a[0])) * (Exact(c[1]) - Exact(a[1])) -
                      (Exact(b[1]) - Exact(a[1])) * (Exact(c[0]) - Exact(a[0]));
    return det.sign();
}

int slow_plane_side(const Vec3& n, const Vec3& o, const Vec3& p) {
    const ExactVector d = from_to(o, p);
    const Exact side = Exact(n[0]) * d[0] + Exact(n[1]) * d[1] + Exact(n[2]) * d[2];
    return side.sign();
}

/// Four points that lie in one plane, on one line or in one point, nearly or exactly, of any magnitude.
std::array<Vec3, 4> nearly_flat(Dice& dice) {
    std::array<Vec3, 4> p;
    const bool grid = dice.chance(0.5);
    const auto vector = [&] { return grid ? dice.grid(-9, 9) : dice.vector(1.0); };
    const Vec3 o = vector(), u = vector(), v = dice.chance(0.2) ? Vec3(2.0 * u) : vector();
    for (Vec3& corner : p) corner = o + dice.integer(-3, 3) * u + (dice.chance(0.1) ? 0.0 : dice.integer(-3, 3)) * v;
    if (dice.chance(0.2)) p[3] = p[static_cast<std::size_t>(dice.integer(0, 2))];
    if (dice.chance(0.6)) p[static_cast<std::size_t>(dice.integer(0, 3))] = dice.nudged(p[0], 2);
    if (dice.chance(0.6)) p[3] = dice.nudged(p[3], 3);
    const int shape = dice.integer(0, 5);
    for (Vec3& corner : p) {
        if (shape == 0) corner *= std::ldexp(1.0, dice.integer(-1060, 1010));  // each corner of its own size
        if (shape == 1) corner *= 0x1p-1050;                                   // products underflow
        if (shape == 2) corner *= 0x1p1010;                                    // differences and products overflow
        if (shape == 3) corner += Vec3(1e6, -1e7, 1e8);                        // far away
    }
    return p;
}

}  // namespace

TEST_CASE("orientations agree with rational arithmetic on nearly degenerate input of any magnitude") {
    const std::uint64_t seed = 20261121;
    Dice dice(seed);
    std::array<int, 3> signs{};
    int wrong = 0;
    for (int i = 0; i < 16000; ++i) {
        const auto p = nearly_flat(dice);
        const int sign = audit::orient3d(p[0], p[1], p[2], p[3]);
        ++signs[static_cast<std::size_t>(sign + 1)];
        wrong += sign != slow_orient3d(p[0], p[1], p[2], p[3]);
        wrong += audit::orient3d(p[1], p[0], p[2], p[3]) != -sign;
        const Vec2 a = p[0].head<2>(), b = p[1].head<2>(), c = p[2].head<2>();
        wrong += audit::orient2d(a, b, c) != slow_orient2d(a, b, c);
        wrong += audit::plane_side(p[0], p[1], p[2]) != slow_plane_side(p[0], p[1], p[2]);
    }
    MESSAGE("seed ", seed, ": ", signs[0], " negative, ", signs[1], " zero, ", signs[2], " positive");
    CHECK(wrong == 0);
    for (const int count : signs) CHECK(count > 1600);
}

TEST_CASE("orientation of the unit tet, and of one that is flat to the last bit") {
    const Vec3 a(0, 0, 0), b(1, 0, 0), c(0, 1, 0), d(0, 0, 1);
    CHECK(audit::orient3d(a, b, c, d) == 1);
    CHECK(audit::orient3d(a, c, b, d) == -1);
    CHECK(audit::orient2d({0, 0}, {1, 0}, {0, 1}) == 1);
    // In the plane x + y + z = 1; the smallest step out of it is seen.
    const Vec3 p(0.25, 0.25, 0.5);
    CHECK(audit::orient3d(b, c, d, p) == 0);
    CHECK(audit::orient3d(b, c, d, Vec3(0.25, 0.25, std::nextafter(0.5, 1.0))) ==
          -audit::orient3d(b, c, d, Vec3(0.25, 0.25, std::nextafter(0.5, 0.0))));
    CHECK(audit::orient3d(b, c, d, Vec3(0.25, 0.25, std::nextafter(0.5, 1.0))) != 0);
    // Smallest positive double.
    const double least = std::numeric_limits<double>::denorm_min();
    CHECK(audit::plane_side({0, 1, 0}, {0, 0, 0}, {5, least, 7}) == 1);
    CHECK(audit::plane_side({0, 1, 0}, {0, 0, 0}, {5, -least, 7}) == -1);
    CHECK(audit::plane_side({0, 1, 0}, {3, 0, 0}, {5, -0.0, 7}) == 0);
}

TEST_CASE("expansions are exact") {
    const std::uint64_t seed = 3;
    Dice dice(seed);
    INFO("seed ", seed);
    const auto value = [](const auto& expansion) {
        Exact sum = 0;
        for (std::size_t i = 0; i < expansion.size(); ++i) sum += Exact(expansion[i]);
        return sum;
    };
    int wrong = 0;
    for (int i = 0; i < 3000; ++i) {
        const auto number = [&] { return std::ldexp(dice.real(-1.0, 1.0), dice.integer(-80, 80)); };
        const double a = number(), b = number(), c = number(), d = number();
        const auto first = audit::Expansion<2>::difference(a, b), second = audit::Expansion<2>::difference(c, d);
        audit::Expansion<16> product;
        audit::add_product(product, first, second);
        audit::add_product(product, second, first);
        const Exact exact = 2 * (Exact(a) - Exact(b)) * (Exact(c) - Exact(d));
        wrong += value(product) != exact;
        wrong += product.sign() != exact.sign();
    }
    CHECK(wrong == 0);
}

TEST_CASE("interval operations contain the exact result") {
    const std::uint64_t seed = 4;
    Dice dice(seed);
    INFO("seed ", seed);
    int wrong = 0, wide = 0;
    for (int i = 0; i < 4000; ++i) {
        // Magnitudes down to where products underflow.
        const auto number = [&] {
            return std::ldexp(dice.real(-1.0, 1.0),
                              dice.chance(0.2) ? dice.integer(-600, -500) : dice.integer(-20, 20));
        };
        const auto interval = [&] {
            const double p = number(), q = dice.chance(0.5) ? p : number();
            return audit::Interval(std::min(p, q), std::max(p, q));
        };
        const audit::Interval a = interval(), b = interval();
        const auto holds = [&](const audit::Interval& result, const Exact& value) {
            wrong += !(Exact(result.lo) <= value && value <= Exact(result.hi));
        };
        for (const double p : {a.lo, a.hi}) {
            for (const double q : {b.lo, b.hi}) {
                holds(a + b, Exact(p) + Exact(q));
                holds(a - b, Exact(p) - Exact(q));
                holds(a * b, Exact(p) * Exact(q));
                holds(p * b, Exact(p) * Exact(q));
            }
        }
        const audit::Interval sum = audit::Interval(a.lo) + audit::Interval(b.lo);
        wide += sum.hi - sum.lo > 0x1p-50 * std::abs(a.lo + b.lo) + 1e-320;
    }
    CHECK(wrong == 0);
    CHECK(wide == 0);
    const audit::Interval huge = audit::Interval(1e300) * audit::Interval(1e300);
    CHECK_FALSE(huge.positive());
    CHECK_FALSE(huge.negative());
}
