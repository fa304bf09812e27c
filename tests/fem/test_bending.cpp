#include "stiction/base/parallel.hpp"
#include "stiction/fem/quadratic_elements.hpp"
#include "stiction/math/derivative_check.hpp"
#include "stiction/math/psd.hpp"
#include "stiction/mesh/generate.hpp"

#include "fem/bending_sheet.hpp"
#include "support/compare.hpp"
#include <Eigen/Geometry>
#include <doctest/doctest.h>

#include <cstring>

using namespace stiction;
using namespace stiction::test;
using namespace stiction::testing;

TEST_CASE("bending: energies ignore the frame; no resultant, no torque") {
    constexpr unsigned seed = 84;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const SmallSheet sheet = irregular_sheet(4, 1.0, generator);
    const VecX rest = stacked(sheet.rest);
    const VecX x = rest + random_vector(rest.size(), 0.06, generator);
    const Mat3 Q = Eigen::AngleAxisd(-1.9, Vec3(0.3, 1, 0.7).normalized()).toRotationMatrix();
    const VecX turned = mapped(x, Q, Vec3(10, -4, 7));
    const HingeBending hinge = hinges_of(sheet);
    const IsometricBending isometric = isometric_of(sheet);
    CHECK(hinge_energy(hinge, turned) == relative(hinge_energy(hinge, x), 1e-11));
    CHECK(isometric_energy(isometric, turned) == relative(isometric_energy(isometric, x), 1e-11));
    for (const auto& [g, g_turned] : {std::pair{total_gradient(hinge, x), total_gradient(hinge, turned)},
                                      std::pair{total_gradient(isometric, x), total_gradient(isometric, turned)}}) {
        CHECK((g_turned - mapped(g, Q)).norm() < 1e-11 * g.norm());
        const auto [force, torque] = resultant(g, x);
        CHECK(force.norm() < 1e-12 * g.norm());
        CHECK(torque.norm() < 1e-12 * g.norm());
    }
}

TEST_CASE("bending: a flat sheet stays free of bending under affine maps of its plane") {
    constexpr unsigned seed = 85;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const SmallSheet sheet = irregular_sheet(4, 1.0, generator);
    const Mat3 A = (Mat3() << 1.3, 0.4, 0.1, -0.2, 0.8, 0.3, 0.5, 0.1, 0.9).finished();
    const VecX x = mapped(stacked(sheet.rest), A, Vec3(3, -1, 2));
    CHECK(hinge_energy(hinges_of(sheet), x) < 1e-26 * bending_stiffness);
    CHECK(isometric_energy(isometric_of(sheet), x) < 1e-26 * bending_stiffness);
    CHECK(total_gradient(hinges_of(sheet), x).norm() < 1e-11 * bending_stiffness);
    CHECK(total_gradient(isometric_of(sheet), x).norm() < 1e-11 * bending_stiffness);
}

TEST_CASE("bending: a sheet rolled up stores k_b / (2 R^2) per area, in every direction of equilateral triangles") {
    const double radius = 1.0;
    for (const double direction : {0.0, 0.3, pi / 6, 1.1}) {
        CAPTURE(direction);
        std::vector<double> hinge_errors, isometric_errors;
        for (const int n : {8, 16, 32}) {
            const SmallSheet sheet = equilateral_sheet(n, n, 1.0 / n);
            VecX rolled(3 * static_cast<Eigen::Index>(sheet.rest.size()));
            for (std::size_t v = 0; v < sheet.rest.size(); ++v) {
                const Vec3 p = Eigen::AngleAxisd(direction, Vec3::UnitZ()) * sheet.rest[v];
                rolled.segment<3>(3 * static_cast<Eigen::Index>(v)) =
                    Vec3(radius * std::sin(p.x() / radius), p.y(), radius * std::cos(p.x() / radius));
            }
            const double exact = 0.5 * bending_stiffness / (radius * radius) * 0.5 * std::sqrt(3.0);
            hinge_errors.push_back(hinge_energy(hinges_of(sheet), rolled) / exact - 1);
            isometric_errors.push_back(isometric_energy(isometric_of(sheet), rolled) / exact - 1);
        }
        for (const std::vector<double>& errors : {hinge_errors, isometric_errors}) {
            CHECK(std::abs(errors[2]) < 0.05);
            CHECK(errors[0] / errors[1] == relative(2.0, 0.1));  // first order: the margin has no hinges
            CHECK(errors[1] / errors[2] == relative(2.0, 0.05));
            CHECK(std::abs(2 * errors[2] - errors[1]) < 2e-3);  // extrapolated
        }
    }
}

TEST_CASE("bending: equilateral triangles are a plate with Poisson's ratio -1/3") {
    constexpr unsigned seed = 86;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const double edge = 0.01;
    const SmallSheet sheet = equilateral_sheet(6, 6, edge);
    const std::vector<Tet> hinges = find_hinges(sheet.triangles);
    for (int k = 0; k < 10; ++k) {
        const VecX entries = random_vector(3, 0.05, generator);
        Mat2 curvature;  // of the surface z = 1/2 p^T curvature p, gently sloped
        curvature << entries[0], entries[1], entries[1], entries[2];
        VecX x = stacked(sheet.rest);
        for (Eigen::Index v = 0; v < x.size() / 3; ++v) {
            const Vec2 p = x.segment<2>(3 * v);
            x[3 * v + 2] = 0.5 * p.dot(curvature * p);
        }
        std::vector<double> hinge, isometric;
        hinge_energies(hinges_of(sheet), x, hinge);
        isometric_energies(isometric_of(sheet), x, isometric);
        // The mean energy of the hinges of each of the three directions; a vertex has one of each.
        double hinge_density = 0.0, isometric_density = 0.0;
        for (const Index step : {1, 6, 7}) {
            double hinge_sum = 0.0, isometric_sum = 0.0;
            int count = 0;
            for (std::size_t h = 0; h < hinges.size(); ++h) {
                if (std::abs(hinges[h][1] - hinges[h][0]) != step) continue;
                hinge_sum += hinge[h];
                isometric_sum += isometric[h];
                ++count;
            }
            REQUIRE(count > 20);
            hinge_density += hinge_sum / count / (0.5 * std::sqrt(3.0) * edge * edge);
            isometric_density += isometric_sum / count / (0.5 * std::sqrt(3.0) * edge * edge);
        }
        const double plate =
            0.5 * bending_stiffness * (curvature.trace() * curvature.trace() - 8.0 / 3.0 * curvature.determinant());
        CHECK(hinge_density == relative(plate, 1e-4));
        CHECK(isometric_density == relative(plate, 1e-4));
    }
}

TEST_CASE("bending: right-angled triangles are stiffer in some directions, as the manual says") {
    const int n = 40;
    SmallSheet uniform = equilateral_sheet(n, n, 1.0);  // sheared: squares whose diagonals run from (1, 0) to (0, 1)
    for (int v = 0; v < (n + 1) * (n + 1); ++v) {
        uniform.rest[static_cast<std::size_t>(v)] = Vec3(v % (n + 1), v / (n + 1), 0) / n;
    }
    const Mesh cloth = generate_cloth(1.0, 1.0, n, n);
    const SmallSheet alternating{cloth.vertices, cloth.triangles, {}};
    const double amplitude = 1e-3;  // curvature
    const auto factor = [&](const SmallSheet& sheet, const Vec3& direction, const Vec3& normal) {
        VecX x = stacked(sheet.rest);
        for (Eigen::Index v = 0; v < x.size() / 3; ++v) {
            const double along = direction.dot(x.segment<3>(3 * v));
            x.segment<3>(3 * v) += 0.5 * amplitude * along * along * normal;
        }
        const double plate = 0.5 * bending_stiffness * amplitude * amplitude;
        const double by_angle = hinge_energy(hinges_of(sheet), x) / plate;
        CHECK(isometric_energy(isometric_of(sheet), x) / plate == relative(by_angle, 1e-5));
        return by_angle;
    };
    for (const double phi : {0.0, 0.3, pi / 4, 1.2, pi / 2, 2.0, 3 * pi / 4}) {
        CAPTURE(phi);
        const double c = std::cos(phi), s = std::sin(phi), sin2 = std::sin(2 * phi);
        CHECK(std::abs(factor(uniform, Vec3(c, s, 0), Vec3::UnitZ()) - (1 - sin2 + sin2 * sin2)) < 0.1);
        CHECK(std::abs(factor(alternating, Vec3(c, 0, s), Vec3::UnitY()) - (1 + 0.5 * sin2 * sin2)) < 0.06);
    }
}

TEST_CASE("isometric bending: cotangent formula, quadratic form, relation to the hinge angle") {
    constexpr unsigned seed = 87;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    SmallSheet sheet = irregular_sheet(4, 1.0, generator);
    for (Vec3& p : sheet.rest) p.z() = 0.3 * std::sin(3.0 * p.x() + p.y());  // only lengths and angles count
    const IsometricBending elements = isometric_of(sheet);
    const auto cotangent = [&](Index at, Index to, Index other) {
        const Vec3 a = sheet.rest[static_cast<std::size_t>(to)] - sheet.rest[static_cast<std::size_t>(at)];
        const Vec3 b = sheet.rest[static_cast<std::size_t>(other)] - sheet.rest[static_cast<std::size_t>(at)];
        return a.dot(b) / a.cross(b).norm();
    };
    const VecX x =
        stacked(sheet.rest) + random_vector(3 * static_cast<Eigen::Index>(sheet.rest.size()), 0.3, generator);
    std::vector<double> energies;
    std::vector<Vec12> gradients, quadratic_gradients;
    std::vector<Mat12> hessians;
    isometric_energies(elements, x, energies);
    isometric_gradients(elements, x, gradients);
    isometric_hessians(elements, hessians);
    const QuadraticElements quadratic{elements.vertices, hessians};
    std::vector<double> quadratic_energies;
    quadratic.energies(x, quadratic_energies);
    quadratic.gradients(x, quadratic_gradients);
    for (std::size_t h = 0; h < elements.size(); ++h) {
        const auto [a, b, c, d] = elements.vertices[h];
        const double a0 = cotangent(a, b, c), b0 = cotangent(b, a, c), a1 = cotangent(a, b, d), b1 = cotangent(b, a, d);
        const Eigen::Vector4d K(-b0 - b1, -a0 - a1, a0 + b0, a1 + b1);
        CHECK((elements.coefficients[h] - K).norm() < 1e-12 * K.norm());
        CHECK(std::abs(elements.coefficients[h].sum()) < 1e-14 * K.norm());
        CHECK(energies[h] == relative(quadratic_energies[h], 1e-12));
        CHECK((gradients[h] - quadratic_gradients[h]).norm() < 1e-12 * (gradients[h].norm() + hessians[h].norm()));
        CHECK(smallest_eigenvalue<12>(hessians[h]) > -1e-13 * hessians[h].norm());
    }
    CHECK(isometric_energy(elements, x) == relative(quadratic.energy(x), 1e-12));

    const std::vector<Vec3> open = folded_hinge(0.0);
    const std::vector<Tet> hinge = {{0, 1, 2, 3}};
    IsometricBending isometric;
    HingeBending angular;
    append_isometric_bending(isometric, open, hinge, bending_stiffness);
    append_hinges(angular, open, hinge, bending_stiffness);
    for (const double angle : {-2.0, -0.3, 1e-5, 1.0, 3.0}) {
        const VecX folded = stacked(folded_hinge(angle));
        const double chord = 2 * std::sin(0.5 * angle);
        CHECK(hinge_energy(angular, folded) == relative(0.5 * angular.stiffness[0] * angle * angle, 1e-9));
        CHECK(isometric_energy(isometric, folded) == relative(0.5 * angular.stiffness[0] * chord * chord, 1e-9));
    }
    const HingeGeometry g = hinge_geometry(open[0], open[1], open[2], open[3]);
    CHECK(angular.stiffness[0] ==
          relative(bending_stiffness * g.edge_length * g.edge_length / (g.area0 + g.area1), 1e-13));
}

TEST_CASE("isometric bending: derivative check, and no loss of digits far from the origin") {
    constexpr unsigned seed = 88;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const SmallSheet sheet = irregular_sheet(2, 1.0, generator);
    const IsometricBending elements = isometric_of(sheet);
    const VecX x =
        stacked(sheet.rest) + random_vector(3 * static_cast<Eigen::Index>(sheet.rest.size()), 0.2, generator);
    const DerivativeCheck check = check_derivatives([&](const VecX& y) { return isometric_energy(elements, y); },
                                                    [&](const VecX& y) { return total_gradient(elements, y); },
                                                    [&](const VecX& y) -> Eigen::MatrixXd {
                                                        std::vector<Mat12> local;
                                                        isometric_hessians(elements, local);
                                                        return summed_matrix(elements.vertices, local, y.size());
                                                    },
                                                    x);
    CHECK(check.gradient_error < 1e-8);
    CHECK(check.hessian_error < 1e-8);
    CHECK(check.hessian_asymmetry == 0.0);
    CHECK(isometric_energy(elements, mapped(stacked(sheet.rest), Mat3::Identity(), Vec3(64, -128, 256))) <
          1e-24 * bending_stiffness);
}

TEST_CASE("bending: same bits for any number of threads") {
    constexpr unsigned seed = 90;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const SmallSheet sheet = irregular_sheet(25, 1.0, generator);
    const HingeBending hinge = hinges_of(sheet);
    const IsometricBending isometric = isometric_of(sheet);
    const VecX x =
        stacked(sheet.rest) + random_vector(3 * static_cast<Eigen::Index>(sheet.rest.size()), 0.01, generator);
    std::vector<std::vector<Vec12>> gradients;
    std::vector<std::vector<Mat12>> hessians;
    std::vector<double> energies;
    for (const int threads : {1, 2, 5}) {
        set_thread_count(threads);
        energies.push_back(hinge_energy(hinge, x));
        energies.push_back(isometric_energy(isometric, x));
        hinge_gradients(hinge, x, gradients.emplace_back());
        isometric_gradients(isometric, x, gradients.emplace_back());
        hinge_hessians(hinge, x, true, hessians.emplace_back());
        isometric_hessians(isometric, hessians.emplace_back());
    }
    set_thread_count(0);
    for (std::size_t k = 2; k < energies.size(); ++k) {
        CHECK(energies[k % 2] == energies[k]);
        CHECK(std::memcmp(gradients[k % 2].data(), gradients[k].data(), sizeof(Vec12) * hinge.size()) == 0);
        CHECK(std::memcmp(hessians[k % 2].data(), hessians[k].data(), sizeof(Mat12) * hinge.size()) == 0);
    }
}
