// A box that is pressed straight: how far the diagonals of its cells push it sideways.
#include "stiction/mesh/generate.hpp"

#include "support/run.hpp"
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace stiction;
using namespace stiction::test;

namespace {

/// Lateral over normal force on the upper face of a block of which both faces are held fast, and which is pressed by a
/// tenth of its height straight down.
double lateral_share(Diagonals diagonals) {
    WorldBuilder builder;
    const Mesh mesh = generate_box({0.1, 0.1, 0.1}, {4, 4, 4}, Fill::solid, diagonals);
    builder.add_deformable("block", mesh, {MaterialLaw::neo_hookean, 1e5, 0.4, 1000});
    Motion lower, upper;
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
        if (mesh.vertices[v].y() < -0.0499) lower.vertices.push_back(static_cast<Index>(v));
        if (mesh.vertices[v].y() > 0.0499) upper.vertices.push_back(static_cast<Index>(v));
    }
    lower.trajectory = std::make_shared<HoldTrajectory>();
    auto down = std::make_shared<RigidTrajectory>();
    down->velocity = {0, -0.01, 0};
    upper.trajectory = down;
    builder.add_motion(lower);
    builder.add_motion(upper);
    auto [world, state] = builder.build();
    ipc::Options options;
    options.velocity_tolerance = 1e-9;
    ipc::Ipc ipc(options, Integrator::quasi_static);
    const State end = run_steps(ipc, world, state, 1.0, 1);
    const VecX gradient = elastic_gradient(world, end.x);
    Vec3 force = Vec3::Zero();
    for (const Index v : upper.vertices) force += gradient.segment<3>(3 * v);
    REQUIRE(std::abs(force.y()) > 1.0);
    return std::max(std::abs(force.x()), std::abs(force.z())) / std::abs(force.y());
}

}  // namespace

TEST_CASE("a box pressed straight pushes sideways with parallel diagonals, and not with alternating ones") {
    const double parallel = lateral_share(Diagonals::parallel), alternating = lateral_share(Diagonals::alternating);
    MESSAGE("lateral over normal force: parallel ", parallel, ", alternating ", alternating);
    CHECK(parallel > 0.01);
    CHECK(alternating < 1e-6);
}
