#include "stiction/base/parallel.hpp"

#include "fem/membrane_sheet.hpp"
#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <cstring>

using namespace stiction;
using namespace stiction::test;
using namespace stiction::testing;

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
