#include "stiction/materials/extrapolated.hpp"
#include "stiction/materials/isotropic.hpp"
#include "stiction/materials/material_law.hpp"
#include "stiction/math/derivative_check.hpp"
#include "stiction/math/psd.hpp"

#include "materials/random_deformation.hpp"
#include "support/compare.hpp"
#include <Eigen/Geometry>
#include <doctest/doctest.h>

using namespace stiction;
using namespace stiction::test;
using stiction::testing::random_deformations;
using stiction::testing::random_rotation;

namespace {

constexpr double youngs_modulus = 2.5e5, poisson_ratio = 0.37;
const LameParameters lame = lame_parameters(youngs_modulus, poisson_ratio);

/// Calls body(name, law) for every law, and for the barrier law continued below two volume ratios.
template <class Body>
void for_every_law(const Body& body) {
    for (const MaterialLaw law : objective_laws) {
        CAPTURE(law_name(law));
        for (const double extrapolate_below : {0.0, 0.7, 0.2}) {
            if (extrapolate_below > 0.0 && is_invertible(law)) continue;
            CAPTURE(extrapolate_below);
            visit_law(law, extrapolate_below, [&](const auto& make) { body(law, make(lame)); });
        }
    }
}

Mat3 as_matrix(const VecX& f) {
    return Eigen::Map<const Mat3>(f.data());
}
VecX as_vector(const Mat3& F) {
    return Eigen::Map<const Vec9>(F.data());
}

}  // namespace

TEST_CASE("derivatives in principal stretches") {
    constexpr unsigned seed = 11;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    for_every_law([&](MaterialLaw, auto law) {
        using Law = decltype(law);
        for (const auto& [name, F] : random_deformations(generator, Law::invertible)) {
            CAPTURE(name);
            const DerivativeCheck check =
                check_derivatives([&](const VecX& s) { return law.value(Vec3(s)); },
                                  [&](const VecX& s) -> VecX { return law.gradient(Vec3(s)); },
                                  [&](const VecX& s) -> Eigen::MatrixXd { return law.hessian(Vec3(s)); },
                                  signed_svd(F).s, std::abs(signed_svd(F).s[2]) + 0.01);
            CHECK(check.gradient_error < 2e-8);
            CHECK(check.hessian_error < 2e-8);
            CHECK(check.hessian_asymmetry < 1e-15);
        }
    });
}

TEST_CASE("P = dpsi/dF and dP/dF against differences, unprojected") {
    constexpr unsigned seed = 12;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    for_every_law([&](MaterialLaw, auto law) {
        using Law = decltype(law);
        for (int n = 0; n < 5; ++n) {
            for (const auto& [name, F] : random_deformations(generator, Law::invertible)) {
                CAPTURE(name);
                const DerivativeCheck check = check_derivatives(
                    [&](const VecX& f) { return energy_density(law, as_matrix(f)); },
                    [&](const VecX& f) { return as_vector(first_piola(law, as_matrix(f))); },
                    [&](const VecX& f) -> Eigen::MatrixXd { return expand(principal_hessian(law, as_matrix(f))); },
                    as_vector(F), std::abs(signed_svd(F).s[2]) + 0.01);
                CHECK(check.gradient_error < 5e-8);
                CHECK(check.hessian_error < 5e-8);
                CHECK(check.hessian_asymmetry < 1e-14);
            }
        }
    });
}

TEST_CASE("direct path and principal path agree") {
    constexpr unsigned seed = 13;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    for_every_law([&](MaterialLaw, auto law) {
        using Law = decltype(law);
        for (const auto& [name, F] : random_deformations(generator, Law::invertible)) {
            CAPTURE(name);
            const SignedSvd svd = signed_svd(F);
            const Vec3 g = law.gradient(svd.s);
            CHECK(std::abs(energy_density(law, F) - law.value(svd.s)) <
                  1e-12 * (std::abs(law.value(svd.s)) + 1e-3 * lame.mu));
            CHECK((first_piola(law, F) - svd.U * g.asDiagonal() * svd.V.transpose()).norm() <
                  1e-11 * (g.norm() + lame.mu));
        }
    });
}

TEST_CASE("closed-form projection equals the 9x9 eigenvalue clamp") {
    constexpr unsigned seed = 14;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    int changed = 0;
    for_every_law([&](MaterialLaw, auto law) {
        using Law = decltype(law);
        for (int n = 0; n < 20; ++n) {
            for (const auto& [name, F] : random_deformations(generator, Law::invertible)) {
                CAPTURE(name);
                PrincipalHessian hessian = principal_hessian(law, F);
                Mat9 slow = expand(hessian);
                const double size = slow.norm();
                const double lowest = smallest_eigenvalue<9>(slow);
                project_psd<9>(slow);
                project_psd(hessian);
                const Mat9 fast = expand(hessian);
                CHECK((fast - slow).norm() < 1e-12 * size);
                CHECK(smallest_eigenvalue<9>(fast) > -1e-13 * size);
                if (lowest < -1e-6 * size) ++changed;
            }
        }
    });
    CHECK(changed > 100);
}

TEST_CASE("eigenvalues of dP/dF are those of scaling, flips and twists") {
    constexpr unsigned seed = 15;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    for_every_law([&](MaterialLaw, auto law) {
        for (const auto& [name, F] : random_deformations(generator, false)) {
            CAPTURE(name);
            const PrincipalHessian hessian = principal_hessian(law, F);
            const double lowest =
                std::min({smallest_eigenvalue<3>(hessian.scaling), hessian.flip.minCoeff(), hessian.twist.minCoeff()});
            const Mat9 full = expand(hessian);
            CHECK(std::abs(smallest_eigenvalue<9>(full) - lowest) < 1e-12 * full.norm());
        }
    });
}

TEST_CASE("divided differences: definition where it is safe, limit where it is not") {
    for_every_law([&](MaterialLaw, auto law) {
        const Vec3 s(1.7, 1.1, 0.6);
        const Vec3 g = law.gradient(s);
        for (int k = 0; k < 3; ++k) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            CHECK(law.flip(s, i, j) == relative((g[i] - g[j]) / (s[i] - s[j]), 1e-12));
            CHECK(law.twist(s, i, j) == relative((g[i] + g[j]) / (s[i] + s[j]), 1e-12));
        }
        const Vec3 equal(1.2, 1.2, 0.9);
        const Mat3 H = law.hessian(equal);
        CHECK(law.flip(equal, 0, 1) == relative(H(0, 0) - H(0, 1), 1e-12));  // derivative along (1, -1)
        CHECK(std::isfinite(law.twist(Vec3(1.0, 0.5, -0.5), 1, 2)) == decltype(law)::invertible);
    });
}

TEST_CASE("frame indifference and isotropy") {
    constexpr unsigned seed = 16;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    for_every_law([&](MaterialLaw, auto law) {
        using Law = decltype(law);
        for (const auto& [name, F] : random_deformations(generator, Law::invertible)) {
            CAPTURE(name);
            const Mat3 Q = random_rotation(generator), R = random_rotation(generator);
            const double energy = energy_density(law, F);
            const Mat3 P = first_piola(law, F);
            const double size = P.norm() + lame.mu;
            CHECK(std::abs(energy_density(law, Q * F * R) - energy) < 1e-11 * (energy + 1e-3 * lame.mu));
            CHECK((first_piola(law, Q * F * R) - Q * P * R).norm() < 1e-11 * size);
            CHECK((P * F.transpose() - F * P.transpose()).norm() < 1e-11 * size * F.norm());  // angular momentum
        }
    });
}

TEST_CASE("rest state: no energy, no stress") {
    constexpr unsigned seed = 17;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    for_every_law([&](MaterialLaw, auto law) {
        CHECK(energy_density(law, Mat3::Identity()) == 0.0);
        CHECK(first_piola(law, Mat3::Identity()).norm() < 1e-15 * lame.mu);
        const Mat3 R = random_rotation(generator);
        CHECK(energy_density(law, R) < 1e-29 * lame.lambda);
        CHECK(first_piola(law, R).norm() < 1e-14 * lame.lambda);
    });
}

TEST_CASE("small strains give linear elasticity") {
    constexpr unsigned seed = 18;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    for_every_law([&](MaterialLaw name, auto law) {
        const double lambda = name == MaterialLaw::arap ? 0.0 : lame.lambda;  // ARAP keeps the shear modulus only
        for (int n = 0; n < 10; ++n) {
            const Mat3 gradient = 1e-6 * stiction::testing::random_matrix(generator);
            const Mat3 strain = 0.5 * (gradient + gradient.transpose());
            const Mat3 linear = 2.0 * lame.mu * strain + lambda * strain.trace() * Mat3::Identity();
            const Mat3 P = first_piola(law, Mat3::Identity() + gradient);
            CHECK((P - linear).norm() < 5e-5 * linear.norm());
            const double energy = 0.5 * linear.cwiseProduct(strain).sum();
            CHECK(energy_density(law, Mat3::Identity() + gradient) == relative(energy, 5e-5));
        }
    });
}

TEST_CASE("energies keep relative accuracy at small strains under rotation") {
    constexpr unsigned seed = 19;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    using Long = long double;
    const auto check = [&](const auto& law, const auto& reference_law) {
        for (const double strain : {1e-2, 1e-4, 1e-6}) {
            const Mat3 F =
                random_rotation(generator) * (Mat3::Identity() + strain * stiction::testing::random_matrix(generator));
            const double reference = static_cast<double>(reference_law.energy(Matrix3<Long>(F.cast<Long>())));
            // What is left is the rounding of F itself in double, 1e-16 / strain; the plain formula would lose its
            // square.
            CAPTURE(strain);
            CHECK(std::abs(law.energy(F) / reference - 1.0) < 3e-15 / strain);
        }
    };
    for (int n = 0; n < 20; ++n) {
        check(NeoHookean<double>::from_lame(lame), NeoHookean<Long>::from_lame(lame));
        check(StableNeoHookean<double>::from_lame(lame), StableNeoHookean<Long>::from_lame(lame));
        check(SaintVenantKirchhoff<double>::from_lame(lame), SaintVenantKirchhoff<Long>::from_lame(lame));
    }
}

TEST_CASE("neo-Hookean is a barrier unless it is extrapolated, the others are finite when inverted") {
    for (const MaterialLaw law : all_material_laws)
        CHECK(is_invertible(law) == (law != MaterialLaw::neo_hookean && law != MaterialLaw::sum));
    const Mat3 inverted = Vec3(1.0, 0.9, -0.3).asDiagonal(), flat = Vec3(1.0, 0.9, 0.0).asDiagonal();
    for_every_law([&](MaterialLaw name, auto law) {
        const bool finite = decltype(law)::invertible;
        if (!finite) CHECK(name == MaterialLaw::neo_hookean);
        for (const Mat3& F : {inverted, flat}) {
            CHECK(std::isfinite(energy_density(law, F)) == finite);
            CHECK(std::isfinite(law.value(signed_svd(F).s)) == finite);
            if (!finite) {
                CHECK(energy_density(law, F) == std::numeric_limits<double>::infinity());
            } else {
                CHECK(first_piola(law, F).allFinite());
                CHECK(expand(principal_hessian(law, F)).allFinite());
            }
        }
    });
    const auto law = NeoHookean<double>::from_lame(lame);
    double last = 0.0;
    for (double stretch = 0.5; stretch > 1e-6; stretch *= 0.5) {
        const double energy = law.energy(Vec3(1, 1, stretch).asDiagonal().toDenseMatrix());
        CHECK(energy > last);
        last = energy;
    }
}

TEST_CASE("names and moduli") {
    for (const MaterialLaw law : all_material_laws) CHECK(law_from_name(law_name(law)) == law);
    CHECK_FALSE(law_from_name("rubber").has_value());
    CHECK(law_names().size() == all_material_laws.size());

    CHECK(lame.mu == relative(youngs_modulus / 2.74, 1e-13));
    // Uniaxial stress in linear elasticity: E = mu (3 lambda + 2 mu) / (lambda + mu), nu = lambda / (2 (lambda + mu)).
    CHECK(lame.mu * (3 * lame.lambda + 2 * lame.mu) / (lame.lambda + lame.mu) == relative(youngs_modulus, 1e-13));
    CHECK(lame.lambda / (2 * (lame.lambda + lame.mu)) == relative(poisson_ratio, 1e-13));
    CHECK_THROWS_AS(lame_parameters(1.0, 0.5), InternalError);

    CHECK_FALSE(check_moduli(MaterialLaw::neo_hookean, 1e5, 0.0).has_value());
    CHECK(check_moduli(MaterialLaw::neo_hookean, 1e5, -0.1)->parameter == "nu");
    CHECK_FALSE(check_moduli(MaterialLaw::stable_neo_hookean, 1e5, -0.1).has_value());
    for (const MaterialLaw law : objective_laws) {
        CHECK(check_moduli(law, 0.0, 0.3)->parameter == "E");
        CHECK(check_moduli(law, std::numeric_limits<double>::quiet_NaN(), 0.3)->parameter == "E");
        CHECK(check_moduli(law, 1e5, 0.5)->parameter == "nu");
        CHECK(check_moduli(law, 1e5, -1.0)->parameter == "nu");
        CHECK(check_moduli(law, 1e5, std::numeric_limits<double>::quiet_NaN())->value != 0.0);
    }
}
