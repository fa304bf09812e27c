// Laws of which nothing has been said yet.
#include "stiction/materials/lame.hpp"
#include "stiction/materials/material_law.hpp"
#include "stiction/materials/volume_law.hpp"

#include <doctest/doctest.h>

using namespace stiction;

TEST_CASE("a filling of which nothing is said is air at one atmosphere, without over-pressure") {
    const VolumeLaw law;
    CHECK(law.kind == VolumeLawKind::quadratic);
    CHECK(law.compressibility == 1.0 / 101325.0);
    CHECK(law.atmospheric_pressure == 101325.0);
    CHECK(law.overpressure == 0.0);
    CHECK(law.pressure(2.0, 2.0) == 0.0);
}

TEST_CASE("Lame parameters of which nothing is said are those of no stiffness") {
    CHECK(LameParameters{}.mu == 0.0);
    CHECK(LameParameters{}.lambda == 0.0);
}

TEST_CASE("a barrier law may be continued from a volume ratio of a thousandth on") {
    CHECK_FALSE(check_extrapolation(MaterialLaw::neo_hookean, 1e-3).has_value());
    CHECK(check_extrapolation(MaterialLaw::neo_hookean, 0.999e-3).has_value());
}
