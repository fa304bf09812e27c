#include "stiction/nonlinear/line_search.hpp"
#include "stiction/nonlinear/stopping.hpp"

#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

using namespace stiction;
using namespace stiction::test;
using AcceptedBy = LineSearchResult::AcceptedBy;

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
}  // namespace

TEST_CASE("line search: the first step that lowers the energy is taken") {
    // E(x) = x^2 / 2 from x = 1 along p = -c: lower exactly for alpha c < 2.
    for (const double c : {0.5, 1.0, 1.9, 3.0, 10.0, 1000.0}) {
        CAPTURE(c);
        int calls = 0;
        const auto result = backtracking_search(1.0, [&](double alpha) {
            ++calls;
            return -alpha * c + 0.5 * alpha * c * alpha * c;
        });
        int halvings = 0;
        while (std::ldexp(1.0, -halvings) * c >= 2.0) ++halvings;
        CHECK(result.accepted_by == AcceptedBy::energy);
        CHECK(result.alpha == std::ldexp(1.0, -halvings));
        CHECK(result.trials == halvings + 1);
        CHECK(result.trials == calls);
        CHECK(result.difference < 0.0);
    }
}

TEST_CASE("line search: starts at the bound and backs out of infeasible points") {
    for (const double outside : {infinity, not_a_number}) {
        std::vector<double> tried;
        const auto result = backtracking_search(0.6, [&](double alpha) {
            tried.push_back(alpha);
            return alpha > 0.1 ? outside : -alpha;
        });
        CHECK(tried == std::vector<double>{0.6, 0.3, 0.15, 0.075});
        CHECK(result.alpha == 0.075);
        CHECK(result.accepted_by == AcceptedBy::energy);
    }
    // Infeasible points are never saved by the gradient test.
    const auto result = backtracking_search(
        1.0, [](double) { return EnergyDifference(infinity, infinity); }, GradientMeasure{-1.0, 1.0},
        [](double) {
            return GradientMeasure{-1.0, 0.0};
        },
        {5, 0.5});
    CHECK(result.accepted_by == AcceptedBy::none);
    CHECK(result.alpha == 0.0);
    CHECK(result.trials == 5);
}

TEST_CASE("line search: a step past the full one gains what the full one promises, or the full one is tried") {
    // E(alpha) = -alpha + c alpha^2 / 2: the slope is -1, so the full step promises a decrease by 1 / 2.
    const auto search = [](double longest, double c, double rounding, std::vector<double>& tried) {
        return backtracking_search(
            longest,
            [&, c, rounding](double alpha) {
                tried.push_back(alpha);
                return EnergyDifference(-alpha + 0.5 * c * alpha * alpha, rounding);
            },
            GradientMeasure{-1.0, 1.0},
            [c](double alpha) {
                return GradientMeasure{-1.0 + c * alpha, 1.0};
            });
    };
    std::vector<double> tried;
    CHECK(search(4.0, 0.25, 0.0, tried).alpha == 4.0);
    CHECK(search(4.0, 0.4, 0.0, tried).alpha == 4.0);  // -0.8
    CHECK(tried == std::vector<double>{4.0, 4.0});
    // At 4 the energy is lower, by 0.08; by 0.755 at the full step.
    tried.clear();
    const auto full = search(4.0, 0.49, 0.0, tried);
    CHECK(full.alpha == 1.0);
    CHECK(full.difference == relative(-0.755, 1e-14));
    CHECK(full.trials == 2);
    CHECK(tried == std::vector<double>{4.0, 1.0});
    // Where rounding hides the decrease, the full step is tried, and judged by its own tests.
    tried.clear();
    CHECK(search(4.0, 0.25, 2.0, tried).alpha == 1.0);
    CHECK(tried == std::vector<double>{4.0, 1.0});
}

TEST_CASE("line search: an ascent direction ends at the limit") {
    const auto result = backtracking_search(1.0, [](double alpha) { return alpha; }, {12, 0.25});
    CHECK(result.accepted_by == AcceptedBy::none);
    CHECK(result.trials == 12);
    // A difference of exactly zero is no decrease either.
    CHECK(backtracking_search(1.0, [](double) { return 0.0; }).accepted_by == AcceptedBy::none);
}

TEST_CASE("line search: when the energy drowns in rounding the gradient decides") {
    // E(x) = 1e6 + x^2 / 2 near its minimum: a step from x = 1e-6 to 0 lowers E by 5e-13, far below the spacing of
    // numbers at 1e6 (1e-10), so the plain difference is exactly 0.
    const auto energy = [](double x) { return 1e6 + 0.5 * x * x; };
    const double x = 1e-6, rounding = 2 * std::numeric_limits<double>::epsilon() * 1e6;
    const auto difference_along = [&](double p) {
        return [=](double alpha) { return EnergyDifference(energy(x + alpha * p) - energy(x), rounding); };
    };
    const auto gradient_along = [&](double p) {
        return [=](double alpha) { return GradientMeasure{p * (x + alpha * p), std::abs(x + alpha * p)}; };
    };
    const auto search = [&](double p) {
        return backtracking_search(1.0, difference_along(p), GradientMeasure{p * x, x}, gradient_along(p), {10, 0.5});
    };
    REQUIRE(energy(0.0) - energy(x) == 0.0);

    CHECK(backtracking_search(1.0, difference_along(-x), {60, 0.5}).accepted_by ==
          AcceptedBy::none);  // the stall it is there to prevent
    const auto newton = search(-x);
    CHECK(newton.accepted_by == AcceptedBy::gradient);
    CHECK(newton.alpha == 1.0);
    const auto too_short = search(-0.1 * x);  // still descending at the trial
    CHECK(too_short.accepted_by == AcceptedBy::gradient);
    CHECK(too_short.alpha == 1.0);
    const auto too_long = search(-5.0 * x);  // ends at -4 x, -1.5 x, then -0.25 x: only there the gradient is smaller
    CHECK(too_long.accepted_by == AcceptedBy::gradient);
    CHECK(too_long.alpha == 0.25);
    CHECK(search(x).accepted_by == AcceptedBy::none);  // uphill
}

TEST_CASE("line search: an increase beyond rounding is refused whatever the gradient says") {
    int asked = 0;
    const auto result = backtracking_search(
        1.0, [](double alpha) { return EnergyDifference(alpha > 0.3 ? 1e-3 : -1e-3, 1e-9); },
        GradientMeasure{-1.0, 1.0},
        [&](double) {
            ++asked;
            return GradientMeasure{-1.0, 0.0};
        });
    CHECK(result.alpha == 0.25);
    CHECK(result.accepted_by == AcceptedBy::energy);
    CHECK(asked == 0);
}

TEST_CASE("stopping: the largest entry, or NaN") {
    VecX x(6);
    x << 1, -2, 2, 0, -2.5, 0;
    CHECK(infinity_norm(x) == 2.5);
    CHECK(infinity_norm(VecX()) == 0.0);
    for (Eigen::Index i = 0; i < 6; ++i) {
        VecX bad = x;
        bad[i] = not_a_number;
        CHECK(std::isnan(infinity_norm(bad)));
    }
}
