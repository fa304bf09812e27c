// Blocks on plates of many triangles: edges inside a flat surface must not be felt. Without friction the momentum along
// the plate stays; on a slope it grows as Newton says.
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/mlcp/method.hpp"

#include "linalg/random_system.hpp"
#include "support/block_on_slope.hpp"
#include "support/compare.hpp"
#include <Eigen/Geometry>

#include <cmath>

using namespace stiction;
using namespace stiction::mlcp;
using namespace stiction::test;

namespace {

struct BlockOnPlate {
    bool rigid = false;
    double edge = 0.2;  ///< m
    int cells = 1;
    double gap = 1e-4;        ///< under the block (m)
    double turned = 0.0;      ///< about the plate's normal (rad)
    double across = 0.0;      ///< m
    double cell_size = 0.04;  ///< of the plate (m)
    double slope = 0.0;       ///< rad
    bool sheet = false;       ///< a plate of no thickness
    Vec3 velocity = Vec3::Zero();
};

/// Without friction. Gravity is tilted for a slope, down along x.
Scene block_on_plate(const BlockOnPlate& block) {
    WorldBuilder builder;
    const Mat3 turn = Eigen::AngleAxisd(block.turned, Vec3::UnitY()).toRotationMatrix();
    const Mesh cube =
        translated(rotated(generate_box(Vec3::Constant(block.edge), {block.cells, block.cells, block.cells}), turn),
                   {-0.5, 0.5 * block.edge + block.gap, block.across});
    if (block.rigid) {
        builder.add_rigid("block", cube, 1000, block.velocity);
    } else {
        builder.add_deformable("block", cube, {MaterialLaw::fixed_corotated, 1e6, 0.3, 1000}, block.velocity);
    }
    const int along = static_cast<int>(std::lround(2.0 / block.cell_size)),
              across = static_cast<int>(std::lround(0.6 / block.cell_size));
    builder.add_obstacle("plate", block.sheet
                                      ? generate_cloth(2.0, 0.6, along, across)
                                      : translated(generate_box({2.0, 0.02, 0.6}, {along, 1, across}), {0, -0.01, 0}));
    builder.set_gravity({gravity * std::sin(block.slope), -gravity * std::cos(block.slope), 0});
    builder.set_default_friction(0.0);
    auto [world, state] = builder.build();
    return {std::move(world), std::move(state)};
}

double speed(const Scene& scene, const State& state) {
    return centre_of_mass(scene.world, state, 0).second.x();
}

}  // namespace

TEST_CASE("mlcp: a block slides over the inner edges of a plate as if they were not there") {
    for (const double turned : {0.0, 0.4}) {
        CAPTURE(turned);
        const Scene scene =
            block_on_plate({.turned = turned, .across = 0.013, .cell_size = 0.02, .velocity = {3.0, 0.0, 0.0}});
        Mlcp method({});
        const State end = run_steps(method, scene.world, scene.state, 0.01, 25);
        CHECK(speed(scene, end) == relative(3.0, 1e-3));
    }
}

TEST_CASE("mlcp: a block slides over the inner edges of a sheet as if they were not there") {
    const Scene scene = block_on_plate({.across = 0.013, .cell_size = 0.1, .sheet = true, .velocity = {1.0, 0.0, 0.0}});
    Mlcp method({});
    const State end = run_steps(method, scene.world, scene.state, 0.01, 60);
    CHECK(speed(scene, end) == relative(1.0, 1e-3));
}

TEST_CASE("mlcp: a block that lands on a plate of many triangles keeps its momentum along it") {
    for (std::uint64_t seed = 0; seed < 24; ++seed) {
        CAPTURE(seed);
        Random random(seed);
        const double along = uniform(random, 0.5, 2.0);
        const Scene scene = block_on_plate({.rigid = seed % 2 == 0,
                                            .cells = seed % 4 == 3 ? 3 : 1,
                                            .gap = std::pow(10.0, uniform(random, -6.0, -3.0)),
                                            .turned = uniform(random, 0.0, 1.5),
                                            .across = uniform(random, -0.05, 0.05),
                                            .velocity = {along, 0.0, 0.0}});
        Mlcp method({});
        const State end = run_steps(method, scene.world, scene.state, 0.01, 8);
        CHECK(speed(scene, end) == relative(along, 2e-3));
    }
}

TEST_CASE("mlcp: vertices and edges of a block that lie on those of a slope push along its normal") {
    for (const bool rigid : {false, true}) {
        for (const double gap : {1e-5, 2e-5, 5e-5}) {
            CAPTURE(rigid);
            CAPTURE(gap);
            const double slope = 0.1;
            const Scene scene = block_on_plate({.rigid = rigid, .gap = gap, .cell_size = 0.05, .slope = slope});
            Mlcp method({});
            const State end =
                run_steps(method, scene.world, scene.state, 0.01, 4, [](const State&, const StepResult& r) {
                    CHECK(r.report.status == Status::converged);
                    CHECK(r.report.iterations < 1000);
                });
            CHECK(speed(scene, end) == relative(0.04 * gravity * std::sin(slope), 1e-3));
        }
    }
}
