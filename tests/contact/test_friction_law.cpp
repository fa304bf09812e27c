// The friction law against its definition, finite differences and numeric integration.
#include "stiction/base/error.hpp"
#include "stiction/contact/friction.hpp"
#include "stiction/contact/friction_law.hpp"

#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <cmath>

using namespace stiction;
using namespace stiction::test;

namespace {

double magnitude(const FrictionLaw& law, double y, double ratio) {
    return y * law.over_slip(y, ratio);
}

/// Simpson's rule from a to b: nothing of the law's own integration in it.
double integral(const FrictionLaw& law, double ratio, double a, double b) {
    const int n = 20000;
    double sum = magnitude(law, a, ratio) + magnitude(law, b, ratio);
    for (int i = 1; i < n; ++i) sum += (i % 2 == 1 ? 4.0 : 2.0) * magnitude(law, a + (b - a) * i / n, ratio);
    return sum * (b - a) / (3.0 * n);
}

const double slips[] = {1e-6, 1e-3, 0.3e-2, 0.9e-2, 0.011, 0.02, 0.035, 0.049, 0.06, 1.0};

}  // namespace

TEST_CASE("friction law: profiles without a transition are those of the papers") {
    const double eps = 0.01;
    const FrictionLaw a{FrictionProfile::quadratic, eps, 0.0}, b{FrictionProfile::rational, eps, 0.0};
    for (const double y : slips) {
        CHECK(magnitude(a, y, 1.0) == relative(y < eps ? 2 * y / eps - y * y / (eps * eps) : 1.0, 1e-14));
        CHECK(magnitude(b, y, 1.0) == relative(y / (y + eps), 1e-14));
        CHECK(a.potential(y, 1.0) == friction_f0(y, eps));
        CHECK(a.over_slip(y, 0.3) == a.over_slip(y, 1.0));  // no transition: the kinetic coefficient is not used
    }
}

TEST_CASE("friction law: derivatives and potential, with and without a transition") {
    for (const FrictionProfile profile : {FrictionProfile::quadratic, FrictionProfile::rational}) {
        for (const double kinetic_slip : {0.0, 0.05}) {
            for (const double ratio : {1.0, 0.4, 0.0}) {
                const FrictionLaw law{profile, 0.01, kinetic_slip};
                CAPTURE(static_cast<int>(profile));
                CAPTURE(kinetic_slip);
                CAPTURE(ratio);
                for (const double y : slips) {
                    CAPTURE(y);
                    const double step = 1e-5 * y;
                    const auto central = [&](const auto& f) { return (f(y + step) - f(y - step)) / (2 * step); };
                    const double size = 1.0 / law.sticking_slip;
                    CHECK(std::abs(law.derivative(y, ratio) -
                                   central([&](double z) { return magnitude(law, z, ratio); })) <= 1e-5 * size);
                    CHECK(std::abs(law.over_slip_derivative(y, ratio) -
                                   central([&](double z) { return law.over_slip(z, ratio); })) <= 1e-5 * size * size);
                    const double work = law.potential(y, ratio) - law.potential(0.0, ratio);
                    CHECK(work == relative(integral(law, ratio, 0.0, y), 1e-6));
                }
            }
        }
    }
}

TEST_CASE("friction law: the potential of a wide transition is the integral of the force to rounding") {
    for (const double width : {10.0, 100.0, 1e4}) {
        for (const FrictionProfile profile : {FrictionProfile::quadratic, FrictionProfile::rational}) {
            const FrictionLaw law{profile, 1e-4, 1e-4 * width};
            for (const double part : {0.01, 0.1, 0.5, 0.9, 1.5}) {
                const double y = 1e-4 * (1.0 + part * (width - 1.0)), step = 1e-4 * y;
                CAPTURE(width);
                CAPTURE(y);
                // Fourth order, so that rounding and not the difference decides.
                const auto F = [&](double z) { return law.potential(z, 0.4); };
                const double slope =
                    (8.0 * (F(y + step) - F(y - step)) - (F(y + 2 * step) - F(y - 2 * step))) / (12.0 * step);
                CHECK(slope == relative(magnitude(law, y, 0.4), 1e-8));
            }
        }
    }
}

TEST_CASE("friction law: static below the sticking slip, kinetic beyond the transition, continuous between") {
    const FrictionLaw law{FrictionProfile::quadratic, 0.01, 0.05};
    CHECK(magnitude(law, 0.01, 0.6) == relative(1.0, 1e-13));
    CHECK(magnitude(law, 0.05, 0.6) == relative(0.6, 1e-13));
    CHECK(magnitude(law, 5.0, 0.6) == relative(0.6, 1e-13));
    double last = 1.0;
    for (double y = 0.01; y < 0.06; y += 1e-4) {
        CHECK(magnitude(law, y, 0.6) <= last + 1e-12);
        CHECK(magnitude(law, y, 0.6) > last - 0.02);
        last = magnitude(law, y, 0.6);
    }
    CHECK(law.over_slip(0.0, 0.6) == relative(2.0 / 0.01, 1e-13));
}

TEST_CASE("friction law: the same force in other units") {
    const FrictionLaw law{FrictionProfile::rational, 0.01, 0.05}, scaled = law.scaled(1e-3);
    for (const double y : slips) CHECK(magnitude(scaled, 1e-3 * y, 0.5) == relative(magnitude(law, y, 0.5), 1e-13));
}

TEST_CASE("friction law: names") {
    for (const std::string& name : friction_profile_names())
        CHECK(friction_profile_names()[static_cast<std::size_t>(friction_profile_from_name(name))] == name);
    CHECK_THROWS_AS(friction_profile_from_name("linear"), InternalError);
}

TEST_CASE("friction law of a pair: its share of the slips that are not given") {
    const FrictionLaw shares{FrictionProfile::quadratic, 0.2, 2.0};
    CHECK(shares.of_pair(0.25).sticking_slip == 0.05);
    CHECK(shares.of_pair(0.25).kinetic_slip == 0.5);
    const FrictionLaw given{FrictionProfile::quadratic, 0.2, 2.0, true, false};
    CHECK(given.scaled(0.5).of_pair(0.25).sticking_slip == 0.1);
    CHECK(given.scaled(0.5).of_pair(0.25).kinetic_slip == 0.25);
}
