// The laws of sheets and their strain limit against the formulas that define them.
#include "stiction/materials/membrane_isotropic.hpp"
#include "stiction/materials/membrane_law.hpp"

#include "support/compare.hpp"
#include <Eigen/Geometry>
#include <doctest/doctest.h>

#include <cmath>

using namespace stiction;
using namespace stiction::test;

namespace {

// Small numbers, so that nothing is lost beside a modulus.
constexpr double youngs_modulus = 3.0, poisson_ratio = 0.3;

/// psi in J/m^3 for the stretches a and b.
double energy_density(MembraneLaw law, double a, double b) {
    const double mu = youngs_modulus / (2.0 * (1.0 + poisson_ratio)),
                 plane = youngs_modulus * poisson_ratio / (1.0 - poisson_ratio * poisson_ratio), J = a * b;
    const double shape = (a - 1.0) * (a - 1.0) + (b - 1.0) * (b - 1.0);
    const double e = 0.5 * (a * a - 1.0), f = 0.5 * (b * b - 1.0);
    switch (law) {
        case MembraneLaw::neo_hookean:
            return 0.5 * mu * (a * a + b * b - 2.0 - 2.0 * std::log(J)) + 0.5 * plane * std::log(J) * std::log(J);
        case MembraneLaw::saint_venant_kirchhoff: return mu * (e * e + f * f) + 0.5 * plane * (e + f) * (e + f);
        case MembraneLaw::fixed_corotated: return mu * shape + 0.5 * plane * (J - 1.0) * (J - 1.0);
        case MembraneLaw::arap: return mu * shape;
    }
    return 0.0;
}

Mat32 with_stretches(double a, double b) {
    const Mat3 turn = Eigen::Quaterniond(0.3, -0.5, 0.7, 0.2).normalized().toRotationMatrix();
    const Mat2 rest = Eigen::Rotation2Dd(0.4).toRotationMatrix();
    return turn.leftCols<2>() * Vec2(a, b).asDiagonal() * rest;
}

}  // namespace

TEST_CASE("membrane laws: the energy density is that of the formula") {
    for (const MembraneLaw law : all_membrane_laws) {
        CAPTURE(membrane_law_name(law));
        visit_membrane_law(law, [&](auto type) {
            const auto made = decltype(type)::type::from_lame(lame_parameters(youngs_modulus, poisson_ratio));
            for (const auto& [a, b] : {std::pair{1.3, 0.8}, {2.0, 1.5}, {0.7, 0.6}, {1.01, 1.0}, {1.2, 1.2}}) {
                CHECK(made.value(Vec2(a, b)) == relative(energy_density(law, a, b), 1e-12));
                CHECK(membrane_energy_density(made, StrainLimit{}, with_stretches(a, b)) ==
                      relative(energy_density(law, a, b), 1e-10));
            }
        });
    }
}

TEST_CASE("strain limit: acts as soon as the larger stretch is beyond its start, on each stretch by itself") {
    const StrainLimit limit{1.1, 1.6, 2.5};
    CHECK(limit.active(Vec2(1.2, 1.0)));
    CHECK(limit.active(Vec2(1.3, 1.2)));
    CHECK_FALSE(limit.active(Vec2(1.1, 1.1)));
    CHECK_FALSE(limit.active(Vec2(1.0, 0.9)));
    CHECK_FALSE(StrainLimit{}.active(Vec2(9.0, 9.0)));
    CHECK_FALSE(StrainLimit{1.1, 1.6, 0.0}.active(Vec2(1.5, 1.5)));
    const auto law = MembraneArap<double>::from_lame(lame_parameters(youngs_modulus, poisson_ratio));
    const auto part = [&](double s) {
        const double y = (s - 1.1) / 0.5;
        return s <= 1.1 ? 0.0 : -2.5 * y * y * std::log(1.0 - y);
    };
    for (const auto& [a, b] : {std::pair{1.2, 1.0}, {1.5, 0.7}, {1.5, 1.3}, {1.12, 1.11}}) {
        CAPTURE(a);
        CAPTURE(b);
        const double added = membrane_energy_density(law, limit, with_stretches(a, b)) -
                             membrane_energy_density(law, StrainLimit{}, with_stretches(a, b));
        CHECK(added == relative(part(a) + part(b), 1e-9));
        // The stress of the limit by differences of the same formula, along each axis.
        const double step = 1e-6;
        const Mat32 stress = membrane_stress(law, limit, Mat32(with_stretches(a, b))) -
                             membrane_stress(law, StrainLimit{}, Mat32(with_stretches(a, b)));
        const double slope_a = (part(a + step) - part(a - step)) / (2.0 * step),
                     slope_b = (part(b + step) - part(b - step)) / (2.0 * step);
        CHECK(stress.norm() == relative(std::hypot(slope_a, slope_b), 1e-7));
    }
}
