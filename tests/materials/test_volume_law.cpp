#include "stiction/materials/volume_law.hpp"
#include "stiction/math/derivative_check.hpp"

#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace stiction;
using namespace stiction::test;

namespace {

constexpr VolumeLawKind kinds[] = {VolumeLawKind::quadratic, VolumeLawKind::ideal_gas,
                                   VolumeLawKind::nearly_incompressible};

VecX scalar(double value) {
    return VecX::Constant(1, value);
}

/// Minus the integral of the gauge pressure from V0 to V, by Simpson's rule: the work on the walls.
template <class Pressure>
double work(double rest_volume, double volume, const Pressure& pressure) {
    constexpr int n = 2000;
    const double width = (volume - rest_volume) / n;
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        const double a = rest_volume + i * width, b = a + width;
        sum += (pressure(a) + 4.0 * pressure(0.5 * (a + b)) + pressure(b)) * width / 6.0;
    }
    return -sum;
}

}  // namespace

TEST_CASE("volume laws: derivatives agree with finite differences") {
    for (const VolumeLawKind kind : kinds) {
        for (const double rest_volume : {1e-6, 0.7, 300.0}) {
            for (const double overpressure : {0.0, 6.9e4, -3e4}) {
                for (const double ratio : {0.2, 0.97, 1.0, 1.05, 1.2, 3.0}) {
                    const VolumeLaw law{kind, compressibility_from_per_atmosphere(0.3), 0.9e5, overpressure};
                    CAPTURE(volume_law_name(kind));
                    CAPTURE(rest_volume);
                    CAPTURE(overpressure);
                    CAPTURE(ratio);
                    const DerivativeCheck check =
                        check_derivatives([&](const VecX& v) { return law.value(v[0], rest_volume); },
                                          [&](const VecX& v) { return scalar(law.derivative(v[0], rest_volume)); },
                                          [&](const VecX& v) {
                                              return Eigen::MatrixXd(scalar(law.second_derivative(v[0], rest_volume)));
                                          },
                                          scalar(ratio * rest_volume), 0.1 * rest_volume);
                    CHECK(check.gradient_error < 1e-8);
                    CHECK(check.hessian_error < 1e-8);
                }
            }
        }
    }
}

TEST_CASE("volume laws: the published formulas, and the work done against the pressure that defines each") {
    const double rest_volume = 0.02, k = 3e-6, P = 9e4, dp = 4e4;
    for (const double ratio : {0.3, 0.9, 0.999, 1.001, 1.4, 5.0}) {
        CAPTURE(ratio);
        const double V = ratio * rest_volume, log_ratio = std::log(ratio);
        const double quadratic = (V - rest_volume) * (V - rest_volume) / (2 * rest_volume * k);
        const double gas = P * (V - rest_volume * (1 + log_ratio));
        const double liquid = (rest_volume - V * (1 - log_ratio)) / k;
        const double rounding = 1e-14 * rest_volume / k;  // of these formulas
        CHECK(std::abs(VolumeLaw{VolumeLawKind::quadratic, k, P, 0}.value(V, rest_volume) - quadratic) < rounding);
        CHECK(std::abs(VolumeLaw{VolumeLawKind::ideal_gas, k, P, 0}.value(V, rest_volume) - gas) < rounding);
        CHECK(std::abs(VolumeLaw{VolumeLawKind::nearly_incompressible, k, P, 0}.value(V, rest_volume) - liquid) <
              rounding);
        const double gas_over = P * (V - rest_volume) - (P + dp) * rest_volume * log_ratio;
        const double over = -dp * (V - rest_volume);
        CHECK(std::abs(VolumeLaw{VolumeLawKind::quadratic, k, P, dp}.value(V, rest_volume) - quadratic - over) <
              rounding);
        CHECK(std::abs(VolumeLaw{VolumeLawKind::ideal_gas, k, P, dp}.value(V, rest_volume) - gas_over) < rounding);
        CHECK(std::abs(VolumeLaw{VolumeLawKind::nearly_incompressible, k, P, dp}.value(V, rest_volume) - liquid -
                       over) < rounding);

        // a constant amount of gas at constant temperature; a liquid with -dV / (V dP) = k; both against the atmosphere
        const auto gas_pressure = [&](double v) { return (P + dp) * rest_volume / v - P; };
        const auto liquid_pressure = [&](double v) { return dp - std::log(v / rest_volume) / k; };
        CHECK(VolumeLaw{VolumeLawKind::ideal_gas, k, P, dp}.value(V, rest_volume) ==
              relative(work(rest_volume, V, gas_pressure), 1e-9));
        CHECK(VolumeLaw{VolumeLawKind::nearly_incompressible, k, P, dp}.value(V, rest_volume) ==
              relative(work(rest_volume, V, liquid_pressure), 1e-9));
    }
}

TEST_CASE("ideal gas: absolute pressure times volume is constant") {
    const VolumeLaw law{VolumeLawKind::ideal_gas, 1.0, 101325.0, 7e4};
    for (const double V : {1e-9, 0.01, 0.5, 0.999999, 1.0, 3.0, 1e6}) {
        CHECK((law.pressure(V, 1.0) + 101325.0) * V == relative(171325.0, 1e-13 + 1e-16 * V));
    }
}

TEST_CASE("at the rest volume the gauge pressure is the over-pressure, and positive pressure pushes outwards") {
    for (const VolumeLawKind kind : kinds) {
        CAPTURE(volume_law_name(kind));
        VolumeLaw law{kind, 1e-5, 1e5, 0.0};
        CHECK(law.value(2.0, 2.0) == 0.0);
        CHECK(law.pressure(2.0, 2.0) == 0.0);
        CHECK(law.pressure(1.9, 2.0) > 0.0);
        CHECK(law.pressure(2.1, 2.0) < 0.0);
        law.overpressure = 5e4;
        CHECK(law.value(2.0, 2.0) == 0.0);
        CHECK(law.pressure(2.0, 2.0) == 5e4);
        CHECK(law.value(2.05, 2.0) < 0.0);  // expanding gives energy away
        CHECK(law.second_derivative(1.3, 2.0) > 0.0);
    }
}

TEST_CASE("with compressibility 1 / P the three laws agree to second order, and differ at third") {
    const double P = standard_atmosphere;
    for (const double s : {-1e-2, -1e-3, 1e-5, 1e-3, 1e-2}) {
        CAPTURE(s);
        double values[3], slopes[3], curvatures[3];
        const double V = 1.0 + s, exact_s = V - 1.0;
        for (int i = 0; i < 3; ++i) {
            const VolumeLaw law{kinds[i], compressibility_from_per_atmosphere(1.0), P, 0.0};
            values[i] = law.value(V, 1.0) / P;
            slopes[i] = law.derivative(V, 1.0) / P;
            curvatures[i] = law.second_derivative(1.0, 1.0) / P;
        }
        // s^2/2 + {0, -1/3, -1/6} s^3 + O(s^4)
        const double cubic[3] = {0.0, -1.0 / 3.0, -1.0 / 6.0};
        for (int i = 0; i < 3; ++i) {
            CHECK(curvatures[i] == relative(1.0, 1e-15));
            const double third_order = 0.5 * exact_s * exact_s + cubic[i] * exact_s * exact_s * exact_s;
            CHECK(std::abs(values[i] - third_order) < 0.3 * std::pow(exact_s, 4) + 1e-15 * third_order);
            CHECK(std::abs(slopes[i] - exact_s - 3.0 * cubic[i] * exact_s * exact_s) <
                  1.1 * std::abs(std::pow(exact_s, 3)) + 1e-15 * std::abs(exact_s));
        }
    }
}

TEST_CASE("small changes of volume lose no digits") {
    const double V = 1.0 + std::ldexp(1.0, -30), s = std::ldexp(1.0, -30);  // exact
    const double quadratic = 0.5 * s * s;
    CHECK(VolumeLaw{VolumeLawKind::quadratic, 1.0, 1.0, 0.0}.value(V, 1.0) == quadratic);
    CHECK(VolumeLaw{VolumeLawKind::ideal_gas, 1.0, 1.0, 0.0}.value(V, 1.0) ==
          relative(quadratic * (1.0 - s / 1.5), 1e-15));
    CHECK(VolumeLaw{VolumeLawKind::nearly_incompressible, 1.0, 1.0, 0.0}.value(V, 1.0) ==
          relative(quadratic * (1.0 - s / 3.0), 1e-15));
}

TEST_CASE("a regulator holds its pressure at every volume, also where there is none") {
    const VolumeLaw law{VolumeLawKind::regulator, 0.0, 0.0, 5e3};
    CHECK(law.invertible());
    for (const double V : {-1.0, 0.0, 1e-30, 0.4, 2.0, 7.0}) {
        CHECK(law.pressure(V, 2.0) == 5e3);
        CHECK(law.second_derivative(V, 2.0) == 0.0);
        CHECK(law.value(V, 2.0) == within(-5e3 * (V - 2.0), 1e-10));  // a few roundings of 5e4 J
    }
    CHECK_FALSE(check_volume_law(law).has_value());
}

TEST_CASE("no volume and negative volume") {
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double V : {0.0, -1e-300, -2.0}) {
        for (const VolumeLawKind kind : {VolumeLawKind::ideal_gas, VolumeLawKind::nearly_incompressible}) {
            const VolumeLaw law{kind, 1e-5, 1e5, 2e4};
            CHECK_FALSE(law.invertible());
            CHECK(law.value(V, 1.0) == infinity);
            CHECK(std::isnan(law.derivative(V, 1.0)));
            CHECK(std::isnan(law.pressure(V, 1.0)));
            CHECK(std::isnan(law.second_derivative(V, 1.0)));
        }
        const VolumeLaw law{VolumeLawKind::quadratic, 1e-5, 1e5, 2e4};
        CHECK(law.invertible());
        CHECK(law.value(V, 1.0) == relative((V - 1) * (V - 1) / 2e-5 - 2e4 * (V - 1), 1e-13));
        CHECK(law.derivative(V, 1.0) == relative((V - 1) / 1e-5 - 2e4, 1e-13));
    }
    // tiny, but above zero: finite, with V / V0 below what 1 + s can tell from 0
    for (const VolumeLawKind kind : kinds) {
        const VolumeLaw law{kind, 1e-5, 1e5, 0.0};
        CHECK(std::isfinite(law.value(1e-30, 1.0)));
        CHECK(std::isfinite(law.derivative(1e-30, 1.0)));
    }
    const VolumeLaw gas{VolumeLawKind::ideal_gas, 1.0, 1.0, 0.0};
    CHECK(gas.value(1e-30, 1.0) == relative(-1.0 + 30.0 * std::log(10.0), 1e-14));
}

TEST_CASE("names and admissible numbers of volume laws") {
    CHECK(compressibility_from_per_atmosphere(1.0) == 1.0 / 101325.0);
    CHECK(volume_law_names() ==
          std::vector<std::string>{"quadratic", "ideal_gas", "nearly_incompressible", "regulator"});
    for (const VolumeLawKind kind : kinds) CHECK(volume_law_from_name(volume_law_name(kind)) == kind);
    CHECK_FALSE(volume_law_from_name("gas").has_value());

    const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    const auto complaint = [](VolumeLawKind kind, double k, double P, double dp) {
        const auto found = check_volume_law({kind, k, P, dp});
        return found ? found->parameter : std::string();
    };
    for (const double bad : {0.0, -1.0, nan, infinity, 1e-320}) {
        CHECK(complaint(VolumeLawKind::quadratic, bad, 1, 0) == "compressibility");
        CHECK(complaint(VolumeLawKind::nearly_incompressible, bad, 1, 0) == "compressibility");
        CHECK(complaint(VolumeLawKind::ideal_gas, bad, 1, 0) == "");  // not used
        if (bad != 1e-320) CHECK(complaint(VolumeLawKind::ideal_gas, 1, bad, 0) == "atmospheric_pressure");
    }
    for (const VolumeLawKind kind : kinds) {
        CHECK(complaint(kind, 1, 1e5, nan) == "overpressure");
        CHECK(complaint(kind, 1, 1e5, infinity) == "overpressure");
        CHECK(complaint(kind, 1, 1e5, 3e5) == "");
        CHECK(complaint(kind, 1, 1e5, -1e5) == (kind == VolumeLawKind::ideal_gas ? "overpressure" : ""));
    }
}
