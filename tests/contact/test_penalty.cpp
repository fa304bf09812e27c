#include "stiction/base/error.hpp"
#include "stiction/collision/implicit_surface_value.hpp"
#include "stiction/contact/penalty.hpp"
#include "stiction/math/derivative_check.hpp"
#include "stiction/math/dual.hpp"
#include "stiction/mesh/generate.hpp"

#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>

using namespace stiction;
using namespace stiction::test;

TEST_CASE("penalty: value, force and curvature are derivatives of each other on both sides of the surface") {
    const double delta = 2e-3, kappa = 4e7;
    for (const double d : {-5e-2, -1e-3, 0.0, 1e-3, 1.9e-3, 3e-3}) {
        INFO("d ", d);
        const ScalarJet jet = penalty(d, delta, kappa);
        if (d < delta)
            CHECK(jet.value == relative(-kappa * std::pow(d - delta, 3), 1e-13));
        else
            CHECK(jet.value == 0.0);
        const DerivativeCheck check = check_derivatives(
            [&](const VecX& x) { return penalty(x[0], delta, kappa).value; },
            [&](const VecX& x) { return VecX::Constant(1, penalty(x[0], delta, kappa).first).eval(); },
            [&](const VecX& x) { return Eigen::MatrixXd::Constant(1, 1, penalty(x[0], delta, kappa).second).eval(); },
            VecX::Constant(1, d), delta);
        CHECK(check.gradient_error < 1e-8);
        CHECK(check.hessian_error < 1e-8);
        CHECK(jet.first <= 0.0);   // pushes apart
        CHECK(jet.second >= 0.0);  // convex
        CHECK(std::abs(penalty_force(d, delta, kappa) + jet.first) <= 1e-15 * std::abs(jet.first));
        const auto moving = penalty_force(Dual<double, 1>::variable(d), delta, kappa);
        CHECK(std::abs(moving.tangent[0] + jet.second) <= 1e-15 * std::abs(jet.second));
    }
}

TEST_CASE("penalty: joins zero with continuous second derivative at delta") {
    const double delta = 2e-3, kappa = 4e7;
    for (const double gap : {1e-3, 1e-6, 1e-9}) {
        const ScalarJet jet = penalty(delta * (1 - gap), delta, kappa);
        CHECK(jet.value == relative(kappa * std::pow(delta * gap, 3), 1e-6));
        CHECK(-jet.first == relative(3 * kappa * std::pow(delta * gap, 2), 1e-6));
        CHECK(jet.second == relative(6 * kappa * delta * gap, 1e-6));
    }
    const ScalarJet end = penalty(delta, delta, kappa);
    CHECK(end.value == 0.0);
    CHECK(end.first == 0.0);
    CHECK(end.second == 0.0);
    CHECK(penalty_force(delta, delta, kappa) == 0.0);
}

TEST_CASE("penalty: the bump makes the force that held at the deepest point act at half the tolerance") {
    const double delta = 3e-3, kappa = 1e6;
    for (const double deepest : {-1e-9, -1e-3, -2e-2}) {
        const double factor = penalty_bump(deepest, delta);
        CHECK(factor == relative(penalty(deepest, delta, kappa).first / penalty(delta / 2, delta, kappa).first, 1e-12));
        CHECK(penalty_force(delta / 2, delta, factor * kappa) == relative(penalty_force(deepest, delta, kappa), 1e-12));
        CHECK(factor > 4.0);
    }
    CHECK(penalty_bump(0.0, delta) == 1.0);
    CHECK(penalty_bump(1e-3, delta) == 1.0);
    CHECK(penalty_bump(std::numeric_limits<double>::infinity(), delta) == 1.0);
}

TEST_CASE("penalty: one repetition lifts a weight on a penalty floor out, at half the tolerance") {
    // m g = 3 kappa (delta - d)^2 at rest: far too soft a start, solved exactly, then bumped.
    const double delta = 1e-3, weight = 50.0;
    PenaltyStiffness stiffness(1e3, delta);
    const auto rest_gap = [&] { return delta - std::sqrt(weight / (3 * stiffness.kappa())); };
    REQUIRE(rest_gap() < 0.0);
    CHECK(stiffness.bump(rest_gap()));
    CHECK(rest_gap() == relative(delta / 2, 1e-12));
    CHECK_FALSE(stiffness.bump(rest_gap()));
}

TEST_CASE("penalty: the stiffness never falls while contacts are active") {
    const unsigned seed = 53;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> gaps(-2e-3, 4e-3);
    const double initial = 5e5, delta = 1e-3;
    PenaltyStiffness stiffness(initial, delta);
    int grown = 0, returned = 0;
    for (int step = 0; step < 200; ++step) {
        const double deepest = step % 7 == 6 ? std::numeric_limits<double>::infinity() : gaps(random),
                     before = stiffness.kappa();
        CHECK(stiffness.bump(deepest) == (deepest < 0.0));
        CHECK(stiffness.kappa() == before * penalty_bump(deepest, delta));
        grown += stiffness.kappa() > before;
        const double held = stiffness.kappa();
        stiffness.end_step(deepest < delta);
        if (deepest < delta) {
            CHECK(stiffness.kappa() == held);
        } else {
            CHECK(stiffness.kappa() == initial);
            ++returned;
        }
    }
    CHECK(grown > 20);
    CHECK(returned > 20);
    stiffness.restore(7e6);
    CHECK(stiffness.kappa() == 7e6);
    stiffness.restore(0.0);
    CHECK(stiffness.kappa() == initial);
    CHECK_THROWS_AS(PenaltyStiffness(0.0, delta), InputError);
    CHECK_THROWS_AS(PenaltyStiffness(initial, -1.0), InputError);
    CHECK_THROWS_AS(PenaltyStiffness(std::numeric_limits<double>::infinity(), delta), InputError);
}

TEST_CASE("penalty: energy of a vertex in an implicit surface passes the derivative checker; forces balance") {
    const double delta = 0.05, kappa = 1e4;
    const Mesh ball = generate_icosphere(0.5, 2);
    CollisionSurface surface;
    surface.triangles = ball.triangles;
    const auto query = static_cast<Index>(ball.vertices.size());
    surface.body_of_vertex.assign(ball.vertices.size(), 0);
    surface.body_of_vertex.push_back(1);
    const std::vector<Index> queries{query};
    int checked = 0;
    for (const double height : {-0.04, 0.01, 0.04, 0.06}) {
        VecX x(3 * (query + 1));
        for (std::size_t i = 0; i < ball.vertices.size(); ++i)
            x.segment<3>(3 * static_cast<Eigen::Index>(i)) = ball.vertices[i];
        x.segment<3>(3 * query) = (0.5 + height) * Vec3(0.3, 0.8, -0.4).normalized();
        std::vector<ImplicitSurfaceOptions> options(2);
        const ImplicitSurfaces surfaces = make_implicit_surfaces(surface, options, x);
        ImplicitSearch search;
        search.build(
            surfaces, queries, surface.body_of_vertex, [](Index, Index) { return true; }, x);
        const ImplicitStencils& stencils = search.find(x, 0.05);
        REQUIRE(stencils.size() == 1);
        const ImplicitStencil stencil = stencils[0];
        const auto n = 3 * static_cast<Eigen::Index>(stencil.vertices.size());
        const auto at = [&](const VecX& z) {
            VecX all = x;
            for (std::size_t k = 0; k < stencil.vertices.size(); ++k)
                all.segment<3>(3 * stencil.vertices[k]) = z.segment<3>(3 * static_cast<Eigen::Index>(k));
            ImplicitValue<double> value;
            evaluate_implicit(surfaces, stencil, all, value);
            return value;
        };
        const auto stacked = [&](const ImplicitValue<double>& value) {
            VecX g(n);
            for (Eigen::Index k = 0; k < n / 3; ++k) g.segment<3>(3 * k) = value.gradient[static_cast<std::size_t>(k)];
            return g;
        };
        const auto gradient = [&](const VecX& z) {
            const ImplicitValue<double> value = at(z);
            return VecX(-penalty_force(value.psi, delta, kappa) * stacked(value));
        };
        const auto hessian = [&](const VecX& z) {
            const ImplicitValue<double> value = at(z);
            Eigen::MatrixXd H;
            implicit_hessian(surfaces, stencil, value, H);
            penalty_hessian(penalty(value.psi, delta, kappa), stacked(value), H);
            return H;
        };
        VecX z(n);
        for (std::size_t k = 0; k < stencil.vertices.size(); ++k)
            z.segment<3>(3 * static_cast<Eigen::Index>(k)) = x.segment<3>(3 * stencil.vertices[k]);
        const DerivativeCheck check = check_derivatives(
            [&](const VecX& y) { return penalty(at(y).psi, delta, kappa).value; }, gradient, hessian, z, 0.01);
        CHECK(check.gradient_error < 1e-7);
        CHECK(check.hessian_error < 1e-6);
        CHECK(check.hessian_asymmetry < 1e-13);
        const VecX g = gradient(z);
        CHECK((at(z).psi < delta) == (height < 0.05));
        CHECK((g.norm() > 0.0) == (height < 0.05));
        Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
        for (Eigen::Index k = 0; k < n; k += 3) {
            force -= g.segment<3>(k);
            moment -= Vec3(z.segment<3>(k)).cross(Vec3(g.segment<3>(k)));
        }
        CHECK(force.norm() <= 1e-14 * g.cwiseAbs().sum());
        CHECK(moment.norm() <= 1e-14 * g.cwiseAbs().sum());
        // The vertex is pushed out.
        if (g.norm() > 0.0) CHECK(-g.head<3>().dot(z.head<3>()) > 0.0);
        ++checked;
    }
    CHECK(checked == 4);
}
