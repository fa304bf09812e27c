// Expressions of PolyFEM scenes against the same in C++, by the rules of TinyExpr.
#include "stiction/scene/formula.hpp"
#include "stiction/scene/import/expression.hpp"

#include "scene/scene_testing.hpp"
#include "support/compare.hpp"

#include <cmath>
#include <functional>
#include <numbers>
#include <random>

using namespace stiction;
using namespace stiction::test;
using namespace stiction::scene;
using namespace scene_testing;

namespace {

TranslatedExpression translate(const std::string& text) {
    return translate_expression(
        text, [](char name) { return std::string(1, name); }, "s.json", "value[0]");
}

}  // namespace

TEST_CASE("translated expressions have the value that TinyExpr gives them") {
    struct Pair {
        const char* text;
        std::function<double(double, double, double, double)> reference;
    };
    const double pi = std::numbers::pi;
    const std::vector<Pair> pairs{
        {"y*cos((-0.4*pi)*t)-z*sin((-0.4*pi)*t)-y",
         [&](double, double y, double z, double t) {
             return y * std::cos(-0.4 * pi * t) - z * std::sin(-0.4 * pi * t) - y;
         }},
        {"max(-8.9 / 7 * t, -8.9)", [](double, double, double, double t) { return std::max(-8.9 / 7 * t, -8.9); }},
        {"rotate_2D_x(y + 1, z - 0.5, -t * pi / 2) - (y + 1)",
         [&](double, double y, double z, double t) {
             return (y + 1) * std::cos(-t * pi / 2) - (z - 0.5) * std::sin(-t * pi / 2) - (y + 1);
         }},
        {"rotate_2D_y(x, y, t)",
         [](double x, double y, double, double t) { return x * std::sin(t) + y * std::cos(t); }},
        {"-x^2", [](double x, double, double, double) { return x * x; }},  // (-x)^2
        {"0-x^2", [](double x, double, double, double) { return -x * x; }},
        {"2^3^2", [](double, double, double, double) { return 64.0; }},  // (2^3)^2
        {"x-y-z", [](double x, double y, double z, double) { return x - y - z; }},
        {"x/y/2*z", [](double x, double y, double z, double) { return x / y / 2 * z; }},
        {"2*-x+--y", [](double x, double y, double, double) { return -2 * x + y; }},
        {"log(100)+log10(1000)+ln(e)", [](double, double, double, double) { return 6.0; }},
        {"sin x * 2", [](double x, double, double, double) { return 2 * std::sin(x); }},
        {"pow(abs(x), 1.5) + atan2(y, z)",
         [](double x, double y, double z, double) { return std::pow(std::abs(x), 1.5) + std::atan2(y, z); }},
        {"deg2rad(90*t)+pi()", [&](double, double, double, double t) { return pi / 2 * t + pi; }},
        {"smooth_abs(x, 3)", [](double x, double, double, double) { return std::tanh(3 * x) * x; }},
        {"smoothstep(t) + half_smoothstep(x)",
         [](double x, double, double, double t) {
             const auto step = [](double a) { return a < 0 ? 0.0 : a > 1 ? 1.0 : 3 * a * a - 2 * a * a * a; };
             return step(t) + 2 * step((x + 1) / 2) - 1;
         }},
        {"if(x, y, z) + compare(x, y) + sign(z)",
         [](double x, double y, double z, double) { return (x >= 0 ? y : z) + (x < y ? 1 : 0) + (z > 0 ? 1 : -1); }},
        {"floor(3*x) + ceil(2.5*y) + 20",
         [](double x, double y, double, double) { return std::floor(3 * x) + std::ceil(2.5 * y) + 20; }},
        {"5*x % 0.7 + 3", [](double x, double, double, double) { return std::fmod(5 * x, 0.7) + 3; }},
        {"min(x, y) + sqrt(t) + exp(-t) + 1.5e-1",
         [](double x, double y, double, double t) { return std::min(x, y) + std::sqrt(t) + std::exp(-t) + 0.15; }},
    };
    const unsigned seed = 41;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    for (const auto& pair : pairs) {
        CAPTURE(pair.text);
        const Formula formula(translate(pair.text).formula, "", "f");
        for (int i = 0; i < 50; ++i) {
            const double x = number(random), y = number(random), z = number(random), t = std::abs(number(random));
            CHECK(formula(Vec3(x, y, z), t) == relative(pair.reference(x, y, z, t), 1e-13));
        }
    }
}

TEST_CASE("constants are known as such, and variables can be replaced") {
    CHECK(translate("2*pi + e").constant);
    CHECK(!translate("0*t").constant);
    const auto in_millimetres = translate_expression(
        "x*y", [](char name) { return std::string("(") + name + " / 0.001)"; }, "", "");
    CHECK(Formula(in_millimetres.formula, "", "f")(Vec3(0.002, 0.003, 0), 0) == relative(6.0, 1e-13));
}

TEST_CASE("bad expressions are refused with what is wrong") {
    const auto error = [](const std::string& text) { return input_error([&] { translate(text); }); };
    CHECK(error("") == "s.json: value[0]: \"\": expected an expression that goes on");
    CHECK(error("foo(x)").find("'foo' is none of x, y, z, t, pi") != std::string::npos);
    CHECK(error("x y").find("an operator or the end at 'y'") != std::string::npos);
    CHECK(error("(x").find("a closing bracket") != std::string::npos);
    CHECK(error("max(x)").find("2 arguments of 'max'") != std::string::npos);
    CHECK(error("max x").find("brackets after 'max'") != std::string::npos);
    CHECK(error("sin(x, y)").find("1 argument of 'sin'") != std::string::npos);
    CHECK(error("(x, y)").find("one value where the comma is") != std::string::npos);
    CHECK(error("x, y").find("an operator or the end at ', y'") != std::string::npos);
    CHECK(error("fac(3)").find("'fac' is none of") != std::string::npos);
    CHECK(error("1e999").find("a number at '1e999'") != std::string::npos);
    CHECK(error("x = 1").find("an operator or the end at '= 1'") != std::string::npos);
    CHECK(error(std::string(5000, '(')).find("not nested this deep") != std::string::npos);
    CHECK(error(std::string(5000, '-') + "x").empty());
    std::string nested = "x";
    for (int i = 0; i < 40; ++i) nested = "rotate_2D_x(" + nested + ", y, t)";
    CHECK(error(nested).empty());
    std::string doubling = "x";
    for (int i = 0; i < 40; ++i) doubling = "smooth_abs(" + doubling + ", 1)";
    CHECK(error(doubling).find("when it is written out") != std::string::npos);
}
