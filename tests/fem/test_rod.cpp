#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/fem/sheet.hpp"
#include "stiction/math/derivative_check.hpp"

#include "fem/small_sheet.hpp"
#include "support/compare.hpp"
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <doctest/doctest.h>

#include <cstring>
#include <numbers>

using namespace stiction;
using namespace stiction::test;
using namespace stiction::testing;

namespace {

constexpr double EA = 30.0, EI = 0.7, area = 2e-4;  // N, N m^2, m^2

struct Rod {
    std::vector<Vec3> rest;
    std::vector<Edge> edges;

    SheetElements stretch() const {
        RodStretch elements;
        append_rod_edges(elements, rest, edges, EA, area);
        return elements;
    }
    SheetElements bending(RodRestShape shape = RodRestShape::as_given) const {
        RodBending elements;
        append_rod_corners(elements, rest, rod_corners(edges), EI, shape);
        return elements;
    }
};

/// A chain of n edges of different lengths on a helix.
Rod helix(int n) {
    Rod rod;
    for (int i = 0; i <= n; ++i) {
        const double s = 0.3 * i + 0.02 * std::sin(2.0 * i);
        rod.rest.emplace_back(0.5 * std::cos(s), 0.1 * s, 0.5 * std::sin(s));
        if (i > 0) rod.edges.push_back({i - 1, i});
    }
    return rod;
}

Rod straight_rod(int n, double length) {
    Rod rod;
    for (int i = 0; i <= n; ++i) {
        rod.rest.emplace_back(length * i / n, 0.0, 0.0);
        if (i > 0) rod.edges.push_back({i - 1, i});
    }
    return rod;
}

VecX gradient_of(const SheetElements& elements, const VecX& x) {
    std::vector<Vec12> local;
    sheet_gradients(elements, x, local);
    const std::vector<Tet> stencils = sheet_stencils(elements);
    VecX sum = VecX::Zero(x.size());
    for (std::size_t e = 0; e < stencils.size(); ++e) {
        for (std::size_t k = 0; k < 4 && stencils[e][k] >= 0; ++k)
            sum.segment<3>(3 * stencils[e][k]) += local[e].segment<3>(3 * static_cast<Eigen::Index>(k));
    }
    return sum;
}

Eigen::MatrixXd hessian_of(const SheetElements& elements, const VecX& x) {
    std::vector<Mat12> local;
    sheet_hessians(elements, x, false, local);
    const std::vector<Tet> stencils = sheet_stencils(elements);
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(x.size(), x.size());
    for (std::size_t e = 0; e < stencils.size(); ++e) {
        for (std::size_t i = 0; i < 4 && stencils[e][i] >= 0; ++i) {
            for (std::size_t j = 0; j < 4 && stencils[e][j] >= 0; ++j)
                sum.block<3, 3>(3 * stencils[e][i], 3 * stencils[e][j]) +=
                    local[e].block<3, 3>(3 * static_cast<Eigen::Index>(i), 3 * static_cast<Eigen::Index>(j));
        }
    }
    return sum;
}

DerivativeCheck checked(const SheetElements& elements, const VecX& x) {
    return check_derivatives([&](const VecX& y) { return sheet_energy(elements, y); },
                             [&](const VecX& y) { return gradient_of(elements, y); },
                             [&](const VecX& y) { return hessian_of(elements, y); }, x, 0.1);
}

Mat12 dense_clamp(const Mat12& matrix) {
    const Eigen::SelfAdjointEigenSolver<Mat12> solver(matrix);
    return solver.eigenvectors() * solver.eigenvalues().cwiseMax(0.0).asDiagonal() * solver.eigenvectors().transpose();
}

}  // namespace

TEST_CASE("rod: gradients and Hessians are the derivatives at random states") {
    constexpr unsigned seed = 91;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const Rod curved = helix(5);
    for (const double amplitude : {0.0, 0.01, 0.05, 0.2}) {
        CAPTURE(amplitude);
        const VecX rest = stacked(curved.rest);
        const VecX x = rest + random_vector(rest.size(), amplitude, generator);
        for (const SheetElements& elements :
             {curved.stretch(), curved.bending(), curved.bending(RodRestShape::straight)}) {
            CAPTURE(elements.index());
            const DerivativeCheck check = checked(elements, x);
            CHECK(check.gradient_error < 1e-8);
            CHECK(check.hessian_error < 1e-8);
            CHECK(check.hessian_asymmetry < 1e-15);
        }
    }
}

TEST_CASE("rod: derivatives of a straight rod where it is straight, and nearly so") {
    constexpr unsigned seed = 92;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const Rod rod = straight_rod(4, 0.5);
    const SheetElements bending = rod.bending();
    for (const double amplitude : {0.0, 1e-12, 1e-7, 1e-3}) {
        CAPTURE(amplitude);
        const Mat3 Q = Eigen::AngleAxisd(0.8, Vec3(0.3, -1, 0.7).normalized()).toRotationMatrix();
        const VecX x = mapped(stacked(rod.rest), Q, Vec3(0.1, 0.2, 0.3));
        const DerivativeCheck check = checked(bending, x + random_vector(x.size(), amplitude, generator));
        CHECK(check.gradient_error < 1e-8);
        CHECK(check.hessian_error < 1e-8);
    }
}

TEST_CASE("rod: projected Hessians are the nearest positive semidefinite ones") {
    constexpr unsigned seed = 93;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const Rod rod = helix(6);
    const VecX x =
        0.8 * stacked(rod.rest) + random_vector(3 * static_cast<Eigen::Index>(rod.rest.size()), 0.1, generator);
    for (const SheetElements& elements : {rod.stretch(), rod.bending(), rod.bending(RodRestShape::straight)}) {
        CAPTURE(elements.index());
        std::vector<Mat12> plain, projected;
        sheet_hessians(elements, x, false, plain);
        sheet_hessians(elements, x, true, projected);
        bool changed = false;
        for (std::size_t e = 0; e < plain.size(); ++e) {
            CHECK((projected[e] - dense_clamp(plain[e])).norm() < 1e-12 * plain[e].norm());
            CHECK(projected[e] == projected[e].transpose());
            changed = changed || (projected[e] - plain[e]).norm() > 1e-3 * plain[e].norm();
        }
        CHECK(changed);
    }
}

TEST_CASE(
    "rod: a curved rest shape is at zero in any pose, a straight one pulls it straight; no resultant, no torque") {
    constexpr unsigned seed = 94;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const Rod rod = helix(6);
    const Mat3 Q = Eigen::AngleAxisd(-1.9, Vec3(0.3, 1, 0.7).normalized()).toRotationMatrix();
    const VecX rest = stacked(rod.rest), turned = mapped(rest, Q, Vec3(1, 2, 3));
    CHECK(sheet_energy(rod.bending(), turned) < 1e-26 * EI);
    CHECK(sheet_energy(rod.stretch(), turned) < 1e-26 * EA);
    CHECK(sheet_energy(rod.bending(RodRestShape::straight), rest) > 0.5 * EI);
    const VecX x = rest + random_vector(rest.size(), 0.05, generator);
    for (const SheetElements& elements : {rod.stretch(), rod.bending()}) {
        const VecX g = gradient_of(elements, x);
        CHECK(sheet_energy(elements, mapped(x, Q, Vec3(1, 2, 3))) == relative(sheet_energy(elements, x), 1e-10));
        const auto [force, torque] = resultant(g, x);
        CHECK(force.norm() < 1e-12 * g.norm());
        CHECK(torque.norm() < 1e-12 * g.norm());
    }
}

TEST_CASE("rod: known energies") {
    // A polygon of n equal edges of length l around a circle of radius R: kappa = 2 tan(pi / n) at each corner.
    for (const int n : {3, 12, 60}) {
        CAPTURE(n);
        Rod ring;
        for (int i = 0; i < n; ++i) {
            const double angle = 2.0 * std::numbers::pi * i / n;
            ring.rest.emplace_back(std::cos(angle), std::sin(angle), 0.0);
            ring.edges.push_back({i, (i + 1) % n});
        }
        const SheetElements bending = ring.bending(RodRestShape::straight);
        const double kappa = 2.0 * std::tan(std::numbers::pi / n), l = 2.0 * std::sin(std::numbers::pi / n);
        CHECK(std::get<RodBending>(bending).size() == static_cast<std::size_t>(n));
        CHECK(sheet_energy(bending, stacked(ring.rest)) == relative(n * 0.5 * EI / l * kappa * kappa, 1e-12));
        // A circle stores pi EI / R.
        if (n == 60) CHECK(sheet_energy(bending, stacked(ring.rest)) == relative(std::numbers::pi * EI, 0.005));
    }
    const Rod rod = straight_rod(4, 2.0);
    const VecX stretched = 1.1 * stacked(rod.rest);
    CHECK(sheet_energy(rod.stretch(), stretched) == relative(0.5 * EA * 2.0 * 0.01, 1e-12));
    const Mat3 stress = cauchy_stress(std::get<RodStretch>(rod.stretch()), 2, stretched);
    CHECK(stress(0, 0) == relative(0.1 * EA / area, 1e-12));
    CHECK(stress.norm() == relative(0.1 * EA / area, 1e-12));
}

TEST_CASE("rod: an edge folded onto the other has an infinite energy; a curved rod that is straight has a finite one") {
    const Rod rod{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0)}, {{0, 1}, {1, 2}}};
    const SheetElements bending = rod.bending();
    CHECK(std::get<RodBending>(bending).rest_curvature[0] == relative(2.0, 1e-15));  // a right angle
    CHECK(std::isinf(sheet_energy(bending, stacked({Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 0, 0)}))));
    const VecX straight = stacked({Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(2, 0, 0)});
    CHECK(sheet_energy(bending, straight) == relative(0.5 * EI * 4.0, 1e-15));
    CHECK(gradient_of(bending, straight).isZero(0.0));
    CHECK(hessian_of(bending, straight) == hessian_of(rod.bending(RodRestShape::straight), straight));
}

TEST_CASE("rod_corners: vertices of two edges, in their order; junctions turn freely") {
    CHECK(rod_corners({{0, 1}, {2, 1}, {3, 2}}) == std::vector<Triangle>{{0, 1, 2}, {1, 2, 3}});
    CHECK(rod_corners({{0, 1}, {1, 2}, {0, 2}}) == std::vector<Triangle>{{1, 0, 2}, {0, 1, 2}, {0, 2, 1}});
    CHECK(rod_corners({{0, 1}, {0, 2}, {0, 3}, {3, 4}}) == std::vector<Triangle>{{0, 3, 4}});
}

TEST_CASE("rod: what makes no rod is refused") {
    const auto complaint = [](const Rod& rod, double stiffness) {
        try {
            RodStretch stretch;
            append_rod_edges(stretch, rod.rest, rod.edges, stiffness, area, 0, "wire");
            RodBending bending;
            append_rod_corners(bending, rod.rest, rod_corners(rod.edges), stiffness, RodRestShape::as_given, 0, "wire");
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const Rod folded{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 0, 0)}, {{0, 1}, {1, 2}}};
    const Rod short_edge{{Vec3(0, 0, 0), Vec3(0, 0, 0)}, {{0, 1}}};
    CHECK(complaint(folded, 1.0) ==
          "wire: edges (0, 1) and (1, 2): folded onto each other: expected two edges with an "
          "angle between them");
    CHECK(complaint(short_edge, 1.0) == "wire: edge 0 (0, 1): 0 m long: expected an edge with a length");
    CHECK(complaint(straight_rod(2, 1.0), 0.0) ==
          "wire: stretching stiffness: 0 N: expected a finite stretching stiffness > 0");
    CHECK(complaint(straight_rod(2, 1.0), 1.0).empty());
}

TEST_CASE("rod: same bits for any number of threads") {
    constexpr unsigned seed = 95;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    const Rod rod = helix(2000);
    const VecX x = stacked(rod.rest) + random_vector(3 * static_cast<Eigen::Index>(rod.rest.size()), 0.01, generator);
    for (const SheetElements& elements : {rod.stretch(), rod.bending()}) {
        std::vector<double> energies;
        std::vector<std::vector<Vec12>> gradients;
        std::vector<std::vector<Mat12>> hessians;
        for (const int threads : {1, 2, 5}) {
            set_thread_count(threads);
            energies.push_back(sheet_energy(elements, x));
            sheet_gradients(elements, x, gradients.emplace_back());
            sheet_hessians(elements, x, true, hessians.emplace_back());
        }
        set_thread_count(0);
        for (std::size_t k = 1; k < energies.size(); ++k) {
            CHECK(energies[k] == energies[0]);
            CHECK(std::memcmp(gradients[k].data(), gradients[0].data(), sizeof(Vec12) * gradients[0].size()) == 0);
            CHECK(std::memcmp(hessians[k].data(), hessians[0].data(), sizeof(Mat12) * hessians[0].size()) == 0);
        }
    }
}
