// First and second derivatives of membrane energies, of a law and of a whole sheet, and their projections.
#include "stiction/math/derivative_check.hpp"
#include "stiction/math/psd.hpp"

#include "fem/membrane_sheet.hpp"
#include "support/compare.hpp"
#include <Eigen/Eigenvalues>
#include <doctest/doctest.h>

using namespace stiction;
using namespace stiction::test;
using namespace stiction::testing;

namespace {

VecX flat(const Mat32& A) {
    return Eigen::Map<const VecX>(A.data(), 6);
}

Mat32 unflat(const VecX& a) {
    return Eigen::Map<const Mat32>(a.data());
}

/// vec(F) = B x_e, the obvious way.
Eigen::MatrixXd gradient_operator(const Mat2& rest_inverse) {
    Eigen::MatrixXd B = Eigen::MatrixXd::Zero(6, 9);
    for (int j = 0; j < 2; ++j) {
        for (int a = 0; a < 2; ++a) {
            B.block<3, 3>(3 * j, 3 * a + 3) += rest_inverse(a, j) * Mat3::Identity();
            B.block<3, 3>(3 * j, 0) -= rest_inverse(a, j) * Mat3::Identity();
        }
    }
    return B;
}

}  // namespace

TEST_CASE("membrane laws: stress and second derivative are derivatives of the energy") {
    constexpr unsigned seed = 61;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const std::vector<Vec2> stretches = {
        {1, 1},     {1 + 3e-7, 1 - 2e-7}, {1.3, 0.8},  {1.3, 1.3}, {1.3 + 1e-9, 1.3}, {1.4 + 1e-4, 1.4},
        {0.5, 0.5}, {0.7, 0.2},           {1.2, 0.02}, {1.8, 1.7}, {1.85, 0.6}};
    for_all_laws([&](const auto& law, const StrainLimit& limit, MembraneLaw) {
        for (const Vec2& s : stretches) {
            CAPTURE(s[0]);
            CAPTURE(s[1]);
            const Mat32 F = with_stretches(s, generator);
            const DerivativeCheck check = check_derivatives(
                [&](const VecX& f) { return membrane_energy_density(law, limit, unflat(f)); },
                [&](const VecX& f) { return flat(membrane_stress(law, limit, unflat(f))); },
                [&](const VecX& f) -> Eigen::MatrixXd { return expand(membrane_hessian(law, limit, unflat(f))); },
                flat(F), std::min(0.5 * s[1], 1.0));
            CHECK(check.gradient_error < 1e-8);
            CHECK(check.hessian_error < 1e-8);
            CHECK(check.hessian_asymmetry == 0.0);
        }
    });
}

TEST_CASE("membrane laws: St. Venant-Kirchhoff is smooth at a collapsed state") {
    constexpr unsigned seed = 62;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const auto law = MembraneSaintVenantKirchhoff<double>::from_lame(lame_parameters(youngs_modulus, poisson_ratio));
    for (const Vec2& s : {Vec2(1.2, 0), Vec2(0, 0)}) {
        const DerivativeCheck check = check_derivatives(
            [&](const VecX& f) { return membrane_energy_density(law, {}, unflat(f)); },
            [&](const VecX& f) { return flat(membrane_stress(law, {}, unflat(f))); },
            [&](const VecX& f) -> Eigen::MatrixXd { return expand(membrane_hessian(law, {}, unflat(f))); },
            flat(with_stretches(s, generator)));
        CHECK(check.gradient_error < 1e-8);
        CHECK(check.hessian_error < 1e-8);
    }
}

TEST_CASE("membrane laws: projection is the nearest positive semidefinite matrix") {
    constexpr unsigned seed = 63;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    std::uniform_real_distribution<double> uniform(0.2, 1.6);
    for_all_laws([&](const auto& law, const StrainLimit& limit, MembraneLaw) {
        int positive = 0, indefinite = 0;
        for (int k = 0; k < 200; ++k) {
            const Mat32 F = with_stretches(Vec2(uniform(generator), uniform(generator)), generator);
            MembraneHessian hessian = membrane_hessian(law, limit, F);
            const Mat6 exact = expand(hessian);
            project_psd(hessian);
            const Mat6 projected = expand(hessian);
            const Eigen::SelfAdjointEigenSolver<Mat6> eigen(exact);
            const Mat6 nearest = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).asDiagonal() *
                                 eigen.eigenvectors().transpose();
            CHECK((projected - nearest).norm() < 1e-12 * exact.norm());
            if (eigen.eigenvalues()[0] < 0.0) {
                ++indefinite;
            } else {
                ++positive;
                CHECK(projected == exact);
            }
        }
        CHECK(positive > 5);
        CHECK(indefinite > 5);
    });
}

TEST_CASE("membrane: kernels equal the dense product B^T (dP/dF) B") {
    constexpr unsigned seed = 65;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const SmallSheet sheet = irregular_sheet(3, 1.0, generator);
    for_all_laws([&](const auto& law, const StrainLimit& limit, MembraneLaw name) {
        const TriangleElements elements = elements_of(sheet, name, limit.stiffness > 0.0);
        const VecX x = mapped(stacked(sheet.rest), 0.9 * uniform_deformation) +
                       random_vector(3 * static_cast<Eigen::Index>(sheet.rest.size()), 0.06, generator);
        std::vector<double> energies;
        std::vector<Vec9> gradients;
        std::vector<Mat9> plain, projected;
        membrane_energies(elements, x, energies);
        membrane_gradients(elements, x, gradients);
        membrane_hessians(elements, x, false, plain);
        membrane_hessians(elements, x, true, projected);
        double sum = 0.0;
        for (std::size_t e = 0; e < elements.size(); ++e) {
            const double volume = elements.area[e] * elements.thickness[e];
            const Mat32 F = deformation_gradient(elements, e, x);
            const Eigen::MatrixXd B = gradient_operator(elements.rest_inverse[e]);
            const VecX g = volume * (B.transpose() * flat(membrane_stress(law, limit, F)));
            MembraneHessian hessian = membrane_hessian(law, limit, F);
            const Eigen::MatrixXd H = volume * (B.transpose() * (expand(hessian) * B));
            project_psd(hessian);
            const Eigen::MatrixXd H_projected = volume * (B.transpose() * (expand(hessian) * B));
            CHECK(energies[e] == relative(volume * membrane_energy_density(law, limit, F), 1e-13));
            CHECK((VecX(gradients[e]) - g).norm() < 1e-12 * g.norm());
            CHECK((Eigen::MatrixXd(plain[e]) - H).norm() < 1e-12 * H.norm());
            CHECK((Eigen::MatrixXd(projected[e]) - H_projected).norm() < 1e-12 * H.norm());
            CHECK(plain[e] == Mat9(plain[e].transpose()));
            CHECK(projected[e] == Mat9(projected[e].transpose()));
            CHECK(smallest_eigenvalue<9>(projected[e]) > -1e-12 * projected[e].norm());
            sum += energies[e];
        }
        CHECK(membrane_energy(elements, x) == relative(sum, 1e-13));
    });
}

TEST_CASE("membrane: whole-sheet energy, gradient and Hessian are consistent, curved rest shapes too") {
    constexpr unsigned seed = 66;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    for (const double size : {1e-3, 1.0, 1e3}) {
        SmallSheet sheet = irregular_sheet(2, size, generator);
        for (Vec3& position : sheet.rest) position.z() = 0.3 * std::sin(2.0 * position.x() / size) * size;
        const VecX rest = stacked(sheet.rest);
        for_all_laws([&](const auto&, const StrainLimit& limit, MembraneLaw name) {
            const TriangleElements elements = elements_of(sheet, name, limit.stiffness > 0.0);
            const VecX x = mapped(rest, uniform_deformation) + random_vector(rest.size(), 0.03 * size, generator);
            const DerivativeCheck check =
                check_derivatives([&](const VecX& y) { return membrane_energy(elements, y); },
                                  [&](const VecX& y) { return total_gradient(elements, y); },
                                  [&](const VecX& y) { return total_hessian(elements, y); }, x, 0.1 * size);
            CHECK(check.gradient_error < 1e-8);
            CHECK(check.hessian_error < 1e-8);
            CHECK(check.hessian_asymmetry == 0.0);
        });
    }
}
