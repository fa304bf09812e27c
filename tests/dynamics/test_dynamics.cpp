// Parts that methods share: assembly with prescribed coordinates, pattern upkeep, certified steps.
#include "stiction/collision/intersection.hpp"
#include "stiction/dynamics/feasible_step.hpp"
#include "stiction/dynamics/hessian_assembly.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/world/world_builder.hpp"

#include "support/compare.hpp"
#include "support/two_balls.hpp"
#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace stiction;
using namespace stiction::test;

TEST_CASE("prescribed coordinates drop out of the system, the rest solves as the reduced dense system does") {
    WorldBuilder builder;
    builder.add_deformable("cube", generate_box({1, 1, 1}, {1, 1, 1}), {});
    const auto [world, state] = builder.build();
    std::vector<std::uint8_t> driven(8, 0);
    driven[0] = 7;
    driven[3] = 2;
    driven[5] = 5;
    HessianAssembly assembly(world);
    assembly.begin(DofMap(driven));
    const unsigned seed = 17;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<Mat12> elements(6);
    Eigen::MatrixXd dense = 0.5 * Eigen::MatrixXd::Identity(24, 24);
    for (std::size_t e = 0; e < 6; ++e) {
        Mat12 factor;
        for (double& value : factor.reshaped()) value = uniform(random);
        elements[e] = factor * factor.transpose();
        const Tet& tet = world.elastic[0].elements.vertices[e];
        for (int a = 0; a < 4; ++a) {
            for (int b = 0; b < 4; ++b) {
                dense.block<3, 3>(3 * tet[static_cast<std::size_t>(a)], 3 * tet[static_cast<std::size_t>(b)]) +=
                    elements[e].block<3, 3>(3 * a, 3 * b);
            }
        }
    }
    assembly.set_zero();
    assembly.add_elements(0, elements, 1.0);
    for (Index v = 0; v < 8; ++v) assembly.add_diagonal(v, Vec3::Constant(0.5));
    const std::vector<double> stiffness = assembly.vertex_stiffness();
    CHECK(std::isinf(stiffness[0]));
    for (const Index v : {1, 2, 4, 6, 7})
        CHECK(stiffness[at(v)] == relative(dense.block<3, 3>(3 * v, 3 * v).trace() / 3.0, 1e-13));
    assembly.finish();
    VecX gradient(24), step;
    for (double& value : gradient) value = uniform(random);
    REQUIRE(assembly.solve(gradient, step));
    std::vector<Eigen::Index> free;
    for (Index i = 0; i < 24; ++i) {
        if (!(driven[static_cast<std::size_t>(i / 3)] >> (i % 3) & 1)) free.push_back(i);
    }
    const VecX reduced = dense(free, free).llt().solve(-gradient(free));
    CHECK((step(free) - reduced).norm() < 1e-10 * reduced.norm());
    for (Index i = 0; i < 24; ++i) {
        if (driven[static_cast<std::size_t>(i / 3)] >> (i % 3) & 1) CHECK(step[i] == 0.0);
    }
}

TEST_CASE("the pattern covers what it was extended by, and starts anew with a step") {
    const auto [world, state] = two_balls(0.1);
    HessianAssembly assembly(world);
    const DofMap map(std::vector<std::uint8_t>(world.body_of_vertex.size(), 0));
    assembly.begin(map);
    const HessianAssembly::Stencil stencil{1, 60, 70, 80};
    CHECK(!assembly.covers(stencil));
    assembly.extend({stencil});
    CHECK(assembly.covers(stencil));
    CHECK(assembly.covers({60, 1, -1, -1}));
    assembly.begin(map);
    CHECK(!assembly.covers(stencil));
}

TEST_CASE("certified steps never intersect, and what lies free is not held back") {
    auto [world, state] = two_balls(1e-3);
    ContactDetection detection(world, 1e-3);
    const unsigned seed = 23;
    INFO("seed ", seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    int held = 0;
    for (int trial = 0; trial < 20; ++trial) {
        detection.update(state.x);
        VecX step(state.x.size());
        for (double& value : step) value = 0.02 * uniform(random);
        for (Index v = 0; v < world.vertex_count(); ++v)
            step[3 * v] += world.body_of_vertex[static_cast<std::size_t>(v)] == 0 ? 0.05 : -0.05;
        const StepBound bound = feasible_step_bound(world, detection, state.x, step, 0.1);
        CHECK(bound.fraction > 0.0);
        held += bound.fraction < 1.0;
        const VecX end = state.x + bound.fraction * step;
        CHECK(find_intersections(world.surface, world.contact_pairs, end).empty());
        for (const Tet& tet : world.elastic[0].elements.vertices) CHECK(edge_matrix(tet, end).determinant() > 0.0);
        if (bound.fraction < 1.0 && bound.stencil[0] >= 0)
            CHECK(describe_stencil(world, bound.stencil).find("vertex") != std::string::npos);
    }
    CHECK(held > 15);
    detection.update(state.x);
    VecX apart = VecX::Zero(state.x.size());
    for (Index v = 0; v < world.vertex_count(); ++v)
        apart[3 * v] = world.body_of_vertex[static_cast<std::size_t>(v)] == 0 ? -0.3 : 0.3;
    CHECK(feasible_step_bound(world, detection, state.x, apart, 0.1).fraction == 1.0);
}
