#include "stiction/base/parallel.hpp"
#include "stiction/fem/membrane.hpp"
#include "stiction/materials/membrane_isotropic.hpp"
#include "stiction/math/derivative_check.hpp"
#include "stiction/math/psd.hpp"

#include "fem/small_sheet.hpp"
#include "support/compare.hpp"
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <doctest/doctest.h>

#include <cstring>

using namespace stiction;
using namespace stiction::test;
using namespace stiction::testing;

namespace {

constexpr double youngs_modulus = 1e5, poisson_ratio = 0.35, sheet_thickness = 0.02;
const StrainLimit limit_for_tests{1.05, 1.9, 3e4};

SheetMaterial material_for_tests(bool limited = false) {
    return {lame_parameters(youngs_modulus, poisson_ratio), sheet_thickness, limited ? limit_for_tests : StrainLimit{}};
}

TriangleElements elements_of(const SmallSheet& sheet, MembraneLaw law, bool limited = false) {
    TriangleElements elements;
    elements.law = law;
    append_triangles(elements, sheet.rest, sheet.triangles, material_for_tests(limited));
    return elements;
}

VecX total_gradient(const TriangleElements& elements, const VecX& x) {
    std::vector<Vec9> local;
    membrane_gradients(elements, x, local);
    return summed(elements.vertices, local, x.size());
}

Eigen::MatrixXd total_hessian(const TriangleElements& elements, const VecX& x) {
    std::vector<Mat9> local;
    membrane_hessians(elements, x, false, local);
    return summed_matrix(elements.vertices, local, x.size());
}

Mat3 random_rotation(std::mt19937_64& generator) {
    const VecX q = random_vector(4, 1.0, generator);
    return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
}

Mat32 with_stretches(const Vec2& s, std::mt19937_64& generator) {
    const double angle = random_vector(1, 3.0, generator)[0];
    return random_rotation(generator).leftCols<2>() * s.asDiagonal() * Eigen::Rotation2Dd(angle).toRotationMatrix();
}

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

/// Calls body(law, limit, name) for every law with and without a strain limit.
template <class Body>
void for_all_laws(const Body& body) {
    for (const MembraneLaw name : all_membrane_laws) {
        for (const bool limited : {false, true}) {
            CAPTURE(membrane_law_name(name));
            CAPTURE(limited);
            visit_membrane_law(name, [&](auto type) {
                using Law = typename decltype(type)::type;
                body(Law::from_lame(lame_parameters(youngs_modulus, poisson_ratio)),
                     limited ? limit_for_tests : StrainLimit{}, name);
            });
        }
    }
}

/// In-plane strain and shear, out-of-plane tilt.
const Mat3 uniform_deformation = (Mat3() << 1.1, 0.2, -0.1, -0.15, 0.9, 0.05, 0.3, -0.2, 1.05).finished();

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

TEST_CASE("membrane laws: small strains give plane-stress elasticity") {
    constexpr unsigned seed = 64;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const LameParameters lame = lame_parameters(youngs_modulus, poisson_ratio);
    CHECK(plane_stress_lambda(lame) ==
          relative(youngs_modulus * poisson_ratio / (1 - poisson_ratio * poisson_ratio), 1e-14));
    Mat2 strain;
    strain << 3e-6, 1e-6, 1e-6, -2e-6;
    for_all_laws([&](const auto& law, const StrainLimit& limit, MembraneLaw name) {
        const double lambda = name == MembraneLaw::arap ? 0.0 : plane_stress_lambda(lame);
        const Mat32 frame = random_rotation(generator).leftCols<2>();
        const Mat32 F = frame * (Mat2::Identity() + strain);
        const Mat2 stress = 2 * lame.mu * strain + lambda * strain.trace() * Mat2::Identity();
        const double energy = 0.5 * (stress.cwiseProduct(strain)).sum();
        CHECK(membrane_energy_density(law, limit, F) == relative(energy, 1e-4));
        CHECK((membrane_stress(law, limit, F) - frame * stress).norm() < 1e-4 * stress.norm());
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

TEST_CASE("membrane patch test: an affine map has the exact energy and leaves interior nodes without force") {
    constexpr unsigned seed = 67;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const SmallSheet sheet = irregular_sheet(5, 0.4, generator);
    for_all_laws([&](const auto& law, const StrainLimit& limit, MembraneLaw name) {
        const TriangleElements elements = elements_of(sheet, name, limit.stiffness > 0.0);
        const VecX x = mapped(stacked(sheet.rest), uniform_deformation, Vec3(3, -2, 1));
        const Mat32 F = uniform_deformation.leftCols<2>();
        CHECK(membrane_energy(elements, x) ==
              relative(0.16 * sheet_thickness * membrane_energy_density(law, limit, F), 1e-12));
        const VecX g = total_gradient(elements, x);
        double interior = 0.0, boundary = 0.0;
        for (std::size_t v = 0; v < sheet.rest.size(); ++v) {
            double& largest = sheet.interior[v] ? interior : boundary;
            largest = std::max(largest, g.segment<3>(3 * static_cast<Eigen::Index>(v)).norm());
        }
        CHECK(interior < 1e-11 * boundary);
        CHECK(boundary > 1.0);
    });
}

TEST_CASE("membrane: a strip in uniaxial tension stores E t strain^2 / 2 per area and contracts by nu") {
    constexpr unsigned seed = 68;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const SmallSheet sheet = irregular_sheet(4, 1.0, generator);
    const VecX rest = stacked(sheet.rest);
    std::vector<Eigen::Index> free_entries;
    for (std::size_t v = 0; v < sheet.rest.size(); ++v) {
        const double along = sheet.rest[v].x();
        if (along > 1e-9 && along < 1 - 1e-9) free_entries.push_back(3 * static_cast<Eigen::Index>(v));
        if (v > 0) free_entries.push_back(3 * static_cast<Eigen::Index>(v) + 1);
    }
    const double strain = 1e-5;
    for (const MembraneLaw law : all_membrane_laws) {
        CAPTURE(membrane_law_name(law));
        const TriangleElements elements = elements_of(sheet, law);
        VecX x = mapped(rest, Vec3(1 + strain, 1, 1).asDiagonal().toDenseMatrix());
        for (int iteration = 0; iteration < 6; ++iteration) {
            const VecX g = total_gradient(elements, x)(free_entries);
            const Eigen::MatrixXd H = total_hessian(elements, x)(free_entries, free_entries);
            const VecX step = H.partialPivLu().solve(g);
            for (std::size_t k = 0; k < free_entries.size(); ++k)
                x[free_entries[k]] -= step[static_cast<Eigen::Index>(k)];
        }
        CHECK(total_gradient(elements, x)(free_entries).norm() < 1e-9 * youngs_modulus * sheet_thickness * strain);
        const bool is_arap = law == MembraneLaw::arap;  // no Poisson effect, stiffness 2 mu
        const double modulus = is_arap ? youngs_modulus / (1 + poisson_ratio) : youngs_modulus;
        CHECK(membrane_energy(elements, x) == relative(0.5 * modulus * sheet_thickness * strain * strain, 1e-4));
        const Mat32 F = deformation_gradient(elements, 7, x);
        const double contraction = 1.0 - F.row(1).norm();  // rest axes of a triangle may be turned in the plane
        CHECK(std::abs(contraction / strain - (is_arap ? 0.0 : poisson_ratio)) < 1e-4);
        const VecX across = x - rest;
        const double width_change = across[3 * 4 + 1] - across[1];  // vertex 4: (0, 1); vertex 0: the origin
        CHECK(std::abs(-width_change / strain - (is_arap ? 0.0 : poisson_ratio)) < 1e-4);
    }
}

TEST_CASE("membrane: rigid motion costs nothing; energy ignores the frame; no resultant, no torque") {
    constexpr unsigned seed = 69;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    SmallSheet sheet = irregular_sheet(3, 1.0, generator);
    for (Vec3& position : sheet.rest) position.z() = 0.2 * position.x() * position.y();
    const VecX rest = stacked(sheet.rest);
    const Mat3 Q = random_rotation(generator);
    const Vec3 shift(10, -4, 7);
    const double force_scale = youngs_modulus * sheet_thickness;
    for_all_laws([&](const auto&, const StrainLimit& limit, MembraneLaw name) {
        const TriangleElements elements = elements_of(sheet, name, limit.stiffness > 0.0);
        CHECK(membrane_energy(elements, rest) < 1e-25 * force_scale);
        CHECK(membrane_energy(elements, mapped(rest, Q, shift)) < 1e-25 * force_scale);
        CHECK(total_gradient(elements, mapped(rest, Q, shift)).norm() < 1e-12 * force_scale);

        const VecX x = rest + random_vector(rest.size(), 0.05, generator);
        const VecX g = total_gradient(elements, x), turned = mapped(x, Q, shift);
        CHECK(membrane_energy(elements, turned) == relative(membrane_energy(elements, x), 1e-11));
        CHECK((total_gradient(elements, turned) - mapped(g, Q)).norm() < 1e-11 * g.norm());
        const auto [force, torque] = resultant(g, x);
        CHECK(force.norm() < 1e-12 * g.norm());
        CHECK(torque.norm() < 1e-12 * g.norm());
    });
}

TEST_CASE("membrane: tension stiffens against motion out of the sheet, compression is projected away") {
    // One right triangle stretched by s in both directions: the out-of-plane Hessian is tension / stretch times the
    // scalar Laplacian.
    SmallSheet sheet;
    sheet.rest = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
    sheet.triangles = {{0, 1, 2}};
    const TriangleElements elements = elements_of(sheet, MembraneLaw::saint_venant_kirchhoff);
    const LameParameters lame = lame_parameters(youngs_modulus, poisson_ratio);
    for (const double s : {1.1, 0.9}) {
        const double green = 0.5 * (s * s - 1);
        const double tension = (2 * lame.mu + 2 * plane_stress_lambda(lame)) * green;  // g / s
        std::vector<Mat9> plain, projected;
        const VecX x = s * stacked(sheet.rest);
        membrane_hessians(elements, x, false, plain);
        membrane_hessians(elements, x, true, projected);
        const double expected = 0.5 * sheet_thickness * tension;
        CHECK(plain[0](5, 5) == relative(expected, 1e-12));
        CHECK(plain[0](2, 2) == relative(2 * expected, 1e-12));
        CHECK(std::abs(plain[0](5, 8)) < 1e-12 * std::abs(expected));
        CHECK(projected[0](5, 5) == within(std::max(expected, 0.0), 1e-12 * std::abs(expected)));
    }
}

TEST_CASE("membrane: collapse costs infinitely much under a barrier law and finitely under the others") {
    SmallSheet sheet;
    sheet.rest = {Vec3(0.1, 0, 0), Vec3(1, 0.3, 0), Vec3(0.2, 0.9, 0.4)};
    sheet.triangles = {{0, 1, 2}};
    const double infinity = std::numeric_limits<double>::infinity();
    const Vec3 direction(0.3, -0.5, 0.7);
    VecX line = stacked(sheet.rest), point = line;
    for (int v = 0; v < 3; ++v) line.segment<3>(3 * v) = (0.2 + 0.4 * v) * direction;
    for (int v = 0; v < 3; ++v) point.segment<3>(3 * v) = direction;
    for (const MembraneLaw law : all_membrane_laws) {
        CAPTURE(membrane_law_name(law));
        const TriangleElements elements = elements_of(sheet, law);
        for (const VecX& x : {line, point}) {
            std::vector<double> energies;
            membrane_energies(elements, x, energies);
            CHECK(is_collapsible(law) == std::isfinite(energies[0]));
            CHECK(is_collapsible(law) == std::isfinite(membrane_energy(elements, x)));
            if (!is_collapsible(law)) CHECK(energies[0] == infinity);
        }
    }
    CHECK_FALSE(is_collapsible(MembraneLaw::neo_hookean));
    const auto law = MembraneNeoHookean<double>::from_lame(lame_parameters(youngs_modulus, poisson_ratio));
    double last = 0.0;
    for (const double s : {1.0, 1e-1, 1e-2, 1e-4, 1e-8, 1e-12}) {
        const double energy = law.value(Vec2(1.0, s));
        CHECK(energy >= last);
        last = energy;
    }
    CHECK(last > 300 * youngs_modulus * 0.1);
}

TEST_CASE("strain limit: nothing below its start, infinite from the limit on, smooth between") {
    const StrainLimit& limit = limit_for_tests;
    CHECK_FALSE(StrainLimit{}.active(Vec2(1e9, 1)));
    CHECK_FALSE(limit.active(Vec2(1.05, 1.0)));
    CHECK(limit.value(Vec2(1.05, 0.3)) == 0.0);
    CHECK(limit.gradient(Vec2(1.05, 0.3)) == Vec2(0, 0));
    CHECK(limit.value(Vec2(1.9, 1.0)) == std::numeric_limits<double>::infinity());
    CHECK(limit.value(Vec2(2.5, 1.0)) == std::numeric_limits<double>::infinity());
    CHECK(std::isfinite(limit.value(Vec2(1.899999, 1.0))));
    const double y = (1.5 - 1.05) / (1.9 - 1.05);
    CHECK(limit.value(Vec2(1.5, 1.0)) == relative(-3e4 * y * y * std::log(1 - y), 1e-14));
    // Second derivatives start from zero.
    CHECK(limit.hessian(Vec2(1.05 + 1e-6, 1.0)).norm() < 1e-5 * limit.hessian(Vec2(1.5, 1.0)).norm() * 10);

    // Straight ways between admissible states stay admissible: the largest stretch is convex in F.
    constexpr unsigned seed = 70;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    std::uniform_real_distribution<double> uniform(0.05, 1.89);
    const auto law = MembraneSaintVenantKirchhoff<double>::from_lame(lame_parameters(youngs_modulus, poisson_ratio));
    for (int k = 0; k < 100; ++k) {
        const Mat32 A = with_stretches(Vec2(uniform(generator), uniform(generator)), generator);
        const Mat32 B = with_stretches(Vec2(uniform(generator), uniform(generator)), generator);
        for (const double t : {0.0, 0.3, 0.5, 0.8, 1.0}) {
            CHECK(std::isfinite(membrane_energy_density(law, limit, Mat32((1 - t) * A + t * B))));
        }
    }
}

TEST_CASE("sheets: areal quantities, lumped mass, several bodies") {
    constexpr unsigned seed = 71;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const SmallSheet sheet = irregular_sheet(3, 2.0, generator);
    TriangleElements elements;
    append_triangles(elements, sheet.rest, sheet.triangles, material_for_tests());
    const Index count = static_cast<Index>(sheet.rest.size());
    SheetMaterial other = material_for_tests(true);
    other.thickness = 0.001;
    append_triangles(elements, sheet.rest, sheet.triangles, other, count);
    REQUIRE(elements.size() == 2 * sheet.triangles.size());
    CHECK(elements.vertices.back()[2] == sheet.triangles.back()[2] + count);
    CHECK(elements.thickness.front() == sheet_thickness);
    CHECK(elements.thickness.back() == 0.001);
    CHECK(elements.strain_limit.front().stiffness == 0.0);
    CHECK(elements.strain_limit.back().limit == 1.9);

    std::vector<double> density(elements.size(), areal_density(500.0, sheet_thickness));  // 10 kg/m^2
    std::vector<double> mass(2 * sheet.rest.size() + 1, 0.0);
    add_lumped_mass(elements, density, mass);
    double total = 0.0;
    for (const double m : mass) total += m;
    CHECK(total == relative(2 * 4.0 * 10.0, 1e-13));
    CHECK(mass.back() == 0.0);
    double corner = 0.0;
    for (std::size_t e = 0; e < sheet.triangles.size(); ++e) {
        for (const Index v : sheet.triangles[e]) corner += v == 0 ? 10.0 * elements.area[e] / 3.0 : 0.0;
    }
    CHECK(mass[0] == relative(corner, 1e-13));

    CHECK(flexural_rigidity(1e5, 0.3, 0.02) == relative(1e5 * 8e-6 / (12 * 0.91), 1e-14));
}

TEST_CASE("append_triangles: rest shape keeps lengths; bad input is named") {
    std::vector<Vec3> rest = {Vec3(0, 0, 0), Vec3(1, 0, 2), Vec3(0.3, 1, 0), Vec3(0.5, 0, 1), Vec3(2, 0, 4)};
    const auto message = [](const std::vector<Vec3>& positions, const Triangle& triangle,
                            const SheetMaterial& material) {
        TriangleElements elements;
        try {
            append_triangles(elements, positions, {{0, 1, 2}, triangle}, material, 0, "shirt.obj");
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const SheetMaterial good = material_for_tests();
    CHECK(message(rest, {2, 1, 0}, good).empty());
    CHECK(message(rest, {0, 1, 3}, good).find("shirt.obj: triangle 1: degenerate") == 0);
    CHECK(message(rest, {0, 1, 4}, good).find("triangle 1: degenerate") != std::string::npos);
    CHECK(message(rest, {0, 1, 1}, good).find("triangle 1: degenerate") != std::string::npos);
    CHECK(message(rest, {0, 1, 5}, good).find("vertex 5") != std::string::npos);
    CHECK(message(rest, {0, -1, 2}, good).find("vertex -1") != std::string::npos);
    std::vector<Vec3> tiny = rest, broken = rest;
    for (Vec3& position : tiny) position *= 1e-7;
    CHECK(message(tiny, {2, 1, 0}, good).empty());
    broken[4].x() = std::numeric_limits<double>::quiet_NaN();
    CHECK(message(broken, {0, 4, 2}, good).find("triangle 1") != std::string::npos);
    for (const double thickness : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
        SheetMaterial material = good;
        material.thickness = thickness;
        CHECK(message(rest, {2, 1, 0}, material).find("shirt.obj: thickness") == 0);
    }
    for (const StrainLimit& limit : {StrainLimit{0.9, 1.2, 1}, StrainLimit{1.3, 1.2, 1}, StrainLimit{1.1, 1.2, -1},
                                     StrainLimit{1.1, std::numeric_limits<double>::infinity(), 1}}) {
        SheetMaterial material = good;
        material.strain_limit = limit;
        CHECK(message(rest, {2, 1, 0}, material).find("shirt.obj: strain limit") == 0);
    }
    TriangleElements elements;
    append_triangles(elements, rest, {{0, 1, 2}}, good);
    const Mat32 F = deformation_gradient(elements, 0, stacked(rest));
    CHECK((F.transpose() * F - Mat2::Identity()).norm() < 1e-14);
    CHECK(elements.area[0] == relative(0.5 * (rest[1] - rest[0]).cross(rest[2] - rest[0]).norm(), 1e-13));
    CHECK((principal_stretches(elements, 0, VecX(3.0 * stacked(rest))) - Vec2(3, 3)).norm() < 1e-13);
}

TEST_CASE("membrane laws: names and moduli") {
    for (const MembraneLaw law : all_membrane_laws) CHECK(membrane_law_from_name(membrane_law_name(law)) == law);
    CHECK_FALSE(membrane_law_from_name("stable_neo_hookean").has_value());
    CHECK(membrane_law_names().size() == all_membrane_laws.size());
    CHECK_FALSE(check_membrane_moduli(MembraneLaw::neo_hookean, 1e5, 0.3).has_value());
    CHECK(check_membrane_moduli(MembraneLaw::neo_hookean, 1e5, -0.1)->parameter == "nu");
    CHECK_FALSE(check_membrane_moduli(MembraneLaw::saint_venant_kirchhoff, 1e5, -0.1).has_value());
    CHECK(check_membrane_moduli(MembraneLaw::arap, -1.0, 0.1)->parameter == "E");
}

TEST_CASE("membrane: same bits for any number of threads") {
    constexpr unsigned seed = 72;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const SmallSheet sheet = irregular_sheet(30, 1.0, generator);
    const TriangleElements elements = elements_of(sheet, MembraneLaw::neo_hookean, true);
    const VecX x =
        stacked(sheet.rest) + random_vector(3 * static_cast<Eigen::Index>(sheet.rest.size()), 0.005, generator);
    std::vector<std::vector<Vec9>> gradients;
    std::vector<std::vector<Mat9>> hessians;
    std::vector<double> energies;
    for (const int threads : {1, 2, 5}) {
        set_thread_count(threads);
        energies.push_back(membrane_energy(elements, x));
        membrane_gradients(elements, x, gradients.emplace_back());
        membrane_hessians(elements, x, true, hessians.emplace_back());
    }
    set_thread_count(0);
    CHECK(std::isfinite(energies[0]));
    for (std::size_t k = 1; k < energies.size(); ++k) {
        CHECK(energies[0] == energies[k]);
        CHECK(std::memcmp(gradients[0].data(), gradients[k].data(), sizeof(Vec9) * elements.size()) == 0);
        CHECK(std::memcmp(hessians[0].data(), hessians[k].data(), sizeof(Mat9) * elements.size()) == 0);
    }
}
