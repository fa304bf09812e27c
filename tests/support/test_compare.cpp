// The comparisons of all other tests: what they accept, what they refuse, what they print.
#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <limits>
#include <string>

using namespace stiction::test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("relative: the tolerance is a part of the expected value, however small or large that is") {
    for (const double size : {1e-300, 2.9e-4, 1.0, -3.0, 1e9, -1e300}) {
        CAPTURE(size);
        CHECK(size == relative(size, 0.0));
        CHECK(size * 1.019 == relative(size, 2e-2));
        CHECK(size * 0.981 == relative(size, 2e-2));
        CHECK_FALSE(size * 1.021 == relative(size, 2e-2));
        CHECK_FALSE(size * 0.979 == relative(size, 2e-2));
        CHECK_FALSE(-size == relative(size, 0.5));
        CHECK_FALSE(0.0 == relative(size, 0.99));
    }
    CHECK(1.25 == relative(1.0, 0.25));  // the bound itself is accepted, and belongs to the expected value
    CHECK_FALSE(1.0 == relative(1.25, 0.19));
    // The creep of a block that sticks, which a tolerance of 2 % of 1 cannot tell from rest.
    CHECK_FALSE(1.9e-2 == relative(2.9e-4, 2e-2));
}

TEST_CASE("within: the bound is in the unit of the value") {
    CHECK(0.0 == within(0.0, 0.0));
    CHECK(-0.5 == within(0.0, 0.5));
    CHECK(2.25 == within(2.0, 0.25));
    CHECK_FALSE(2.26 == within(2.0, 0.25));
    CHECK_FALSE(1.74 == within(2.0, 0.25));
    CHECK(1e-9 == within(0.0, 1e-9));
    CHECK_FALSE(1.1e-9 == within(0.0, 1e-9));
}

TEST_CASE("comparisons: NaN and infinities are equal to nothing") {
    for (const double bad : {infinity, -infinity, not_a_number}) {
        CAPTURE(bad);
        CHECK_FALSE(bad == relative(1.0, 1e300));
        CHECK_FALSE(1.0 == relative(bad, 1e300));
        CHECK_FALSE(bad == relative(bad, 1e300));
        CHECK_FALSE(bad == within(1.0, 1e300));
        CHECK_FALSE(1.0 == within(bad, 1e300));
        CHECK_FALSE(bad == within(bad, infinity));
    }
}

TEST_CASE("comparisons: a relative one with zero, and tolerances that are none, are refused") {
    CHECK_THROWS_WITH_AS(relative(0.0, 1e-3), doctest::Contains("within"), std::invalid_argument);
    CHECK_THROWS_AS(relative(-0.0, 1e-3), std::invalid_argument);
    CHECK_THROWS_AS(relative(1.0, -1e-3), std::invalid_argument);
    CHECK_THROWS_AS(relative(1.0, not_a_number), std::invalid_argument);
    CHECK_THROWS_AS(within(1.0, -1e-3), std::invalid_argument);
    CHECK_THROWS_AS(within(1.0, not_a_number), std::invalid_argument);
}

TEST_CASE("comparisons: a failure shows the expected value, the tolerance and the error") {
    const Relative part = relative(-2.0, 0.125);
    CHECK_FALSE(-3.0 == part);
    CHECK(std::string(doctest::toString(part).c_str()) == "relative(-2, 0.125), relative error 0.5");
    const Within bound = within(0.0, 1e-9);
    CHECK_FALSE(-2e-9 == bound);
    CHECK(std::string(doctest::toString(bound).c_str()) == "within(0, 1e-09), error 2e-09");
}
