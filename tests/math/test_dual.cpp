#include "stiction/math/dual.hpp"

#include "support/compare.hpp"
#include <Eigen/Geometry>
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

using namespace stiction;
using namespace stiction::test;

namespace {

using D1 = Dual<double, 1>;
using D2 = Dual<double, 2>;

/// f on doubles, its dual version, and its derivative by central differences.
void check_function(const char* name, const std::function<double(double)>& f, const std::function<D1(D1)>& dual,
                    double at) {
    INFO(name, " at ", at);
    const D1 y = dual(D1::variable(at));
    CHECK(y.value == f(at));
    const double h = 1e-5 * std::max(1.0, std::abs(at));
    const double difference = (8 * (f(at + h) - f(at - h)) - (f(at + 2 * h) - f(at - 2 * h))) / (12 * h);
    CHECK(std::abs(y.tangent[0] - difference) <= 1e-8 * std::abs(difference));  // both 0 where f is constant
}

}  // namespace

TEST_CASE("dual: every function has the derivative of its plain version") {
    for (const double x : {0.13, 0.7, 0.95}) {
        check_function(
            "sqrt", [](double a) { return std::sqrt(a); }, [](D1 a) { return sqrt(a); }, x);
        check_function(
            "exp", [](double a) { return std::exp(a); }, [](D1 a) { return exp(a); }, x);
        check_function(
            "log", [](double a) { return std::log(a); }, [](D1 a) { return log(a); }, x);
        check_function(
            "log1p", [](double a) { return std::log1p(a); }, [](D1 a) { return log1p(a); }, x);
        check_function(
            "sin", [](double a) { return std::sin(a); }, [](D1 a) { return sin(a); }, x);
        check_function(
            "cos", [](double a) { return std::cos(a); }, [](D1 a) { return cos(a); }, x);
        check_function(
            "acos", [](double a) { return std::acos(a); }, [](D1 a) { return acos(a); }, x);
        check_function(
            "atan2", [](double a) { return std::atan2(a, 2 - a); }, [](D1 a) { return atan2(a, 2 - a); }, x);
        check_function(
            "pow to a constant", [](double a) { return std::pow(a, 2.5); }, [](D1 a) { return pow(a, 2.5); }, x);
        check_function(
            "pow", [](double a) { return std::pow(a, 1 - a); }, [](D1 a) { return pow(a, 1 - a); }, x);
        check_function(
            "constant to a power", [](double a) { return std::pow(1.7, a); }, [](D1 a) { return pow(D1(1.7), a); }, x);
        check_function(
            "quotient", [](double a) { return (3 * a - 1) / (a * a + 2); },
            [](D1 a) { return (3 * a - 1) / (a * a + 2); }, x);
        check_function(
            "abs", [](double a) { return std::abs(a - 0.5); }, [](D1 a) { return abs(a - 0.5); }, x);
        check_function(
            "max", [](double a) { return std::max(a * a, 0.5); }, [](D1 a) { return max(a * a, D1(0.5)); }, x);
        check_function(
            "min", [](double a) { return std::min(a * a, 0.5); }, [](D1 a) { return min(a * a, D1(0.5)); }, x);
    }
    check_function(
        "cube of a negative", [](double a) { return std::pow(a, 3.0); }, [](D1 a) { return pow(a, 3.0); }, -1.3);
}

TEST_CASE("dual: what does not move stays still where the derivative is infinite") {
    const D1 root = sqrt(D1(0.0));
    CHECK(root.value == 0.0);
    CHECK(root.tangent[0] == 0.0);
    CHECK(sqrt(D1::variable(0.0)).tangent[0] == std::numeric_limits<double>::infinity());
    CHECK(pow(D1(0.0), 0.0).value == 1.0);
}

TEST_CASE("dual: several directions, comparisons, finiteness") {
    const D2 x = D2::variable(3.0, 0), y = D2::variable(2.0, 1);
    const D2 f = x * x * y - y / x;
    CHECK(f.value == relative(18.0 - 2.0 / 3.0, 1e-13));
    CHECK(f.tangent[0] == relative(2 * 3.0 * 2.0 + 2.0 / 9.0, 1e-13));
    CHECK(f.tangent[1] == relative(9.0 - 1.0 / 3.0, 1e-13));
    CHECK(y < x);
    CHECK(x > 2.5);
    CHECK(D2(3.0) == x);
    CHECK(2.0 <= y);
    CHECK(isfinite(f));
    CHECK_FALSE(isfinite(sqrt(D2::variable(0.0))));
    CHECK(plain_value(f) == f.value);
}

TEST_CASE("dual of dual: second derivative") {
    using DD = Dual<D1, 1>;
    const double at = 0.4;
    const DD x = DD::variable(D1::variable(at));
    const DD f = exp(x) * sqrt(x) + pow(x, 3.0) - 1.5 * x;
    const double root = std::sqrt(at);
    const double expected = std::exp(at) * (root + 1 / root - 0.25 / (root * at)) + 6 * at;
    CHECK(f.tangent[0].tangent[0] == relative(expected, 1e-13));
    CHECK(plain_value(f) == f.value.value);
}

TEST_CASE("dual as a scalar of Eigen: product of a Jacobian with a direction") {
    const unsigned seed = 31;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    // f(v) = A v |v| + v x w: Jacobian A (|v| I + v v^T / |v|) - [w]x.
    Eigen::Matrix3d A;
    Eigen::Vector3d v, w, p;
    for (int i = 0; i < 3; ++i) {
        v[i] = uniform(random), w[i] = uniform(random), p[i] = uniform(random);
        for (int j = 0; j < 3; ++j) A(i, j) = uniform(random);
    }
    const auto moving = with_direction(v, p);
    const auto f = ((A * moving * moving.norm()) + moving.cross(w.cast<D1>())).eval();
    Eigen::Matrix3d cross;
    cross << 0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0;
    const Eigen::Matrix3d J = A * (v.norm() * Eigen::Matrix3d::Identity() + v * v.transpose() / v.norm()) - cross;
    CHECK((tangent_of(f) - J * p).norm() < 1e-14);
    for (int i = 0; i < 3; ++i) CHECK(f[i].value == relative((A * v * v.norm() + v.cross(w))[i], 1e-13));
    // Doubles times matrices of duals, and sums that start from constants.
    const Eigen::Matrix<D1, 3, 1> scaled = 2.0 * moving - moving / 4.0;
    CHECK((tangent_of(scaled) - 1.75 * p).norm() < 1e-15);
    CHECK(tangent_of(moving.normalized())(0) ==
          relative(((p - v.normalized() * v.normalized().dot(p)) / v.norm())[0], 1e-13));
    CHECK(moving.squaredNorm().tangent[0] == relative(2 * v.dot(p), 1e-13));
}
