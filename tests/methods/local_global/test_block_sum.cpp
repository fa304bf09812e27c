// Sums in blocks against sums in extended precision.
#include "stiction/methods/local_global/block_sum.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>

using namespace stiction;
using namespace stiction::local_global;

TEST_CASE("local_global: sums keep their digits, and so does the difference of two nearly equal ones") {
    std::mt19937 random(4);
    CAPTURE("seed 4");
    std::uniform_real_distribution<double> power(-12.0, 6.0), change(-1e-9, 1e-9);
    BlockSum sum;
    for (const std::size_t n :
         {std::size_t{0}, std::size_t{1}, std::size_t{1023}, std::size_t{1030}, std::size_t{50001}}) {
        CAPTURE(n);
        std::vector<double> a(n), b(n);
        long double exact = 0.0L, difference = 0.0L, size = 0.0L;
        for (std::size_t i = 0; i < n; ++i) {
            a[i] = (i % 3 == 0 ? -1.0 : 1.0) * std::pow(10.0, power(random));
            b[i] = a[i] * (1.0 + change(random));
            exact += a[i];
            difference += static_cast<long double>(b[i]) - a[i];
            size += std::abs(a[i]);
        }
        const CompensatedSum of_a = sum.total(n, [&](std::size_t i) { return a[i]; });
        CompensatedSum of_b = sum.total(n, [&](std::size_t i) { return b[i]; });
        CHECK(std::abs(of_a.value() - static_cast<double>(exact)) <= 2e-16 * std::abs(static_cast<double>(exact)));
        CHECK(sum(n, [&](std::size_t i) { return a[i]; }) == of_a.value());
        of_b -= of_a;
        // Sums in extended precision have an error of their own: 1e-19 of all terms for each of them.
        CHECK(std::abs(of_b.value() - static_cast<double>(difference)) <=
              2e-16 * std::abs(static_cast<double>(difference)) + 1e-19 * static_cast<double>(n * size));
    }
}

TEST_CASE("local_global: a term that is not finite makes the sum what a plain sum would be") {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    BlockSum sum;
    for (const std::size_t at : {std::size_t{0}, std::size_t{5}, std::size_t{2001}, std::size_t{2002}}) {
        CAPTURE(at);
        CHECK(sum(2003, [&](std::size_t i) { return i == at ? infinity : 1.0; }) == infinity);
        CHECK(std::isnan(sum(2003, [&](std::size_t i) { return i == at ? std::nan("") : 1.0; })));
    }
}
