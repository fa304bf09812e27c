// When a barrier solve refines its directions, and when it pauses.
#include "stiction/barrier/refinement_rule.hpp"

#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <limits>
#include <string>

using namespace stiction;
using namespace stiction::test;

namespace {

/// What the rule wants in each of `iterations` iterations, r for refined, while refined moves gain `gained` of what the
/// projected direction promises.
std::string wanted(RefinementRule rule, int iterations, double softening, double gained) {
    std::string result;
    for (int k = 0; k < iterations; ++k) {
        const bool refined = rule.wants(k, softening);
        result += refined ? 'r' : '.';
        rule.moved(refined ? -2.0 * gained : -1.0, -2.0);
    }
    return result;
}

}  // namespace

TEST_CASE("directions are refined where the last move met less curvature than its matrix has, and from then on") {
    RefinementRule rule(30);
    CHECK_FALSE(rule.wants(0, 0.0));
    rule.moved(-1.0, -2.0);
    CHECK_FALSE(rule.wants(1, 0.2));
    rule.moved(-1.0, -2.0);
    CHECK(rule.wants(2, 0.3));
    rule.moved(-3.0, -2.0);
    CHECK(rule.wants(3, -5.0));
}

TEST_CASE("directions are refined in any case after so many iterations") {
    CHECK(wanted(RefinementRule(3), 6, 0.0, 2.0) == "...rrr");
    CHECK(wanted(RefinementRule(0), 3, 0.0, 2.0) == "rrr");
}

TEST_CASE("a refined move that gains less than the projected direction promised begins a pause, each twice as long") {
    CHECK(wanted(RefinementRule(1000), 40, 0.5, 0.99) == "r..r....r........r................r.....");
    // The longest pause is 16 iterations.
    CHECK(wanted(RefinementRule(0), 80, 0.0, 0.5).substr(34) == "r................r................r...........");
    // After a pause it takes a new reason to refine.
    RefinementRule rule(1000);
    CHECK(rule.wants(0, 0.5));
    rule.moved(-1.0, -2.0);
    for (int k = 1; k < 10; ++k) CHECK_FALSE(rule.wants(k, 0.1));
    CHECK(rule.wants(10, 0.5));
}

TEST_CASE("a direction is taken to its minimum by the curvature that the last move met, at most four times") {
    // E(alpha) = -alpha + c alpha^2 / 2 is least at 1 / c; a move that met the part c has the softening 1 - c.
    for (const double c : {0.3, 0.5, 0.7}) CHECK(multiple_to_minimum(1.0 - c) == relative(1.0 / c, 1e-14));
    CHECK(multiple_to_minimum(0.75) == 4.0);
    for (const double softening : {0.9, 1.0, 1.07, 1e30}) CHECK(multiple_to_minimum(softening) == 4.0);
    const double undefined = std::numeric_limits<double>::quiet_NaN();
    for (const double softening : {0.25, 0.0, -7.0, -1e30, undefined}) CHECK(multiple_to_minimum(softening) == 1.0);
}
