#include "stiction/nonlinear/forcing_term.hpp"

#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

using namespace stiction;
using namespace stiction::test;

TEST_CASE("forcing term: the ratio of residuals to the golden power, bounded") {
    ForcingTerm forcing;
    CHECK(forcing.exponent == relative(0.5 * (1.0 + std::sqrt(5.0)), 1e-15));
    forcing.largest = 0.4;
    CHECK(forcing.first() == 0.4);
    CHECK(forcing.next(1.0, 1.0) == 0.4);
    CHECK(forcing.next(5.0, 1.0) == 0.4);  // the residual rose
    CHECK(forcing.next(1e-3, 1.0) == relative(std::exp(1.6180339887498949 * std::log(1e-3)), 1e-13));
    CHECK(forcing.next(2e-3, 2.0) == forcing.next(1e-3, 1.0));
    CHECK(forcing.next(0.0, 1.0) == 0.0);
    forcing.smallest = 1e-6;
    CHECK(forcing.next(0.0, 1.0) == 1e-6);
    CHECK(forcing.next(1e-9, 1.0) == 1e-6);
    constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    CHECK(forcing.next(0.0, 0.0) == 0.4);
    CHECK(forcing.next(1.0, 0.0) == 0.4);
    CHECK(forcing.next(nan, 1.0) == 0.4);
    CHECK(forcing.next(infinity, infinity) == 0.4);
}

TEST_CASE("forcing term: sufficient decrease") {
    CHECK(is_sufficient_decrease(0.9, 1.0, 1.0, 0.1));
    CHECK_FALSE(is_sufficient_decrease(1.0, 1.0, 1.0, 0.1));
    CHECK(is_sufficient_decrease(0.55, 1.0, 1.0, 0.1, 0.5));
    CHECK_FALSE(is_sufficient_decrease(0.5501, 1.0, 1.0, 0.1, 0.5));
    CHECK(is_sufficient_decrease(0.77, 1.0, 0.5, 0.1, 0.5));  // 1 - 0.5 0.5 0.9 = 0.775
    CHECK_FALSE(is_sufficient_decrease(0.78, 1.0, 0.5, 0.1, 0.5));
    CHECK_FALSE(is_sufficient_decrease(std::numeric_limits<double>::quiet_NaN(), 1.0, 0.5, 0.1));
    CHECK(is_sufficient_decrease(0.0, 0.0, 1.0, 0.1));
}

TEST_CASE("forcing term: an inexact Newton iteration converges with the golden order") {
    // x^3 = 2, each linear solve as inexact as is allowed, always to the same side.
    ForcingTerm forcing;
    double x = 2.0, previous = 0.0, sigma = forcing.first();
    std::vector<double> sizes;
    for (int k = 0; k < 12; ++k) {
        const double residual = x * x * x - 2.0;
        sizes.push_back(std::abs(residual));
        if (sizes.back() < 1e-14) break;
        if (k > 0) sigma = forcing.next(sizes.back(), previous);
        previous = sizes.back();
        x -= (1.0 - sigma) * residual / (3.0 * x * x);
    }
    REQUIRE(sizes.size() < 12);
    CHECK(sizes.back() < 1e-14);
    // The last three before rounding: log(e2/e1) / log(e1/e0) tends to the order.
    const std::size_t last = sizes.size() - (sizes.back() < 1e-13 ? 2 : 1);
    const double order = std::log(sizes[last]) / std::log(sizes[last - 1]);
    MESSAGE("order of convergence about " << order);
    CHECK(order > 1.3);
    CHECK(order < 2.2);
}
