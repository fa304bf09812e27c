// Steps of the method `mlcp` that would invert an element of a barrier law.
#include "stiction/audit/audit.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/mlcp/method.hpp"
#include "stiction/sim/simulator.hpp"
#include "stiction/world/world_builder.hpp"

#include "support/compare.hpp"
#include <Eigen/Geometry>
#include <doctest/doctest.h>

#include <algorithm>

using namespace stiction;
using namespace stiction::mlcp;
using namespace stiction::test;

namespace {

constexpr double h = 0.01;

/// A soft bar whose right end is pushed so hard that linearised elasticity lets it pass the rest within a step.
/// @param attended  its left end is driven upwards, and a rigid body turns and falls beside it
Simulator collapsing_bar(bool attended) {
    WorldBuilder builder;
    const Mesh bar = generate_box({0.5, 0.05, 0.05}, {8, 1, 1});
    const Index body = builder.add_deformable("bar", bar, {MaterialLaw::neo_hookean, 1e5, 0.3, 1000});
    builder.set_contact(body, body, false);
    builder.set_gravity({0, -9.81, 0});
    if (attended) {
        Mesh block = generate_box({0.3, 0.1, 0.2}, {1, 1, 1});
        for (Vec3& x : block.vertices) x.y() += 1.0;
        builder.add_rigid("block", block, 1000.0, {0.5, 1.0, 0.0}, {3.0, -2.0, 20.0});
        auto upwards = std::make_shared<RigidTrajectory>();
        upwards->velocity = {0, 0.5, 0};
        Motion end{"end", {}, 0.0, 1e300, 7, false, upwards};
        for (std::size_t v = 0; v < bar.vertices.size(); ++v) {
            if (bar.vertices[v].x() < -0.249) end.vertices.push_back(static_cast<Index>(v));
        }
        builder.add_motion(end);
    }
    BodyForce push;
    push.acceleration = {-12000, 0, 0};
    for (std::size_t v = 0; v < bar.vertices.size(); ++v) {
        if (bar.vertices[v].x() > 0.249) push.vertices.push_back(static_cast<Index>(v));
    }
    builder.add_body_force(push);
    auto [world, state] = builder.build();
    SimulatorOptions options;
    options.h = h;
    Options mlcp;
    mlcp.tolerance = 1e-9;
    return Simulator(std::move(world), std::move(state), std::make_unique<Mlcp>(mlcp), options);
}

}  // namespace

TEST_CASE(
    "mlcp: a step that would invert an element goes on in smaller ones; what is driven arrives and what is rigid stays "
    "so") {
    Simulator simulator = collapsing_bar(true);
    const World& world = simulator.world();
    const State start = simulator.state();
    const bool completed = simulator.advance();
    const std::string cause = completed ? "" : simulator.failure()->cause;
    INFO(cause);
    REQUIRE(completed);
    const StepReport& report = simulator.last_result()->report;
    CHECK(report.status == Status::substepped);
    CHECK(report.substeps >= 2);
    CHECK(report.cause.find("would be inverted") != std::string::npos);
    CHECK(std::none_of(report.notes.begin(), report.notes.end(),
                       [](const std::string& note) { return note.find("clipped") != std::string::npos; }));
    const State& end = simulator.state();
    CHECK(end.t == h);
    CHECK(audit::audit_state(world, end.x).ok());

    const Motion& motion = world.motions.at(0);
    REQUIRE(motion.vertices.size() == 4);
    for (const Index v : motion.vertices)
        CHECK((end.x.segment<3>(3 * v) - start.x.segment<3>(3 * v) - Vec3(0, 0.5 * h, 0)).norm() < 1e-15);

    const RigidBody& block = world.rigid_bodies.at(0);
    for (Index a = block.first_vertex; a < block.first_vertex + block.vertex_count; ++a) {
        for (Index b = block.first_vertex; b < a; ++b) {
            const double before = (start.x.segment<3>(3 * a) - start.x.segment<3>(3 * b)).norm(),
                         after = (end.x.segment<3>(3 * a) - end.x.segment<3>(3 * b)).norm();
            CHECK(std::abs(after - before) < 1e-14);
        }
    }
    // It has turned by what its speed says, and nothing has touched it.
    const Mat3 turned = rigid_pose(world, block, end.x).rotation;
    CHECK(Eigen::AngleAxisd(turned).angle() == relative(h * Vec3(3, -2, 20).norm(), 0.02));
    const RigidVelocity after = rigid_velocity(world, block, end.x, end.v);
    CHECK((after.linear - Vec3(0.5, 1.0 - 9.81 * h, 0.0)).norm() < 1e-8);
}

TEST_CASE("mlcp: where nothing is driven or rigid the step is shortened instead, and says so") {
    Simulator simulator = collapsing_bar(false);
    const State start = simulator.state();
    REQUIRE(simulator.advance());
    const StepReport& report = simulator.last_result()->report;
    CHECK(report.status == Status::converged);
    CHECK(std::any_of(report.notes.begin(), report.notes.end(), [](const std::string& note) {
        return note.find("step clipped: an element") != std::string::npos;
    }));
    const State& end = simulator.state();
    CHECK(audit::audit_state(simulator.world(), end.x).ok());
    CHECK((end.v - (end.x - start.x) / h).norm() < 1e-9 * end.v.norm());
}
