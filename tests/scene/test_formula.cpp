// Formulas against the same expressions in C++.
#include "stiction/base/parallel.hpp"
#include "stiction/scene/formula.hpp"

#include "scene/scene_testing.hpp"
#include "support/compare.hpp"

#include <cmath>
#include <functional>
#include <numbers>
#include <random>

using namespace stiction;
using namespace stiction::test;
using namespace scene_testing;

TEST_CASE("formulas evaluate like C++") {
    struct Pair {
        const char* text;
        std::function<double(double, double, double, double)> reference;
    };
    const double pi = std::numbers::pi;
    const std::vector<Pair> pairs{
        {"x + 2*y - z/4", [](double x, double y, double z, double) { return x + 2 * y - z / 4; }},
        {"0.1*sin(2*pi*t)*x", [&](double x, double, double, double t) { return 0.1 * std::sin(2 * pi * t) * x; }},
        {"t < 0.5 ? t : 0.5", [](double, double, double, double t) { return t < 0.5 ? t : 0.5; }},
        {"min(x, y, z) + max(x, t)",
         [](double x, double y, double z, double t) {
             return std::min({x, y, z}) + std::max(x, t);
         }},
        {"x^2 + e", [](double x, double, double, double) { return x * x + std::numbers::e; }},
        {"(x >= 0 && y != z) * 3", [](double x, double y, double z, double) { return x >= 0 && y != z ? 3.0 : 0.0; }},
        {"1e-3*abs(x)*exp(-t) + sqrt(t)",
         [](double x, double, double, double t) { return 1e-3 * std::abs(x) * std::exp(-t) + std::sqrt(t); }},
        {"-2.5", [](double, double, double, double) { return -2.5; }},
    };
    const unsigned seed = 20240611;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    for (const auto& pair : pairs) {
        CAPTURE(pair.text);
        const Formula formula(pair.text, "s.json", "f");
        for (int i = 0; i < 50; ++i) {
            const double x = number(random), y = number(random), z = number(random), t = std::abs(number(random));
            const double expected = pair.reference(x, y, z, t);
            CHECK(formula(Vec3(x, y, z), t) == within(expected, 1e-14 * std::abs(expected)));  // some are 0
        }
    }
}

TEST_CASE("a formula has the same value on every thread") {
    const Formula formula("sin(x)*cos(y) + t*z", "", "f");
    std::vector<double> values(4000);
    parallel_for(values.size(), [&](std::size_t i) { values[i] = formula(Vec3(double(i), 2.0, 3.0), 0.5); });
    for (std::size_t i = 0; i < values.size(); ++i) CHECK(values[i] == formula(Vec3(double(i), 2.0, 3.0), 0.5));
}

TEST_CASE("bad formulas") {
    const auto message = [](const char* text) {
        return input_error([&] { Formula(text, "s.json", "path.formula[0]"); });
    };
    CHECK(message("").find("s.json: path.formula[0]: \"\": expected a formula") != std::string::npos);
    CHECK(message("x = 2").find("without '='") != std::string::npos);
    CHECK(message("x == 2 ? 1 : x <= 3").empty());
    CHECK(message("1, 2").find("not several") != std::string::npos);
    CHECK(message("speed*t").find("'speed' is neither a variable") != std::string::npos);
    CHECK(message("sinus(t)").find("'sinus'") != std::string::npos);
    CHECK(message("sin(t").find("path.formula[0]: \"sin(t\"") != std::string::npos);
    CHECK(message("2 +").find("path.formula[0]") != std::string::npos);
    CHECK(message("\"a\"").find("path.formula[0]") != std::string::npos);
}

TEST_CASE("a formula that is not finite does not throw by itself") {
    CHECK_FALSE(std::isfinite(Formula("1/x", "", "f")(Vec3::Zero(), 0.0)));
    CHECK_FALSE(std::isfinite(Formula("sqrt(-1-t)", "", "f")(Vec3::Zero(), 0.0)));
}
