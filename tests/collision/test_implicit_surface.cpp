#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/math/derivative_check.hpp"
#include "stiction/mesh/generate.hpp"

#include "collision/implicit_scene.hpp"
#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

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

Vec3 random_direction(std::mt19937& random) {
    std::normal_distribution<double> normal;
    const double a = normal(random), b = normal(random), c = normal(random);
    return Vec3(a, b, c).normalized();
}

/// Everything a stencil list says, comparable.
std::vector<std::vector<Index>> flattened(const ImplicitStencils& stencils) {
    std::vector<std::vector<Index>> all;
    for (std::size_t i = 0; i < stencils.size(); ++i) {
        std::vector<Index> one{stencils[i].body};
        one.insert(one.end(), stencils[i].vertices.begin(), stencils[i].vertices.end());
        for (const StencilSample& member : stencils[i].samples) {
            one.push_back(member.sample);
            one.insert(one.end(), member.local.begin(), member.local.end());
        }
        all.push_back(one);
    }
    return all;
}

/// Samples of each (vertex, body) within reach, by trying them all.
std::map<std::pair<Index, Index>, std::vector<Index>> reference_neighbours(const ImplicitSurfaces& surfaces,
                                                                           const std::vector<Index>& queries,
                                                                           const std::vector<Index>& body_of_vertex,
                                                                           const ImplicitSearch::Filter& filter,
                                                                           const VecX& x, double margin) {
    std::map<std::pair<Index, Index>, std::vector<Index>> found;
    for (const Index vertex : queries) {
        for (std::size_t s = 0; s < surfaces.samples.size(); ++s) {
            const Index body = surfaces.body_of_sample[s], own = body_of_vertex[static_cast<std::size_t>(vertex)];
            const Vec3 p = surfaces.position(static_cast<Index>(s), x);
            if (body == own || !filter(own, body)) continue;
            if ((x.segment<3>(3 * vertex) - p).norm() <
                surfaces.kernels[static_cast<std::size_t>(body)].radius + margin)
                found[{vertex, body}].push_back(static_cast<Index>(s));
        }
    }
    return found;
}

std::map<std::pair<Index, Index>, std::vector<Index>> neighbours(const ImplicitStencils& stencils) {
    std::map<std::pair<Index, Index>, std::vector<Index>> found;
    for (std::size_t i = 0; i < stencils.size(); ++i) {
        for (const StencilSample& member : stencils[i].samples)
            found[{stencils[i].vertices[0], stencils[i].body}].push_back(member.sample);
    }
    return found;
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

TEST_CASE("implicit surface: samples of long triangles") {
    const unsigned seed = 41;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    const Mesh floor = generate_cloth(2.0, 2.0, 1, 1);
    ImplicitSurfaceOptions options;
    options.spacing = 0.3;
    const ImplicitScene scene(floor, {}, options);
    const int n = static_cast<int>(std::ceil(2 * std::sqrt(2.0) / 0.3));
    CHECK(scene.surfaces.samples.size() == 2 * static_cast<std::size_t>(n * n));
    Vec3 mean = Vec3::Zero();
    for (std::size_t s = 0; s < scene.surfaces.samples.size(); ++s) {
        const Vec3& b = scene.surfaces.samples[s].barycentric;
        CHECK(b.sum() == relative(1.0, 1e-14));
        CHECK(b.minCoeff() > 0.0);
        mean += scene.surfaces.position(static_cast<Index>(s), scene.x) /
                static_cast<double>(scene.surfaces.samples.size());
    }
    CHECK(mean.norm() < 1e-13);
    // The coverage is the largest distance of a point from the nearest sample of its triangle, reached in the corners.
    const double coverage = sample_coverage(scene.surfaces, 0, scene.x);
    double largest = 0.0;
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    for (int trial = 0; trial < 4003; ++trial) {
        double u = uniform(random), v = uniform(random);
        if (u + v > 1) u = 1 - u, v = 1 - v;
        Vec3 b(1 - u - v, u, v);
        if (trial < 3) b = Vec3::Unit(trial);
        const Triangle& t = scene.surfaces.triangles[0];
        const Vec3 p = b[0] * scene.at(t[0]) + b[1] * scene.at(t[1]) + b[2] * scene.at(t[2]);
        double nearest = std::numeric_limits<double>::infinity();
        for (std::size_t s = 0; s < scene.surfaces.samples.size() / 2; ++s)
            nearest = std::min(nearest, (scene.surfaces.position(static_cast<Index>(s), scene.x) - p).norm());
        largest = std::max(largest, nearest);
    }
    CHECK(largest <= coverage * (1 + 1e-12));
    CHECK(largest == relative(coverage, 1e-9));
    CHECK(scene.radius() == relative(2.5 * coverage, 1e-13));
}

TEST_CASE("implicit surface: neighbours are those of the brute force, in the same order, for any threads and history") {
    const unsigned seed = 43;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    // Three bodies: two balls that overlap and a sheet through both; rules that are not symmetric.
    Mesh world;
    CollisionSurface surface;
    const std::vector<Mesh> parts{generate_icosphere(0.5, 2), generate_icosphere(0.4, 2),
                                  generate_cloth(2.0, 2.0, 12, 12)};
    for (std::size_t b = 0; b < parts.size(); ++b) {
        const auto first = static_cast<Index>(world.vertices.size());
        for (const Vec3& vertex : parts[b].vertices) {
            world.vertices.push_back(vertex + Vec3(0.7 * static_cast<double>(b == 1), 0, 0));
            surface.vertices.push_back(static_cast<Index>(surface.body_of_vertex.size()));
            surface.body_of_vertex.push_back(static_cast<Index>(b));
        }
        for (const Triangle& t : parts[b].triangles)
            surface.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    }
    VecX x(3 * static_cast<Eigen::Index>(world.vertices.size()));
    for (std::size_t i = 0; i < world.vertices.size(); ++i)
        x.segment<3>(3 * static_cast<Eigen::Index>(i)) = world.vertices[i];
    std::vector<ImplicitSurfaceOptions> options(3);
    options[1].radius = 0.15;
    const ImplicitSurfaces surfaces = make_implicit_surfaces(surface, options, x);
    const ImplicitSearch::Filter filter = [](Index vertex_body, Index surface_body) {
        return vertex_body != 0 || surface_body == 1;
    };
    ImplicitSearch search;
    search.build(surfaces, surface.vertices, surface.body_of_vertex, filter, x);
    const int threads = thread_count();
    for (int trial = 0; trial < 4; ++trial) {
        for (Eigen::Index k = 0; k < x.size(); ++k) x[k] += random_vector(random, 0.02 * trial)[0];
        for (const double margin : {0.0, 0.07}) {
            set_thread_count(1);
            const ImplicitStencils one = search.find(x, margin);
            set_thread_count(2);
            const ImplicitStencils two = search.find(x, margin);
            ImplicitSearch fresh;
            fresh.build(surfaces, surface.vertices, surface.body_of_vertex, filter, x);
            const auto expected =
                reference_neighbours(surfaces, surface.vertices, surface.body_of_vertex, filter, x, margin);
            REQUIRE(expected.size() > 20);
            CHECK(neighbours(one) == expected);
            CHECK(flattened(one) == flattened(two));
            CHECK(flattened(one) == flattened(fresh.find(x, margin)));
            for (std::size_t i = 0; i < one.size(); ++i) {
                if (i > 0) {
                    const std::pair<Index, Index> before{one[i - 1].vertices[0], one[i - 1].body},
                        here{one[i].vertices[0], one[i].body};
                    CHECK(before < here);
                }
                CHECK(std::is_sorted(one[i].vertices.begin() + 1, one[i].vertices.end()));
                for (const StencilSample& member : one[i].samples) {
                    const Triangle& triangle = surfaces.triangles[static_cast<std::size_t>(
                        surfaces.samples[static_cast<std::size_t>(member.sample)].triangle)];
                    for (std::size_t c = 0; c < 3; ++c)
                        CHECK(one[i].vertices[static_cast<std::size_t>(member.local[c])] == triangle[c]);
                }
            }
        }
    }
    set_thread_count(threads);
}

TEST_CASE("implicit surface: stencils with a margin stay complete while vertices move by less than half of it") {
    const unsigned seed = 47;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    const Mesh sheet = generate_cloth(1.0, 1.0, 8, 8);
    ImplicitScene scene = random_scene(random, sheet, 30);
    const double margin = 0.04;
    const ImplicitStencils kept = scene.search.find(scene.x, margin);
    VecX moved = scene.x;
    for (Eigen::Index k = 0; k < moved.size(); k += 3) moved.segment<3>(k) += 0.49 * margin * random_direction(random);
    std::map<Index, ImplicitValue<double>> from_kept;
    for (std::size_t i = 0; i < kept.size(); ++i)
        evaluate_implicit(scene.surfaces, kept[i], moved, from_kept[kept[i].vertices[0]]);
    const ImplicitStencils& exact = scene.search.find(moved);
    REQUIRE(exact.size() > 10);
    for (std::size_t i = 0; i < exact.size(); ++i) {
        ImplicitValue<double> value;
        evaluate_implicit(scene.surfaces, exact[i], moved, value);
        const ImplicitValue<double>& other = from_kept[exact[i].vertices[0]];
        REQUIRE(other.active);
        CHECK(other.psi == value.psi);
        CHECK(other.gradient[0] == value.gradient[0]);
    }
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
