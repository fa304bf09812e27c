// The complementarity functions against their roots, their limits and finite differences.
#include "stiction/methods/local_global/contact/ncp.hpp"

#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <random>

using namespace stiction;
using namespace stiction::local_global;
using namespace stiction::test;

namespace {

constexpr std::array functions{NcpFunction::min_map, NcpFunction::fischer_burmeister};

double phi(NcpFunction function, double delta, double lambda, double r) {
    const double force = r * lambda;
    return function == NcpFunction::min_map ? std::min(delta, force)
                                            : delta + force - std::sqrt(delta * delta + force * force);
}

/// Powers of ten from 1e-12 to 1e12, of both signs, and 0.
double wild(std::mt19937_64& random) {
    const int exponent = std::uniform_int_distribution<int>(-12, 12)(random),
              sign = std::uniform_int_distribution<int>(-1, 1)(random);
    return sign * std::uniform_real_distribution<double>(0.1, 1.0)(random) * std::pow(10.0, exponent);
}

}  // namespace

TEST_CASE("normal: the functions vanish exactly where one side does and the other is not negative") {
    for (const NcpFunction function : functions) {
        for (const double r : {1e-6, 1.0, 3e4}) {
            for (const double a : {0.0, 1e-9, 1.0, 1e6}) {
                CHECK(normal_ncp(function, a, 0.0, r).value == 0.0);
                CHECK(normal_ncp(function, 0.0, a, r).value == 0.0);
            }
            CHECK(normal_ncp(function, -1.0, 0.0, r).value < 0.0);
            CHECK(normal_ncp(function, 0.0, -1.0, r).value < 0.0);
            CHECK(normal_ncp(function, 1.0, 1.0, r).value > 0.0);
        }
    }
}

TEST_CASE("normal: limits of the indicators") {
    for (const NcpFunction function : functions) {
        const double r = 0.25;
        const NcpRow pressed = normal_ncp(function, 0.0, 3.0, r), open = normal_ncp(function, 3.0, 0.0, r);
        CHECK(pressed.omega == 1.0);
        CHECK(pressed.compliance == 0.0);
        CHECK(open.omega == 0.0);
        CHECK(open.compliance == r);
    }
    const NcpRow penetrating = normal_ncp(NcpFunction::fischer_burmeister, -1.0, 0.0, 0.25);
    CHECK(penetrating.omega == 2.0);
    CHECK(penetrating.compliance == 0.25);
    // Where Fischer-Burmeister has no derivative: an element of its generalised one.
    const NcpRow corner = normal_ncp(NcpFunction::fischer_burmeister, 0.0, 0.0, 0.25);
    CHECK(std::pow(1.0 - corner.omega, 2) + std::pow(1.0 - corner.compliance / 0.25, 2) == relative(1.0, 1e-13));
    CHECK(corner.value == 0.0);
}

TEST_CASE("normal: value and derivatives against finite differences") {
    const std::uint64_t seed = 7;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (const NcpFunction function : functions) {
        for (int trial = 0; trial < 2000; ++trial) {
            const double delta = uniform(random), lambda = 4.0 * uniform(random), r = 0.3 + 0.2 * uniform(random),
                         step = 1e-6;
            if (std::abs(delta - r * lambda) < 1e-3 || std::hypot(delta, r * lambda) < 1e-2) continue;
            const NcpRow row = normal_ncp(function, delta, lambda, r);
            CHECK(row.value == relative(phi(function, delta, lambda, r), 1e-12));
            CHECK(
                std::abs(row.omega - (phi(function, delta + step, lambda, r) - phi(function, delta - step, lambda, r)) /
                                         (2 * step)) < 1e-7);
            CHECK(std::abs(row.compliance -
                           (phi(function, delta, lambda + step, r) - phi(function, delta, lambda - step, r)) /
                               (2 * step)) < 1e-7);
        }
    }
}

TEST_CASE("normal: small sides are not lost to rounding") {
    // delta = 1, r lambda = 1e-10: phi = 1e-10 - 1e-20 / 2, omega = 1e-20 / 2
    const NcpRow row = normal_ncp(NcpFunction::fischer_burmeister, 1.0, 1e-10, 1.0);
    CHECK(row.value == relative(1e-10, 1e-9));
    CHECK(row.omega == relative(0.5e-20, 1e-9));
    const NcpRow other = normal_ncp(NcpFunction::fischer_burmeister, 1e-10, 1.0, 1.0);
    CHECK(other.compliance == relative(0.5e-20, 1e-9));
}

TEST_CASE("friction: sticking and sliding are roots of slip + E lambda_f") {
    const double limit = 2.0, r = 0.4;
    for (const NcpFunction function : functions) {
        for (const double force : {0.0, 0.3, 1.9, 2.0})
            CHECK(friction_ncp(function, 0.0, force, limit, r).compliance == 0.0);
        for (const double slip : {1e-9, 0.1, 50.0}) {
            // a force of full size against the slip
            const NcpFriction sliding = friction_ncp(function, slip, limit, limit, r);
            CHECK(sliding.omega == 1.0);
            CHECK(std::abs(slip - sliding.compliance * limit) < 1e-14 * slip);
        }
        for (const double none : {0.0, -1.0}) {
            CHECK(friction_ncp(function, 1.0, 1.0, none, r).omega == 0.0);
            CHECK(friction_ncp(function, 1.0, 1.0, none, r).compliance == r);
        }
    }
}

TEST_CASE("friction: equation 57 where it is not singular") {
    const std::uint64_t seed = 11;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    for (int trial = 0; trial < 2000; ++trial) {
        const double slip = 0.05 + uniform(random), limit = 0.1 + uniform(random),
                     force = limit * (0.05 + 0.95 * uniform(random)), r = 0.1 + uniform(random);
        const double c = r * (limit - force), s = std::sqrt(slip * slip + c * c);
        CHECK(friction_ncp(NcpFunction::fischer_burmeister, slip, force, limit, r).compliance ==
              relative(r * (s - c) / (slip + r * limit - s), 1e-10));
    }
}

TEST_CASE("friction: no pole where the force is twice what it may be, no negative compliance beyond") {
    for (const double slip : {0.0, 1e-300, 1e-9, 1e-3}) {
        for (const double force : {2.0, 2.0 + 1e-12, 3.0, 1e6}) {
            const NcpFriction row = friction_ncp(NcpFunction::fischer_burmeister, slip, force, 1.0, 0.5);
            // as on the edge of the cone, where both functions agree
            const double on_edge = friction_ncp(NcpFunction::min_map, slip, 1.0, 1.0, 0.5).compliance;
            if (slip == 0.0)
                CHECK(row.compliance == on_edge);
            else
                CHECK(row.compliance == relative(on_edge, 1e-12));
        }
    }
}

TEST_CASE("anything finite gives finite rows, omega within 0 and 2, E not negative") {
    const std::uint64_t seed = 2026;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    for (int trial = 0; trial < 200000; ++trial) {
        const double delta = wild(random), lambda = wild(random), limit = wild(random),
                     r = std::abs(wild(random)) + 1e-12;
        for (const NcpFunction function : functions) {
            const NcpRow row = normal_ncp(function, delta, lambda, r);
            const NcpFriction friction = friction_ncp(function, std::abs(delta), std::abs(lambda), limit, r);
            const bool good = std::isfinite(row.value) && row.omega >= 0.0 && row.omega <= 2.0 &&
                              row.compliance >= 0.0 && row.compliance <= 2.0 * r &&
                              (friction.omega == 0.0 || friction.omega == 1.0) && friction.compliance >= 0.0 &&
                              std::isfinite(friction.compliance);
            if (!good) {
                CAPTURE(delta);
                CAPTURE(lambda);
                CAPTURE(limit);
                CAPTURE(r);
                FAIL("row.omega " << row.omega << " E " << row.compliance << " value " << row.value << " friction E "
                                  << friction.compliance);
            }
        }
    }
}

TEST_CASE("bilateral: compliance") {
    const NcpRow row = bilateral_ncp(0.5, 2.0, 0.25);
    CHECK(row.omega == 1.0);
    CHECK(row.compliance == 0.25);
    CHECK(row.value == 1.0);
}
