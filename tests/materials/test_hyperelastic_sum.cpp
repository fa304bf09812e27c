// Sums of energies and linear elasticity: derivatives, published formulas, moduli.
#include "stiction/materials/hyperelastic_sum.hpp"
#include "stiction/materials/isotropic.hpp"
#include "stiction/materials/material_law.hpp"
#include "stiction/math/derivative_check.hpp"
#include "stiction/math/psd.hpp"

#include "materials/random_deformation.hpp"
#include "support/compare.hpp"
#include <Eigen/Eigenvalues>
#include <doctest/doctest.h>

#include <functional>

using namespace stiction;
using namespace stiction::test;
using stiction::testing::random_deformations;
using stiction::testing::random_matrix;
using stiction::testing::random_rotation;

namespace {

using Long = long double;
using Term = MaterialTerm;
using enum TermKind;

const LameParameters steel = lame_parameters(2e5, 0.3), rubber = lame_parameters(1e5, 0.45);

struct NamedSum {
    const char* name;
    std::vector<Term> terms;
    double mu, bulk;                                   ///< at rest, Pa
    std::function<Long(const Matrix3<Long>&)> energy;  ///< the published formula, in F
};

Long first_invariant(const Matrix3<Long>& F) {  // of the isochoric part of C
    return std::pow(F.determinant(), Long(-2) / 3) * F.squaredNorm();
}
Long second_invariant(const Matrix3<Long>& F) {
    const Matrix3<Long> C = F.transpose() * F;
    return std::pow(F.determinant(), Long(-4) / 3) * (C.trace() * C.trace() - (C * C).trace()) / 2;
}
/// sum l_i^m - 3.
Long ogden(const Matrix3<Long>& F, Long m) {
    Eigen::SelfAdjointEigenSolver<Matrix3<Long>> eigen(F.transpose() * F);
    return std::pow(F.determinant(), -m / 3) * eigen.eigenvalues().array().pow(m / 2).sum() - 3;
}

const std::vector<NamedSum>& sums() {
    static const std::vector<NamedSum> list{
        {"isochoric neo-Hookean with a volume penalty",
         {{isochoric_power, 3e4, 2.0, {}}, {volume_penalty, 5e5, 2.0, {}}},
         6e4,
         5e5,
         [](const auto& F) {
             const Long J = F.determinant();
             return 3e4L * (first_invariant(F) - 3) + 2.5e5L * ((J * J - 1) / 2 - std::log(J));
         }},
        {"Mooney-Rivlin",
         {{isochoric_power, 2e4, 2.0, {}}, {isochoric_power, 7e3, -2.0, {}}, {log_volume, 4e5, 2.0, {}}},
         5.4e4,
         4e5,
         [](const auto& F) {
             const Long log_volume_ = std::log(F.determinant());
             return 2e4L * (first_invariant(F) - 3) + 7e3L * (second_invariant(F) - 3) +
                    2e5L * log_volume_ * log_volume_;
         }},
        {"Mooney-Rivlin of three parameters",
         {{isochoric_power, 2e4, 2.0, {}},
          {isochoric_power, 7e3, -2.0, {}},
          {isochoric_product, 5e3, 2.0, {}},
          {volume_power, 3e5, 2.0, {}}},
         5.4e4,
         6e5,
         [](const auto& F) {
             const Long i1 = first_invariant(F) - 3, i2 = second_invariant(F) - 3, volume = F.determinant() - 1;
             return 2e4L * i1 + (7e3L + 5e3L * i1) * i2 + 3e5L * volume * volume;
         }},
        {"Ogden with powers of the volume",
         {{isochoric_power, 4e5, 1.3, {}},
          {isochoric_power, 2e2, 5.0, {}},
          {isochoric_power, -1.5e3, -2.0, {}},
          {volume_power, 3e5, 2.0, {}},
          {volume_power, 1e4, 4.0, {}}},
         2e5 * 1.69 + 2.5e3 - 3e3,
         6e5,
         [](const auto& F) {
             const Long volume = F.determinant() - 1;
             return 4e5L * ogden(F, 1.3L) + 2e2L * ogden(F, 5) - 1.5e3L * ogden(F, -2) + 3e5L * volume * volume +
                    1e4L * std::pow(volume, 4);
         }},
        {"neo-Hookean and St. Venant-Kirchhoff",
         {{neo_hookean, 0.0, 2.0, rubber},
          {saint_venant_kirchhoff, 0.0, 2.0, steel},
          {fixed_corotated, 0.0, 2.0, steel}},
         rubber.mu + 2 * steel.mu,
         rubber.lambda + 2.0 / 3.0 * rubber.mu + 2 * (steel.lambda + 2.0 / 3.0 * steel.mu),
         [](const auto& F) {
             const Long J = F.determinant(), log_volume_ = std::log(J);
             const Matrix3<Long> E = (F.transpose() * F - Matrix3<Long>::Identity()) / 2;
             Eigen::SelfAdjointEigenSolver<Matrix3<Long>> eigen(F.transpose() * F);
             const Long corotated = (eigen.eigenvalues().array().sqrt() - 1).square().sum();
             return rubber.mu * (F.squaredNorm() - 3) / 2 - rubber.mu * log_volume_ +
                    rubber.lambda * log_volume_ * log_volume_ / 2 + steel.mu * E.squaredNorm() +
                    steel.lambda * E.trace() * E.trace() / 2 + steel.mu * corotated +
                    steel.lambda * (J - 1) * (J - 1) / 2;
         }},
    };
    return list;
}

Mat3 as_matrix(const VecX& f) {
    return Eigen::Map<const Mat3>(f.data());
}
VecX as_vector(const Mat3& F) {
    return Eigen::Map<const Vec9>(F.data());
}

template <class Law>
DerivativeCheck check_in_F(const Law& law, const Mat3& F) {
    return check_derivatives(
        [&](const VecX& f) { return energy_density(law, as_matrix(f)); },
        [&](const VecX& f) { return as_vector(first_piola(law, as_matrix(f))); },
        [&](const VecX& f) -> Eigen::MatrixXd { return expand(principal_hessian(law, as_matrix(f))); }, as_vector(F),
        std::abs(signed_svd(F).s[2]) + 0.01);
}

}  // namespace

TEST_CASE("sums of energies: values of the published formulas, derivatives against differences") {
    constexpr unsigned seed = 31;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    for (const NamedSum& sum : sums()) {
        CAPTURE(sum.name);
        const HyperelasticSum law{sum.terms};
        for (int n = 0; n < 3; ++n) {
            for (const auto& [name, F] : random_deformations(generator, false)) {
                CAPTURE(name);
                const double expected = static_cast<double>(sum.energy(F.cast<Long>()));
                CHECK(std::abs(energy_density(law, F) - expected) < 1e-12 * std::abs(expected) + 1e-14 * sum.bulk);
                const Vec3 s = signed_svd(F).s;
                const DerivativeCheck principal = check_derivatives(
                    [&](const VecX& x) { return law.value(Vec3(x)); },
                    [&](const VecX& x) -> VecX { return law.gradient(Vec3(x)); },
                    [&](const VecX& x) -> Eigen::MatrixXd { return law.hessian(Vec3(x)); }, s, s[2] + 0.01);
                CHECK(principal.gradient_error < 2e-8);
                CHECK(principal.hessian_error < 2e-8);
                const DerivativeCheck check = check_in_F(law, F);
                CHECK(check.gradient_error < 5e-8);
                CHECK(check.hessian_error < 5e-8);
                CHECK(check.hessian_asymmetry < 1e-14);
            }
        }
    }
}

TEST_CASE("sums of energies: projection, frame indifference, and quotients of close stretches") {
    constexpr unsigned seed = 32;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    for (const NamedSum& sum : sums()) {
        CAPTURE(sum.name);
        const HyperelasticSum law{sum.terms};
        for (const auto& [name, F] : random_deformations(generator, false)) {
            CAPTURE(name);
            PrincipalHessian hessian = principal_hessian(law, F);
            Mat9 slow = expand(hessian);
            const double size = slow.norm();
            project_psd<9>(slow);
            project_psd(hessian);
            CHECK((expand(hessian) - slow).norm() < 1e-12 * size);
            const Mat3 Q = random_rotation(generator), R = random_rotation(generator);
            const Mat3 P = first_piola(law, F);
            CHECK((first_piola(law, Q * F * R) - Q * P * R).norm() < 1e-11 * (P.norm() + sum.bulk));
        }
        const Vec3 equal(1.2, 1.2, 0.9), close(1.2, 1.2 * (1 + 1e-10), 0.9);
        const Mat3 H = law.hessian(equal);
        CHECK(law.flip(equal, 0, 1) == relative(H(0, 0) - H(0, 1), 1e-12));
        CHECK(law.flip(close, 0, 1) == relative(H(0, 0) - H(0, 1), 1e-8));
        const Vec3 s(1.7, 1.1, 0.6), g = law.gradient(s);
        CHECK(law.flip(s, 0, 2) == relative((g[0] - g[2]) / (s[0] - s[2]), 1e-12));
        CHECK(law.twist(s, 0, 2) == relative((g[0] + g[2]) / (s[0] + s[2]), 1e-12));
    }
}

TEST_CASE("sums of energies: rest state, moduli, small strains and the barrier") {
    constexpr unsigned seed = 33;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    for (const NamedSum& sum : sums()) {
        CAPTURE(sum.name);
        const HyperelasticSum law{sum.terms};
        CHECK(energy_density(law, Mat3::Identity()) == 0.0);
        CHECK(first_piola(law, Mat3::Identity()).norm() < 1e-15 * sum.bulk);
        const LameParameters lame = lame_of_terms(sum.terms);
        CHECK(lame.mu == relative(sum.mu, 1e-13));
        CHECK(lame.lambda + 2.0 / 3.0 * lame.mu == relative(sum.bulk, 1e-13));
        for (const double size : {1e-2, 1e-4, 1e-6}) {
            CAPTURE(size);
            const Mat3 F = random_rotation(generator) * (Mat3::Identity() + size * random_matrix(generator));
            const double expected = static_cast<double>(sum.energy(F.cast<Long>()));
            const double lost = size == 1e-6 ? 2e-6 : 3e-15 / size;  // of long double in the reference, and of F
            CHECK(energy_density(law, F) == relative(expected, lost));
        }
        const Mat3 gradient = 1e-6 * random_matrix(generator), strain = 0.5 * (gradient + gradient.transpose());
        const Mat3 linear = 2.0 * lame.mu * strain + lame.lambda * strain.trace() * Mat3::Identity();
        CHECK((first_piola(law, Mat3::Identity() + gradient) - linear).norm() < 5e-5 * linear.norm());
        for (const double last : {0.0, -0.3}) {
            CHECK(energy_density(law, Vec3(1.0, 0.9, last).asDiagonal().toDenseMatrix()) ==
                  std::numeric_limits<double>::infinity());
            CHECK(law.gradient(Vec3(1.0, 0.9, last)).hasNaN());
        }
    }
    CHECK_THROWS_AS(HyperelasticSum::from_lame(steel), InternalError);
    for (const TermKind kind : all_term_kinds) CHECK(term_from_name(term_name(kind)) == kind);
    CHECK_FALSE(term_from_name("rubber").has_value());
}

TEST_CASE("uniaxial stretch without a change of volume: the stresses of Mooney and Rivlin, and of Ogden") {
    // Treloar, The Physics of Rubber Elasticity, equations 10.20 and 11.2: s_1 - s_2 of Cauchy's stress.
    for (const double stretch : {0.6, 1.3, 3.0}) {
        CAPTURE(stretch);
        const Mat3 F = Vec3(stretch, 1 / std::sqrt(stretch), 1 / std::sqrt(stretch)).asDiagonal();
        const auto difference = [&](const HyperelasticSum& law) {
            const Mat3 cauchy = first_piola(law, F) * F.transpose();
            return cauchy(0, 0) - cauchy(1, 1);
        };
        const std::vector<Term> mooney{
            {isochoric_power, 2e4, 2.0, {}}, {isochoric_power, 7e3, -2.0, {}}, {log_volume, 4e5, 2.0, {}}};
        CHECK(difference({mooney}) == relative(2 * (stretch * stretch - 1 / stretch) * (2e4 + 7e3 / stretch), 1e-12));
        const double mu = 3e4, alpha = 3.7;  // 2 mu / alpha^2 (sum l^alpha - 3)
        const std::vector<Term> ogden_terms{{isochoric_power, 2 * mu / (alpha * alpha), alpha, {}}};
        CHECK(difference({ogden_terms}) ==
              relative(2 * mu / alpha * (std::pow(stretch, alpha) - std::pow(stretch, -alpha / 2)), 1e-12));
    }
}

TEST_CASE("linear elasticity: quadratic in F, free of stress at rest, semidefinite") {
    constexpr unsigned seed = 34;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const auto law = LinearElastic<double>::from_lame(steel);
    CHECK(energy_density(law, Mat3::Identity()) == 0.0);
    CHECK(first_piola(law, Mat3::Identity()).norm() == 0.0);
    for (const auto& [name, F] : random_deformations(generator, true)) {
        CAPTURE(name);
        const Mat3 strain = 0.5 * (F + F.transpose()) - Mat3::Identity();
        const Mat3 stress = 2 * steel.mu * strain + steel.lambda * strain.trace() * Mat3::Identity();
        CHECK((first_piola(law, F) - stress).norm() < 1e-14 * (stress.norm() + steel.mu));
        CHECK(energy_density(law, F) == relative(0.5 * stress.cwiseProduct(strain).sum(), 1e-12));
        const DerivativeCheck check = check_in_F(law, F);
        CHECK(check.gradient_error < 5e-8);
        CHECK(check.hessian_error < 5e-8);
        PrincipalHessian hessian = principal_hessian(law, F);
        const Mat9 before = expand(hessian);
        CHECK(smallest_eigenvalue<9>(before) > -1e-9 * before.norm());
        project_psd(hessian);
        CHECK((expand(hessian) - before).norm() < 1e-13 * before.norm());
        const Vec3 s = signed_svd(F).s;
        const Mat3 diagonal = s.asDiagonal();
        CHECK(law.value(s) == relative(energy_density(law, diagonal), 1e-13));
        CHECK((Mat3(law.gradient(s).asDiagonal()) - first_piola(law, diagonal)).norm() < 1e-14 * steel.mu * F.norm());
    }
}
