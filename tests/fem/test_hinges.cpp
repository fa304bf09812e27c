// Hinges: their list, dihedral angle, energy by the angle, and the edges that are refused.
#include "stiction/math/derivative_check.hpp"
#include "stiction/math/psd.hpp"

#include "fem/bending_sheet.hpp"
#include "support/compare.hpp"
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <doctest/doctest.h>

#include <algorithm>

using namespace stiction;
using namespace stiction::test;
using namespace stiction::testing;

TEST_CASE("dihedral angle: value, sign and accuracy of a fold by a known angle") {
    // Turning the wing on the right of the edge about the edge's direction moves it down, away from the normal: a
    // ridge.
    for (const double angle : {0.0, 1e-12, 1e-7, 0.1, 1.0, pi / 2, 2.5, 3.1, -1e-12, -1e-7, -0.4, -pi / 2, -3.1}) {
        CAPTURE(angle);
        const std::vector<Vec3> x = folded_hinge(angle);
        const double computed = dihedral_angle(x[0], x[1], x[2], x[3]);
        const double rounding = 1e-15 + 1.6e-15 * std::abs(angle);
        CHECK(computed == within(angle, rounding));
        CHECK(dihedral_angle(x[1], x[0], x[3], x[2]) == within(computed, rounding));
        CHECK(dihedral_angle(x[1], x[0], x[2], x[3]) == within(-computed, rounding));
        CHECK(dihedral_angle(x[0], x[1], x[3], x[2]) == within(-computed, rounding));
    }
    const std::vector<Vec3> ridge = folded_hinge(0.5);
    const Vec3 normal = (ridge[1] - ridge[0]).cross(ridge[2] - ridge[0]);
    CHECK(normal.dot(ridge[3] - ridge[0]) < 0.0);
}

TEST_CASE("hinges: gradient and Hessian are the derivatives at random states") {
    constexpr unsigned seed = 81;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    int done = 0;
    for (const double size : {1e-3, 1.0, 1e3}) {
        for (int k = 0; k < 40; ++k) {
            const VecX rest = random_vector(12, size, generator), x = random_vector(12, size, generator);
            SmallSheet sheet;
            for (int v = 0; v < 4; ++v) sheet.rest.push_back(rest.segment<3>(3 * v));
            sheet.triangles = {{0, 1, 2}, {1, 0, 3}};
            const HingeBending elements = hinges_of(sheet);
            const HingeGeometry g = hinge_geometry(x.segment<3>(0), x.segment<3>(3), x.segment<3>(6), x.segment<3>(9));
            // Differences must neither cross the jump at pi nor meet a nearly collapsed triangle.
            const double height = 2 * std::min(g.area0, g.area1) / g.edge_length;
            if (std::abs(g.angle) > 3.0 || height < 0.2 * size || g.edge_length < 0.2 * size) continue;
            ++done;
            std::vector<Vec12> gradient;
            std::vector<Mat12> hessian;
            const DerivativeCheck check = check_derivatives([&](const VecX& y) { return hinge_energy(elements, y); },
                                                            [&](const VecX& y) -> VecX {
                                                                hinge_gradients(elements, y, gradient);
                                                                return gradient[0];
                                                            },
                                                            [&](const VecX& y) -> Eigen::MatrixXd {
                                                                hinge_hessians(elements, y, false, hessian);
                                                                return hessian[0];
                                                            },
                                                            x, 0.1 * size);
            CHECK(check.gradient_error < 1e-8);
            CHECK(check.hessian_error < 1e-8);
            CHECK(check.hessian_asymmetry == 0.0);
        }
    }
    CHECK(done > 40);
}

TEST_CASE("hinges: projected Hessians are the nearest positive semidefinite ones") {
    constexpr unsigned seed = 82;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const SmallSheet sheet = irregular_sheet(5, 1.0, generator);
    const HingeBending elements = hinges_of(sheet);
    const VecX x =
        stacked(sheet.rest) + random_vector(3 * static_cast<Eigen::Index>(sheet.rest.size()), 0.08, generator);
    std::vector<Mat12> plain, projected;
    hinge_hessians(elements, x, false, plain);
    hinge_hessians(elements, x, true, projected);
    int indefinite = 0;
    for (std::size_t h = 0; h < elements.size(); ++h) {
        const double size = plain[h].norm();
        Mat12 nearest = plain[h];
        if (smallest_eigenvalue<12>(nearest) < -1e-6 * size) ++indefinite;
        project_psd<12>(nearest);
        CHECK((projected[h] - nearest).norm() < 1e-12 * size);
        CHECK(smallest_eigenvalue<12>(projected[h]) > -1e-13 * size);
        CHECK(projected[h] == Mat12(projected[h].transpose()));
    }
    CHECK(indefinite > 20);
    // At rest the exact Hessian is positive semidefinite of rank one and the projection keeps it.
    hinge_hessians(elements, stacked(sheet.rest), false, plain);
    hinge_hessians(elements, stacked(sheet.rest), true, projected);
    for (std::size_t h = 0; h < elements.size(); ++h) {
        CHECK((projected[h] - plain[h]).norm() < 1e-14 * plain[h].norm());
        const Eigen::SelfAdjointEigenSolver<Mat12> eigen(plain[h]);
        CHECK(eigen.eigenvalues()[11] > 0.0);
        CHECK(std::abs(eigen.eigenvalues()[10]) < 1e-12 * eigen.eigenvalues()[11]);
    }
}

TEST_CASE("hinges: a curved rest shape is at zero, in any pose; flat rest angles pull it flat") {
    constexpr unsigned seed = 83;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    SmallSheet sheet = irregular_sheet(4, 1.0, generator);
    for (Vec3& p : sheet.rest) p.z() = 0.4 * std::sin(3.0 * p.x()) * std::cos(2.0 * p.y());
    const VecX rest = stacked(sheet.rest);
    const HingeBending elements = hinges_of(sheet);
    CHECK(hinge_energy(elements, rest) == 0.0);
    CHECK(total_gradient(elements, rest).norm() == 0.0);
    const Mat3 Q = Eigen::AngleAxisd(2.4, Vec3(1, -2, 0.7).normalized()).toRotationMatrix();
    CHECK(hinge_energy(elements, mapped(rest, Q, Vec3(1, 2, 3))) < 1e-26 * bending_stiffness);
    const HingeBending flat = hinges_of(sheet, RestAngles::flat);
    CHECK(hinge_energy(flat, rest) > 0.1 * bending_stiffness);
    VecX level = rest;
    for (Eigen::Index v = 0; v < level.size() / 3; ++v) level[3 * v + 2] = 0.0;
    CHECK(hinge_energy(flat, level) == 0.0);
    CHECK(hinge_energy(elements, level) > 0.1 * bending_stiffness);
}

TEST_CASE("find_hinges: every inner edge once, whatever the windings") {
    constexpr unsigned seed = 89;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    SmallSheet sheet = irregular_sheet(5, 1.0, generator);
    for (Vec3& p : sheet.rest) p.z() = 0.3 * p.x() * p.x();
    const std::vector<Tet> hinges = find_hinges(sheet.triangles);
    // Slow reference: all pairs of triangles with two common vertices.
    std::vector<Tet> expected;
    for (const Triangle& s : sheet.triangles) {
        for (const Triangle& t : sheet.triangles) {
            if (&s >= &t) continue;
            std::vector<Index> common, apex;
            for (const Index v : s) (std::count(t.begin(), t.end(), v) ? common : apex).push_back(v);
            for (const Index v : t) {
                if (!std::count(s.begin(), s.end(), v)) apex.push_back(v);
            }
            if (common.size() == 2) {
                expected.push_back({std::min(common[0], common[1]), std::max(common[0], common[1]), apex[0], apex[1]});
            }
        }
    }
    CHECK(hinges.size() == 3 * 50 / 2 - 20 / 2);  // (3 T - boundary edges) / 2
    std::vector<Tet> found = hinges;
    for (Tet& hinge : found) {
        if (hinge[0] > hinge[1]) std::swap(hinge[0], hinge[1]);
    }
    CHECK(std::is_sorted(found.begin(), found.end(), [](const Tet& a, const Tet& b) {
        return std::pair{a[0], a[1]} < std::pair{b[0], b[1]};
    }));
    std::sort(found.begin(), found.end());
    std::sort(expected.begin(), expected.end());
    CHECK(found == expected);
    for (const Tet& h : hinges) {  // the first triangle is wound x0 x1 x2
        const bool wound = std::any_of(sheet.triangles.begin(), sheet.triangles.end(), [&](const Triangle& t) {
            for (std::size_t c = 0; c < 3; ++c) {
                if (t[c] == h[0] && t[(c + 1) % 3] == h[1] && t[(c + 2) % 3] == h[2]) return true;
            }
            return false;
        });
        CHECK(wound);
    }
    SmallSheet turned = sheet;
    for (Triangle& t : turned.triangles) {
        if (generator() % 2 == 0) std::swap(t[0], t[1]);
    }
    const VecX x =
        stacked(sheet.rest) + random_vector(3 * static_cast<Eigen::Index>(sheet.rest.size()), 0.05, generator);
    CHECK(hinge_energy(hinges_of(turned), x) == relative(hinge_energy(hinges_of(sheet), x), 1e-12));
    CHECK(isometric_energy(isometric_of(turned), x) == relative(isometric_energy(isometric_of(sheet), x), 1e-12));
}

TEST_CASE("bending: edges of three triangles, repeated triangles and degenerate rest shapes are named") {
    const std::vector<Vec3> rest = {Vec3(0, 0, 0),  Vec3(1, 0, 0), Vec3(0, 1, 0),
                                    Vec3(0, -1, 0), Vec3(0, 0, 1), Vec3(2, 0, 0)};
    const auto message = [&](const std::vector<Triangle>& triangles, NonManifoldEdges non_manifold, double stiffness) {
        try {
            const std::vector<Tet> hinges = find_hinges(triangles, non_manifold, "shirt.obj");
            HingeBending hinge;
            append_hinges(hinge, rest, hinges, stiffness, RestAngles::as_given, 0, "shirt.obj");
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const std::vector<Triangle> fin = {{0, 1, 2}, {0, 3, 1}, {0, 1, 4}};
    CHECK(message(fin, NonManifoldEdges::refuse, 1.0).find("shirt.obj: edge (0, 1): 3 triangles (0, 1, 2)") == 0);
    CHECK(message(fin, NonManifoldEdges::pair_all, 1.0).empty());
    CHECK(find_hinges(fin, NonManifoldEdges::pair_all) == std::vector<Tet>{{0, 1, 2, 3}, {0, 1, 2, 4}, {1, 0, 3, 4}});
    CHECK(message({{0, 1, 2}, {1, 0, 2}}, NonManifoldEdges::refuse, 1.0).find("triangles 0 and 1") !=
          std::string::npos);
    CHECK(message({{0, 1, 2}, {1, 0, 5}}, NonManifoldEdges::refuse, 1.0).find("edge (0, 1): degenerate") !=
          std::string::npos);
    CHECK(message({{0, 1, 2}, {1, 0, 6}}, NonManifoldEdges::refuse, 1.0).find("vertex 6") != std::string::npos);
    CHECK(message({{0, 1, 2}, {1, 0, 3}}, NonManifoldEdges::refuse, 1.0).empty());
    for (const double stiffness : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
        CHECK(
            message({{0, 1, 2}, {1, 0, 3}}, NonManifoldEdges::refuse, stiffness).find("shirt.obj: bending stiffness") ==
            0);
    }
    IsometricBending isometric;
    CHECK_THROWS_AS(append_isometric_bending(isometric, rest, {{0, 1, 2, 3}}, 0.0), InputError);
    CHECK_THROWS_AS(append_isometric_bending(isometric, rest, {{0, 1, 2, 5}}, 1.0), InputError);
    CHECK(find_hinges({}).empty());
    CHECK(find_hinges({{0, 1, 2}}).empty());
    // A triangle that collapses later has no angle.
    HingeBending hinge;
    append_hinges(hinge, rest, {{0, 1, 2, 3}}, 1.0, RestAngles::as_given, 2);
    CHECK(hinge.vertices[0] == Tet{2, 3, 4, 5});
    VecX x = VecX::Zero(18);
    x.tail<12>() = stacked({rest[0], rest[1], rest[2], rest[5]});
    std::vector<double> energies;
    hinge_energies(hinge, x, energies);
    CHECK(energies[0] == std::numeric_limits<double>::infinity());
}
