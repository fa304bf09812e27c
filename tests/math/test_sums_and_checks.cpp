#include "stiction/base/parallel.hpp"
#include "stiction/math/compensated_sum.hpp"
#include "stiction/math/derivative_check.hpp"
#include "stiction/math/x_minus_log1p.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>

using namespace stiction;

TEST_CASE("compensated sum recovers what a plain sum loses") {
    CompensatedSum sum;
    for (const double term : {1.0, 1e100, 1.0, -1e100}) sum += term;
    CHECK(sum.value() == 2.0);

    constexpr unsigned seed = 31;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> normal;
    std::vector<double> terms(100001);
    for (double& term : terms) term = normal(generator) * 1e8;
    terms.back() = 1e-7;
    for (std::size_t i = 0; i < 50000; ++i) terms[50000 + i] = -terms[i];  // cancels, except for the last term
    CompensatedSum one_by_one;
    double plain = 0.0;
    for (const double term : terms) {
        one_by_one += term;
        plain += term;
    }
    // Bounds: n eps sum|terms| ~ 1e-3 for a plain sum at worst, n eps^2 sum|terms| ~ 1e-14 for the compensated one.
    CHECK(std::abs(plain - 1e-7) > 1e-9);
    CHECK(std::abs(one_by_one.value() - 1e-7) < 1e-14);
    const CompensatedSum blocks = parallel_sum(terms.size(), CompensatedSum(), [&](std::size_t i) { return terms[i]; });
    CHECK(std::abs(blocks.value() - 1e-7) < 1e-14);
}

TEST_CASE("compensated sum with infinite terms") {
    CompensatedSum sum(1.0);
    sum += std::numeric_limits<double>::infinity();
    sum += 1.0;
    CHECK(sum.value() == std::numeric_limits<double>::infinity());
    CompensatedSum total(3.0);
    total += sum;
    CHECK(total.value() == std::numeric_limits<double>::infinity());
}

TEST_CASE("x - ln(1 + x) to the last places") {
    for (const double sign : {-1.0, 1.0}) {
        for (double magnitude = 1e-12; magnitude < 0.95; magnitude *= 1.07) {
            const double x = sign * magnitude;
            // Reference: alternating series in extended precision where the plain difference would cancel.
            long double reference = 0.0L;
            if (magnitude < 0.05) {
                long double power = x;
                for (int k = 2; k < 40; ++k) {
                    power *= x;
                    reference += (k % 2 == 0 ? 1.0L : -1.0L) * power / k;
                }
            } else {
                reference = static_cast<long double>(x) - std::log1p(static_cast<long double>(x));
            }
            CAPTURE(x);
            CHECK(std::abs(x_minus_log1p(x) / static_cast<double>(reference) - 1.0) < 6e-15);
        }
    }
    CHECK(x_minus_log1p(0.0) == 0.0);
}

TEST_CASE("derivative check passes right derivatives and catches wrong ones") {
    // f = sin(x0) x1^2 + exp(x2) x0 + 1e6 x1^3
    const auto value = [](const VecX& x) {
        return std::sin(x[0]) * x[1] * x[1] + std::exp(x[2]) * x[0] + 1e6 * x[1] * x[1] * x[1];
    };
    const auto gradient = [](const VecX& x) -> VecX {
        return Vec3(std::cos(x[0]) * x[1] * x[1] + std::exp(x[2]), 2 * std::sin(x[0]) * x[1] + 3e6 * x[1] * x[1],
                    std::exp(x[2]) * x[0]);
    };
    const auto hessian = [](const VecX& x) {
        Mat3 H;
        H << -std::sin(x[0]) * x[1] * x[1], 2 * std::cos(x[0]) * x[1], std::exp(x[2]), 2 * std::cos(x[0]) * x[1],
            2 * std::sin(x[0]) + 6e6 * x[1], 0.0, std::exp(x[2]), 0.0, std::exp(x[2]) * x[0];
        return H;
    };
    const VecX x = Vec3(0.3, 0.7, -0.4);
    const DerivativeCheck right = check_derivatives(value, gradient, hessian, x);
    CHECK(right.gradient_error < 1e-9);
    CHECK(right.hessian_error < 1e-9);
    CHECK(right.hessian_asymmetry == 0.0);

    const auto wrong_gradient = [&](const VecX& y) -> VecX { return 1.001 * gradient(y); };
    CHECK(check_derivatives(value, wrong_gradient, hessian, x).gradient_error > 5e-4);
    CHECK(check_derivatives(value, wrong_gradient, hessian, x).hessian_error > 5e-4);
    const auto wrong_hessian = [&](const VecX& y) {
        Mat3 H = hessian(y);
        H(0, 1) += 1e-3 * H.cwiseAbs().maxCoeff();
        return H;
    };
    const DerivativeCheck wrong = check_derivatives(value, gradient, wrong_hessian, x);
    CHECK(wrong.hessian_error > 5e-4);
    CHECK(wrong.hessian_asymmetry > 5e-4);
    const auto broken = [&](const VecX& y) -> VecX { return gradient(y) * std::numeric_limits<double>::quiet_NaN(); };
    CHECK_FALSE(check_derivatives(value, broken, hessian, x).gradient_error < 1.0);
}

TEST_CASE("derivative check at a stationary point of any size") {
    for (const double scale : {1e-6, 1.0, 1e6}) {
        const auto value = [&](const VecX& x) { return 0.5 * (x / scale).squaredNorm() + std::pow(x[0] / scale, 3); };
        const auto gradient = [&](const VecX& x) -> VecX {
            VecX g = x / (scale * scale);
            g[0] += 3.0 * x[0] * x[0] / std::pow(scale, 3);
            return g;
        };
        const auto hessian = [&](const VecX& x) {
            Mat3 H = Mat3::Identity() / (scale * scale);
            H(0, 0) += 6.0 * x[0] / std::pow(scale, 3);
            return H;
        };
        const DerivativeCheck check = check_derivatives(value, gradient, hessian, VecX::Zero(3), scale);
        CHECK(check.gradient_error < 1e-8);
        CHECK(check.hessian_error < 1e-8);
    }
}
