// Assembly: stencils in parallel, patterns that grow, and elimination orders that are kept.
#include "stiction/base/parallel.hpp"
#include "stiction/dynamics/hessian_assembly.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/mesh/second_order.hpp"
#include "stiction/world/world_builder.hpp"

#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <utility>

using namespace stiction;
using namespace stiction::test;

namespace {

using AssemblyRandom = std::mt19937;

World pair_of_balls(int subdivisions) {
    WorldBuilder builder;
    Mesh right = generate_ball(0.5, subdivisions);
    for (Vec3& vertex : right.vertices) vertex.x() += 1.1;
    builder.add_deformable("left", generate_ball(0.5, subdivisions), {});
    builder.add_deformable("right", right, {});
    return builder.build().first;
}

std::vector<HessianAssembly::Stencil> random_stencils(AssemblyRandom& random, Index vertices, std::size_t count) {
    std::uniform_int_distribution<Index> vertex(0, vertices - 1);
    std::vector<HessianAssembly::Stencil> stencils(count);
    for (auto& stencil : stencils) {
        for (Index& v : stencil) v = vertex(random);
    }
    return stencils;
}

/// Random, positive semidefinite.
std::vector<Mat12> random_hessians(AssemblyRandom& random, std::size_t count) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<Mat12> hessians(count);
    for (Mat12& hessian : hessians) {
        Mat12 factor;
        for (double& value : factor.reshaped()) value = uniform(random);
        hessian = factor * factor.transpose();
    }
    return hessians;
}

/// The last vertices, in tets of the left ball.
std::vector<EmbeddedVertex> some_embedded(AssemblyRandom& random, const World& world, Index count) {
    const std::vector<Tet>& tets = world.elastic[0].elements.vertices;
    std::uniform_int_distribution<std::size_t> tet(0, tets.size() / 2 - 1);
    std::vector<EmbeddedVertex> embedded;
    for (Index k = 0; k < count; ++k)
        embedded.emplace_back(world.vertex_count() - count + k, tets[tet(random)], std::array{0.1, 0.2, 0.3, 0.4});
    return embedded;
}

}  // namespace

TEST_CASE("hessian assembly: stencils together give the bits of one after the other, for any number of threads") {
    const World world = pair_of_balls(5);
    const Index vertices = world.vertex_count();
    CHECK(vertices > 5 * 64);  // columns for all shares
    const unsigned seed = 29;
    INFO("seed ", seed);
    AssemblyRandom random(seed);
    const auto stencils = random_stencils(random, vertices, 2148);  // two parts, and a short one
    const auto hessians = random_hessians(random, stencils.size());
    std::vector<std::uint8_t> driven(at(vertices), 0);
    driven[3] = 7;
    for (std::size_t v = 10; v < 40; ++v) driven[v] = 2;
    const DofMap map(driven, some_embedded(random, world, 20));
    const auto stencil = [&](std::size_t i) { return std::pair(stencils[i], static_cast<int>(i % 5)); };

    HessianAssembly one_by_one(world);
    one_by_one.begin(map);
    one_by_one.extend(stencils);
    one_by_one.set_zero();
    for (std::size_t i = 0; i < stencils.size(); ++i) {
        const auto [of_stencil, count] = stencil(i);
        one_by_one.add_stencil(of_stencil, count, hessians[i]);
    }
    const std::vector<Mat3>& expected = one_by_one.system().values();
    CHECK(std::ranges::count_if(expected, [](const Mat3& block) { return block.norm() > 1.0; }) > 1000);
    for (const int threads : {1, 2, 3}) {
        CAPTURE(threads);
        set_thread_count(threads);
        HessianAssembly together(world);
        together.begin(map);
        together.extend(stencils);
        REQUIRE(*together.system().pattern() == *one_by_one.system().pattern());
        together.set_zero();
        together.add_stencils(hessians, stencil);
        CHECK(std::ranges::equal(together.system().values(), expected));
        together.set_zero();
        std::atomic<std::size_t> asked = 0, of_left_out = 0;
        const auto hessian = [&](std::size_t i) {
            ++asked;
            if (i % 5 == 0) ++of_left_out;
            return hessians[i];
        };
        together.add_stencils(hessians.size(), hessian, stencil);
        CHECK(asked == hessians.size() - (hessians.size() + 4) / 5);
        CHECK(of_left_out == 0);
        CHECK(std::ranges::equal(together.system().values(), expected));
    }
    set_thread_count(0);
}

TEST_CASE("hessian assembly: a pattern is that of all pairs of elements and stencils, however they came") {
    const World world = pair_of_balls(3);
    const unsigned seed = 31;
    INFO("seed ", seed);
    AssemblyRandom random(seed);
    const auto stencils = random_stencils(random, world.vertex_count(), 3000);
    std::vector<std::uint8_t> driven(at(world.vertex_count()), 0);
    for (std::size_t v = 0; v < 30; ++v) driven[v] = 7;
    const DofMap map(driven);
    std::vector<Edge> pairs;
    const auto add = [&](const auto& vertices) {
        for (std::size_t a = 0; a < 4; ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                if (map.node(vertices[a]) >= 0 && map.node(vertices[b]) >= 0)
                    pairs.push_back({map.node(vertices[a]), map.node(vertices[b])});
            }
        }
    };
    for (const ElasticGroup& group : world.elastic) std::ranges::for_each(group.elements.vertices, add);
    const BlockPattern elements = BlockPattern::from_pairs(map.node_count(), pairs);
    std::ranges::for_each(stencils, add);
    const BlockPattern all = BlockPattern::from_pairs(map.node_count(), pairs);

    HessianAssembly at_once(world), by_and_by(world);
    at_once.begin(map);
    CHECK(*at_once.system().pattern() == elements);
    at_once.extend(stencils);
    CHECK(*at_once.system().pattern() == all);
    at_once.begin(map);
    CHECK(*at_once.system().pattern() == elements);
    by_and_by.begin(map);
    for (std::size_t i = 0; i < stencils.size(); i += 600)
        by_and_by.extend({stencils.begin() + static_cast<std::ptrdiff_t>(i),
                          stencils.begin() + static_cast<std::ptrdiff_t>(i + 600)});
    CHECK(*by_and_by.system().pattern() == all);
    CHECK(std::ranges::all_of(stencils, [&](const auto& stencil) { return by_and_by.covers(stencil); }));
}

TEST_CASE("hessian assembly: a solve gives the bits of a fresh object, whatever came before") {
    const World world = pair_of_balls(2);
    const Index vertices = world.vertex_count();
    const unsigned seed = 37;
    INFO("seed ", seed);
    AssemblyRandom random(seed);
    const auto stencils = random_stencils(random, vertices, 400);
    const auto hessians = random_hessians(random, stencils.size());
    std::vector<std::vector<Mat12>> of_elements;
    for (const ElasticGroup& group : world.elastic)
        of_elements.push_back(random_hessians(random, group.elements.vertices.size()));
    const VecX gradient = VecX::LinSpaced(3 * vertices, -1.0, 1.0);

    struct Solve {
        std::size_t driven;               // vertices, from the first on
        bool is_part;                     // of the scene
        std::vector<std::size_t> phases;  // stencils that are there
        int factorizations;               // in each phase
    };
    std::vector<Solve> solves{{0, false, {400}, 2},        {0, false, {3, 20}, 60}, {0, false, {0}, 3},
                              {0, false, {3, 20, 40}, 60}, {9, false, {5}, 2},      {0, true, {30, 60}, 40},
                              {0, true, {3, 30}, 60},      {0, false, {20}, 2}};
    for (std::size_t k = 1; k <= 10; ++k) solves.push_back({k, false, {10}, 1});  // more than are remembered
    solves.push_back({0, false, {3, 20}, 60});

    const auto run = [&](HessianAssembly& assembly, const Solve& solve) {
        std::vector<std::uint8_t> axes(at(vertices), 0);
        std::fill_n(axes.begin(), solve.driven, std::uint8_t{7});
        assembly.begin(DofMap(axes), solve.is_part);
        VecX step;
        for (const std::size_t count : solve.phases) {
            assembly.extend({stencils.begin(), stencils.begin() + static_cast<std::ptrdiff_t>(count)});
            assembly.analyze_ahead();
            assembly.set_zero();
            for (std::size_t g = 0; g < of_elements.size(); ++g) assembly.add_elements(g, of_elements[g], 1.0);
            assembly.add_stencils(hessians, [&](std::size_t i) { return std::pair(stencils[i], i < count ? 4 : 0); });
            for (Index v = 0; v < vertices; ++v) assembly.add_diagonal(v, Vec3::Constant(0.5));
            assembly.finish();
            for (int k = 0; k < solve.factorizations; ++k) REQUIRE(assembly.solve(gradient, step));
        }
        return step;
    };
    HessianAssembly used(world);
    int replaced = 0;
    for (std::size_t s = 0; s < solves.size(); ++s) {
        CAPTURE(s);
        const int before = used.system().statistics().analyses;
        const VecX step = run(used, solves[s]);
        replaced += used.system().statistics().analyses - before > static_cast<int>(solves[s].phases.size());
        HessianAssembly fresh(world);
        const VecX expected = run(fresh, solves[s]);
        CHECK(step == expected);
        CHECK(step.norm() > 0.0);
    }
    CHECK(replaced > 1);  // by losses, without a new pattern
}

TEST_CASE("hessian assembly: quadratic tets give the sum of their blocks, the same bits for any number of threads") {
    WorldBuilder builder;
    Mesh mesh = generate_box({1, 1, 1}, {5, 5, 5});  // 750 elements: two parts
    add_mid_nodes(mesh);
    builder.add_deformable("box", mesh, BodyMaterial{});
    const World world = builder.build().first;
    const std::vector<Tet10>& elements = world.quadratic[0].elements.vertices;
    const unsigned seed = 30;
    INFO("seed ", seed);
    std::mt19937_64 generator(seed);
    std::uniform_real_distribution<double> entry(-1.0, 1.0);
    std::vector<Mat30> hessians(elements.size());
    for (Mat30& hessian : hessians) {
        hessian = Mat30::NullaryExpr([&] { return entry(generator); });
        hessian = (hessian + hessian.transpose()).eval();
    }
    std::vector<std::uint8_t> driven(at(world.vertex_count()), 0);
    for (std::size_t v = 0; v < 30; ++v) driven[v] = 7;
    for (std::size_t v = 30; v < 60; ++v) driven[v] = 2;
    const DofMap map(driven, world.embedded);

    HessianAssembly expected(world);
    expected.begin(map);
    expected.set_zero();
    for (std::size_t e = 0; e < elements.size(); ++e) {
        for (std::size_t a = 0; a < 10; ++a) {
            for (std::size_t b = a; b < 10; ++b)
                expected.add_block(
                    elements[e][a], elements[e][b],
                    hessians[e].block<3, 3>(3 * static_cast<Eigen::Index>(a), 3 * static_cast<Eigen::Index>(b)));
        }
    }
    double size = 0.0;
    for (const Mat3& block : expected.system().values()) size = std::max(size, block.norm());
    const int usual = thread_count();
    std::vector<Mat3> first;
    for (const int threads : {1, 2, 3}) {
        CAPTURE(threads);
        set_thread_count(threads);
        HessianAssembly assembly(world);
        assembly.begin(map);
        assembly.set_zero();
        assembly.add_elements(0, hessians, 1.0);
        const std::vector<Mat3>& values = assembly.system().values();
        REQUIRE(values.size() == expected.system().values().size());
        for (std::size_t k = 0; k < values.size(); ++k)
            CHECK((values[k] - expected.system().values()[k]).norm() < 1e-14 * size);
        if (first.empty()) first = values;
        CHECK(std::ranges::equal(values, first));
    }
    set_thread_count(usual);
}
