// Samples of implicit surfaces and the search for those near a vertex.
#include "stiction/base/parallel.hpp"
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
