#include "stiction/base/error.hpp"
#include "stiction/math/derivative_check.hpp"
#include "stiction/mesh/generate.hpp"

#include "collision/implicit_scene.hpp"
#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace stiction;
using namespace stiction::test;
using namespace stiction::implicit_testing;

namespace {

/// A sheet of 1 m x 1 m whose vertices are shaken in the plane y = 0.
Mesh shaken_plane(std::mt19937& random) {
    Mesh plane = generate_cloth(1.0, 1.0, 10, 10);
    for (Vec3& vertex : plane.vertices) vertex += random_vector(random, 0.02).cwiseProduct(Vec3(1, 0, 1));
    return plane;
}

}  // namespace

TEST_CASE("implicit surface: the weight function, its derivatives and its end at R") {
    const ImplicitKernel kernel{0.3, 0.05};
    const auto log_weight = [&](double s) { return std::log(implicit_weight(s, kernel).weight); };
    for (const double s : {0.01, 0.2, 0.5, 0.9, 0.99}) {
        const ImplicitWeight<double> weight = implicit_weight(s, kernel);
        CHECK(weight.weight == relative(0.05 * (2 * s * s * s - 3 * s * s + 1) / (0.05 + s * s), 1e-12));
        // d ln w / dr = slope r and d slope / dr = bend r, with r = s R.
        const double h = 1e-5 * std::min(s, 1 - s), r = s * kernel.radius;
        CHECK((log_weight(s + h) - log_weight(s - h)) / (2 * h * kernel.radius) == relative(weight.slope * r, 1e-7));
        CHECK((implicit_weight(s + h, kernel).slope - implicit_weight(s - h, kernel).slope) / (2 * h * kernel.radius) ==
              relative(implicit_weight_bend(s, kernel) * r, 1e-6));
    }
    CHECK(implicit_weight(0.0, kernel).weight == 1.0);
    // Value and slope vanish at R as (1 - s)^2 and 1 - s, without cancellation.
    for (const double gap : {1e-3, 1e-6, 1e-9, 1e-12}) {
        const double s = 1 - gap, exact_gap = 1 - s;
        const ImplicitWeight<double> weight = implicit_weight(s, kernel);
        CHECK(weight.weight == relative(0.05 * exact_gap * exact_gap * (3 - 2 * exact_gap) / (0.05 + s * s), 1e-13));
        CHECK(std::abs(weight.weight * weight.slope * s * kernel.radius) < 3 * exact_gap);
    }
}

TEST_CASE("implicit surface: a plane of triangles gives the exact signed distance") {
    const unsigned seed = 11;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    for (const double smoothing : {1e-3, 0.1, 1.0}) {
        std::vector<Vec3> points;
        for (int i = 0; i < 100; ++i) points.push_back(random_vector(random, 0.3).cwiseProduct(Vec3(1, 0.2, 1)));
        ImplicitSurfaceOptions options;
        options.smoothing = smoothing;
        ImplicitScene scene(shaken_plane(random), points, options);
        const ImplicitStencils& stencils = scene.search.find(scene.x);
        REQUIRE(stencils.size() == points.size());
        for (std::size_t i = 0; i < stencils.size(); ++i) {
            ImplicitValue<double> value;
            evaluate_implicit(scene.surfaces, stencils[i], scene.x, value);
            REQUIRE(value.active);
            CHECK(std::abs(value.psi - scene.at(stencils[i].vertices[0])[1]) < 1e-15);
            CHECK((value.gradient[0] - Vec3::UnitY()).norm() < 1e-13);
        }
    }
}

TEST_CASE("implicit surface: beyond R of all samples there is no contact") {
    std::mt19937 random(5);
    ImplicitScene scene(shaken_plane(random), {{0, 0.02, 0}, {0, 2, 0}, {3, 0, 0}});
    const ImplicitStencils& stencils = scene.search.find(scene.x);
    REQUIRE(stencils.size() == 1);
    CHECK(stencils[0].vertices[0] == scene.queries[0]);
    // With a large margin all three have stencils, but the far ones stay inactive.
    const ImplicitStencils& wide = scene.search.find(scene.x, 5.0);
    REQUIRE(wide.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        ImplicitValue<double> value;
        evaluate_implicit(scene.surfaces, wide[i], scene.x, value);
        CHECK(value.active == (i == 0));
    }
}

TEST_CASE("implicit surface: on a ball psi converges to the signed distance with the square of the edge length") {
    const unsigned seed = 3;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    std::vector<double> errors, turns;
    for (const int subdivisions : {2, 3, 4}) {
        const Mesh ball = generate_icosphere(1.0, subdivisions);
        const double edge = (ball.vertices[static_cast<std::size_t>(ball.triangles[0][0])] -
                             ball.vertices[static_cast<std::size_t>(ball.triangles[0][1])])
                                .norm();
        std::vector<Vec3> points;
        std::vector<double> distances;
        std::uniform_real_distribution<double> offset(-0.1 * edge, 0.1 * edge);
        for (int i = 0; i < 500; ++i) {
            distances.push_back(offset(random));
            points.push_back((1 + distances.back()) * random_direction(random));
        }
        ImplicitScene scene(ball, points);
        const ImplicitStencils& stencils = scene.search.find(scene.x);
        REQUIRE(stencils.size() == points.size());
        double error = 0.0, turn = 0.0;
        for (std::size_t i = 0; i < stencils.size(); ++i) {
            ImplicitValue<double> value;
            evaluate_implicit(scene.surfaces, stencils[i], scene.x, value);
            error = std::max(error, std::abs(value.psi - distances[i]));
            turn = std::max(turn, (value.gradient[0] - points[i].normalized()).norm());
            if (std::abs(distances[i]) > 0.1 * edge * edge) CHECK((value.psi < 0) == (distances[i] < 0));
        }
        CHECK(error < 0.1 * edge * edge);
        errors.push_back(error);
        turns.push_back(turn);
    }
    for (std::size_t i = 1; i < errors.size(); ++i) {
        CHECK(errors[i - 1] / errors[i] > 3.0);
        CHECK(turns[i - 1] / turns[i] > 1.7);
    }
    MESSAGE("largest errors (m) ", errors[0], " ", errors[1], " ", errors[2], "; of the gradient ", turns[0], " ",
            turns[1], " ", turns[2]);
}

TEST_CASE("implicit surface: a sample that comes within R changes neither psi nor its gradient suddenly") {
    const unsigned seed = 17;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    int crossings = 0;
    const Mesh sheet = generate_cloth(1.0, 1.0, 8, 8);
    for (int trial = 0; trial < 20; ++trial) {
        ImplicitScene scene = random_scene(random, sheet, 1);
        const ImplicitStencils& stencils = scene.search.find(scene.x, 0.1);
        if (stencils.size() == 0) continue;
        const StencilFunction f{scene.surfaces, stencils[0]};
        const auto active = [&](const VecX& z) { return f.evaluate<double>(z).terms.size(); };
        VecX z = f.gather(scene.x);
        // Move the query point until a sample comes or goes, then close in on that place.
        const Vec3 direction = random_direction(random);
        VecX low = z, high = z;
        const std::size_t start = active(z);
        for (int step = 0; step < 100 && active(high) == start; ++step) high.head<3>() += 0.001 * direction;
        if (active(high) == start || start < 3) continue;
        for (int halving = 0; halving < 60; ++halving) {
            const VecX middle = 0.5 * (low + high);
            (active(middle) == start ? low : high) = middle;
        }
        const double apart = 1e-8;
        VecX before = low, after = high;
        before.head<3>() -= apart * direction;
        after.head<3>() += apart * direction;
        REQUIRE(active(before) != active(after));
        const double curvature = std::max(f.hessian(before).norm(), f.hessian(after).norm());
        CHECK(std::abs(f.psi(after) - f.psi(before)) < 3 * apart * f.gradient(before).norm());
        CHECK((f.gradient(after) - f.gradient(before)).norm() < 3 * apart * curvature);
        ++crossings;
    }
    CHECK(crossings >= 5);
}

TEST_CASE("implicit surface: derivatives, invariance and symmetry at random configurations") {
    const unsigned seed = 23;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    const Mesh sheet = generate_cloth(1.0, 1.0, 8, 8);
    int checked = 0;
    for (const double smoothing : {1e-2, 0.1, 1.0}) {
        for (const double spacing : {0.07, std::numeric_limits<double>::infinity()}) {
            ImplicitSurfaceOptions options;
            options.smoothing = smoothing;
            options.spacing = spacing;
            options.radius = 0.2;
            ImplicitScene scene = random_scene(random, sheet, 4, options);
            const ImplicitStencils& stencils = scene.search.find(scene.x, 0.02);
            for (std::size_t i = 0; i < stencils.size(); ++i) {
                const StencilFunction f{scene.surfaces, stencils[i]};
                const VecX z = f.gather(scene.x);
                if (!f.evaluate<double>(z).active) continue;
                ++checked;
                const DerivativeCheck check = check_derivatives([&](const VecX& y) { return f.psi(y); },
                                                                [&](const VecX& y) { return f.gradient(y); },
                                                                [&](const VecX& y) { return f.hessian(y); }, z, 0.02);
                CHECK(check.gradient_error < 1e-7);
                CHECK(check.hessian_error < 1e-6);
                CHECK(check.hessian_asymmetry < 1e-13);

                const VecX g = f.gradient(z);
                const Eigen::MatrixXd H = f.hessian(z);
                const double g_size = g.cwiseAbs().sum(),
                             H_size = H.cwiseAbs().maxCoeff() * static_cast<double>(H.rows());
                // Moving or turning everything leaves psi alone and turns its gradient.
                const Vec3 turn = random_direction(random), shift = random_direction(random);
                Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
                VecX translation(z.size()), rotation(z.size()), turned(z.size());
                for (Eigen::Index k = 0; k < z.size(); k += 3) {
                    force += g.segment<3>(k);
                    moment += Vec3(z.segment<3>(k)).cross(Vec3(g.segment<3>(k)));
                    translation.segment<3>(k) = shift;
                    rotation.segment<3>(k) = turn.cross(Vec3(z.segment<3>(k)));
                    turned.segment<3>(k) = turn.cross(Vec3(g.segment<3>(k)));
                }
                CHECK(force.norm() < 1e-14 * g_size);
                CHECK(moment.norm() < 1e-14 * g_size);
                CHECK((H * translation).norm() < 1e-13 * H_size);
                CHECK((H * rotation - turned).norm() < 1e-13 * H_size);
            }
        }
    }
    CHECK(checked >= 12);
}

TEST_CASE("implicit surface: the Hessian is the derivative of the gradient by dual numbers, also at a sample") {
    const unsigned seed = 29;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    const Mesh sheet = generate_cloth(1.0, 1.0, 8, 8);
    int checked = 0;
    for (int trial = 0; trial < 10; ++trial) {
        ImplicitScene scene = random_scene(random, sheet, 2);
        if (trial % 2 == 1) {  // right on a sample
            scene.x.segment<3>(3 * scene.queries[0]) = scene.surfaces.position(60, scene.x);
        }
        const ImplicitStencils& stencils = scene.search.find(scene.x);
        for (std::size_t i = 0; i < stencils.size(); ++i) {
            const StencilFunction f{scene.surfaces, stencils[i]};
            const VecX z = f.gather(scene.x);
            const Eigen::MatrixXd H = f.hessian(z);
            REQUIRE(H.allFinite());
            VecX p(z.size());
            for (Eigen::Index k = 0; k < z.size(); k += 3) p.segment<3>(k) = random_direction(random);
            using Scalar = Dual<double, 1>;
            const ImplicitValue<Scalar> moving = f.evaluate<Scalar>(with_direction(z, p));
            const ImplicitValue<double> still = f.evaluate<double>(z);
            CHECK(moving.psi.value == relative(still.psi, 1e-13));  // sums of three are added in another order
            CHECK(moving.psi.tangent[0] == relative(f.gradient(z).dot(p), 1e-11));
            const VecX product = tangent_of(StencilFunction::stacked(moving.gradient));
            CHECK((product - H * p).norm() < 1e-12 * H.norm());
            // The weights of the relative motion against differences.
            const double h = 1e-6;
            const ImplicitValue<double> ahead = f.evaluate<double>(z + h * p), behind = f.evaluate<double>(z - h * p);
            if (ahead.terms.size() != still.terms.size() || behind.terms.size() != still.terms.size()) continue;
            for (std::size_t k = 0; k < still.weights.size(); ++k) {
                CHECK(std::abs(moving.weights[k].tangent[0] - (ahead.weights[k] - behind.weights[k]) / (2 * h)) < 1e-5);
            }
            ++checked;
        }
    }
    CHECK(checked >= 10);
}

TEST_CASE("implicit surface: derivatives where the distance to a sample is exactly zero") {
    Mesh two;
    two.vertices = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {4, 4, 1}};
    two.triangles = {{0, 1, 2}, {1, 3, 2}};
    ImplicitSurfaceOptions options;
    options.radius = 4.0;
    ImplicitScene scene(two, {{2, 1, 0}}, options);
    scene.surfaces.samples[0].barycentric = Vec3(0.25, 0.5, 0.25);  // numbers without rounding
    const ImplicitStencils& stencils = scene.search.find(scene.x);
    REQUIRE(stencils.size() == 1);
    const StencilFunction f{scene.surfaces, stencils[0]};
    const VecX z = f.gather(scene.x);
    const ImplicitValue<double> value = f.evaluate<double>(z);
    REQUIRE(value.terms.size() == 2);
    REQUIRE(value.terms[0].s == 0.0);
    const Eigen::MatrixXd H = f.hessian(z);
    REQUIRE(H.allFinite());
    using Scalar = Dual<double, 1>;
    for (Eigen::Index k = 0; k < z.size(); ++k) {
        const ImplicitValue<Scalar> moving = f.evaluate<Scalar>(with_direction(z, VecX::Unit(z.size(), k)));
        CHECK((tangent_of(StencilFunction::stacked(moving.gradient)) - H.col(k)).norm() < 1e-14 * H.norm());
    }
    const DerivativeCheck check =
        check_derivatives([&](const VecX& y) { return f.psi(y); }, [&](const VecX& y) { return f.gradient(y); },
                          [&](const VecX& y) { return f.hessian(y); }, z, 0.1);
    CHECK(check.gradient_error < 1e-7);
    CHECK(check.hessian_error < 1e-5);  // the third derivative jumps at a sample
}

TEST_CASE("implicit surface: weights of the relative motion") {
    const unsigned seed = 37;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    const Mesh sheet = generate_cloth(1.0, 1.0, 8, 8);
    ImplicitScene scene = random_scene(random, sheet, 20);
    const ImplicitStencils& stencils = scene.search.find(scene.x);
    REQUIRE(stencils.size() >= 10);
    for (std::size_t i = 0; i < stencils.size(); ++i) {
        ImplicitValue<double> value;
        evaluate_implicit(scene.surfaces, stencils[i], scene.x, value);
        double sum = 0.0;
        Vec3 arm = Vec3::Zero(), blended = Vec3::Zero();
        for (std::size_t k = 0; k < value.weights.size(); ++k) {
            sum += value.weights[k];
            arm += value.weights[k] * scene.at(stencils[i].vertices[k]);
        }
        for (const ImplicitTerm<double>& term : value.terms) blended += term.share * term.height * term.normal;
        CHECK(value.weights[0] == 1.0);
        CHECK(std::abs(sum) < 1e-13);
        // The point of the surface that moves along lies across the surface from the vertex, not beside it.
        CHECK((arm - blended).norm() < 1e-13);
    }
    // On a plane, the relative motion when everything turns together is that of the gap vector alone.
    ImplicitScene plane(shaken_plane(random), {{0.1, 0.03, 0.05}});
    const ImplicitStencils& one = plane.search.find(plane.x);
    ImplicitValue<double> value;
    evaluate_implicit(plane.surfaces, one[0], plane.x, value);
    const Vec3 turn(0.3, -0.7, 0.4);
    Vec3 motion = Vec3::Zero();
    for (std::size_t k = 0; k < value.weights.size(); ++k)
        motion += value.weights[k] * turn.cross(plane.at(one[0].vertices[k]));
    CHECK((motion - turn.cross(Vec3(0, 0.03, 0))).norm() < 1e-14);
}

TEST_CASE("implicit surface: triangles without area and coincident vertices do not poison the others") {
    std::mt19937 random(2);
    Mesh plane = shaken_plane(random);
    plane.triangles.push_back({0, 0, 1});
    plane.triangles.push_back({60, 60, 60});
    const Vec3 above = plane.vertices[60] + Vec3(0, 0.01, 0);
    ImplicitScene scene(plane, {above});
    const ImplicitStencils& stencils = scene.search.find(scene.x);
    REQUIRE(stencils.size() == 1);
    const StencilFunction f{scene.surfaces, stencils[0]};
    const VecX z = f.gather(scene.x);
    CHECK(f.psi(z) == relative(0.01, 1e-12));
    CHECK(f.gradient(z).allFinite());
    CHECK(f.hessian(z).allFinite());
}

TEST_CASE("implicit surface: bad options are refused by name") {
    std::mt19937 random(1);
    const Mesh plane = shaken_plane(random);
    const auto refuses = [&](auto&& change, const char* name) {
        ImplicitSurfaceOptions options;
        change(options);
        std::string message;
        try {
            ImplicitScene(plane, {}, options);
        } catch (const InputError& error) {
            message = error.what();
        }
        INFO(name, ": ", message);
        CHECK(message.find(name) != std::string::npos);
    };
    refuses([](auto& o) { o.radius = -1.0; }, "radius");
    refuses([](auto& o) { o.radius_factor = 1.0; }, "radius_factor");
    refuses([](auto& o) { o.smoothing = 0.0; }, "smoothing");
    refuses([](auto& o) { o.smoothing = std::numeric_limits<double>::quiet_NaN(); }, "smoothing");
    refuses([](auto& o) { o.spacing = 0.0; }, "spacing");
    refuses([](auto& o) { o.spacing = 1e-9; }, "spacing");
}
