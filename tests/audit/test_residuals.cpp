#include "stiction/audit/nearness.hpp"
#include "stiction/audit/residuals.hpp"
#include "stiction/base/error.hpp"
#include "stiction/methods/ipc/method.hpp"

#include "audit/worlds.hpp"
#include "support/compare.hpp"
#include "support/integrators.hpp"
#include <doctest/doctest.h>

#include <cmath>

using namespace stiction;
using namespace stiction::test;
using namespace stiction::testing;
using audit::audit_step;
using audit::StepAudit;
using audit::StepAuditOptions;

namespace {

struct Stepped {
    World world;
    State before;
    StepInput input;
    StepResult result;
    StepAuditOptions options;
    StepAudit audit() const { return audit_step(world, before, input, result, options); }
};

constexpr double dhat = 1e-3;

/// A block that slides on an obstacle, after a number of steps of a tightly solved ipc; its upper face moves with a
/// driven x.
Stepped sliding_block(int steps, double damping = 0.0, bool driven = false) {
    WorldBuilder builder;
    BodyMaterial material;
    material.mass_damping = damping;
    material.stiffness_damping = 0.01 * damping;
    const Index block = builder.add_deformable(
        "block", moved(generate_box({0.2, 0.2, 0.2}, {2, 2, 2}), {0, 0.1 + 0.5 * dhat, 0}), material, {1.0, 0, 0.3});
    builder.add_obstacle("slab", moved(generate_box({2, 0.02, 2}, {3, 1, 3}, Fill::surface), {0, -0.01, 0}));
    builder.set_gravity({0, -9.81, 0});
    builder.set_default_friction(0.4);
    if (driven) {
        Motion motion;
        for (Index v = 0; v < 27; ++v) {
            if (builder.body(block).mesh.vertices[static_cast<std::size_t>(v)].y() > 0.19)
                motion.vertices.push_back(builder.first_vertex(block) + v);
        }
        motion.axes = 1;
        auto path = std::make_shared<RigidTrajectory>();
        path->velocity = {1.0, 0, 0};
        motion.trajectory = path;
        builder.add_motion(motion);
    }
    auto [world, state] = builder.build();
    ipc::Options options;
    options.dhat = dhat;
    options.velocity_tolerance = 1e-9;
    options.friction_iterations = 0;
    Stepped stepped{std::move(world), {}, {}, {}, {}};
    stepped.options.dhat = dhat;
    ipc::Ipc ipc(options);
    for (int i = 0; i < steps; ++i) {
        stepped.before = i == 0 ? state : stepped.result.state;
        stepped.input = schedule(stepped.world, stepped.before, 0.005);
        ipc.step(stepped.world, stepped.before, stepped.input, stepped.result);
        REQUIRE(is_accepted(stepped.result.report.status));
    }
    return stepped;
}

}  // namespace

TEST_CASE("step audit: free fall in closed form") {
    WorldBuilder builder;
    builder.add_deformable("ball", generate_ball(0.1, 2), {}, {1, 2, 3});
    builder.set_gravity({0, -10, 0});
    auto [world, state] = builder.build();
    const double h = 0.01, mass = world.mass.sum();
    Stepped fall{std::move(world), state, {}, {}, {}};
    fall.input = schedule(fall.world, state, h);
    fall.result.state = state;
    fall.result.contact_force = fall.result.friction_force = VecX::Zero(state.x.size());
    for (Index v = 0; v < fall.world.vertex_count(); ++v) {
        fall.result.state.v.segment<3>(3 * v) += Vec3(0, -10 * h, 0);
        fall.result.state.x.segment<3>(3 * v) += h * fall.result.state.v.segment<3>(3 * v);
    }
    const StepAudit good = fall.audit();
    CHECK(good.finite);
    CHECK(good.worst_imbalance <= 1e-6 * good.force_scale);
    CHECK(good.velocity_mismatch < 1e-12);
    // Backward Euler loses m (h g)^2 / 2 here.
    CHECK(good.energy_gain == relative(-0.5 * mass * 0.01, 1e-6));
    CHECK(good.external_work == relative(mass * -10 * h * (2 - 10 * h), 1e-9));
    CHECK(std::isinf(good.min_gap));
    // A wrong velocity at one vertex shows where, and how much.
    fall.result.state.v[3 * 7 + 2] += 0.5;
    const StepAudit wrong = fall.audit();
    CHECK(wrong.worst_vertex == 7);
    CHECK(wrong.worst_imbalance == relative(fall.world.mass[7] * 0.5 / h, 1e-5));
    CHECK(wrong.imbalance[2] == relative(fall.world.mass[7] * 0.5 / h, 1e-5));
    CHECK(wrong.velocity_mismatch == relative(0.5, 1e-13));
    fall.result.state.v[3 * 7 + 2] = std::numeric_limits<double>::quiet_NaN();
    CHECK_FALSE(fall.audit().finite);
    fall.result.friction_force.resize(0);
    CHECK_THROWS_AS(fall.audit(), InternalError);
}

TEST_CASE("step audit: a solved sliding step balances, with damping and driven coordinates, and planted faults show") {
    for (const double damping : {0.0, 2.0}) {
        for (const bool driven : {false, true}) {
            INFO("damping ", damping, ", driven ", driven);
            const Stepped stepped = sliding_block(6, damping, driven);
            const StepAudit good = stepped.audit();
            CHECK(good.contact_vertices >= 9);
            CHECK(good.worst_imbalance <= 1e-4 * good.force_scale);
            CHECK(good.imbalance.norm() <= 1e-4 * good.force_scale);
            CHECK(good.contact_sum.norm() <= 1e-9 * good.contact_scale);
            CHECK(good.friction_sum.norm() <= 1e-9 * good.contact_scale);
            CHECK(good.forces_without_contact == 0);
            CHECK(good.pulling == 0);
            CHECK(good.min_gap > 0.0);
            CHECK(good.min_gap == relative(stepped.result.report.min_gap, 1e-9));
            CHECK(good.friction_power < 0.0);
            CHECK(good.velocity_mismatch < 1e-9);
            if (!driven) CHECK(good.driven_work == 0.0);
        }
    }
}

TEST_CASE("step audit: a step of every integrator balances as the stages that it is made of, damping included") {
    WorldBuilder builder;
    BodyMaterial material;
    material.stiffness_damping = 0.01;
    builder.add_deformable("rod", generate_rod(0.4, 0.1, 4, 1), material, {1, 0, 0}, {0, 0, 5});
    builder.set_gravity({0, -9.81, 0});
    const auto [world, start] = builder.build();
    for (const std::string& name : dynamic_integrators()) {
        CAPTURE(name);
        const Integrator integrator = integrator_from_name(name);
        State state = start;
        ipc::Options options;
        options.velocity_tolerance = 1e-10;
        ipc::Ipc ipc(options, integrator);
        for (int i = 0; i < 3; ++i) {
            const StepInput input = schedule(world, state, 0.01);
            StepResult result;
            ipc.step(world, state, input, result);
            REQUIRE(is_accepted(result.report.status));
            const LastStage last = last_stage(integrator, state, result.state, input);
            StepAuditOptions as_stage;
            as_stage.stage_scale = last.stage.scale();
            as_stage.q_bar = last.stage.q_bar;
            as_stage.v_bar = last.stage.v_bar;
            as_stage.damping_positions = last.start;
            const StepAudit audit = audit_step(world, state, input, result, as_stage);
            CHECK(audit.worst_imbalance <= 1e-4 * audit.force_scale);
            CHECK(audit.velocity_mismatch < 1e-9);
            CHECK(last.velocity_mismatch < 1e-9);
            const StepAudit as_euler = audit_step(world, state, input, result, StepAuditOptions());
            if (integrator != Integrator::backward_euler) CHECK(as_euler.worst_imbalance > 1e-3 * as_euler.force_scale);
            // A wrong end of the step shows.
            State wrong = result.state;
            wrong.x *= 1.0 + 1e-5;
            if (integrator == Integrator::sdirk2 || integrator == Integrator::tr_bdf2)
                CHECK(last_stage(integrator, state, wrong, input).velocity_mismatch > 1e-5);
            state = result.state;
        }
    }
}

TEST_CASE("step audit: faults planted in forces") {
    const Stepped stepped = sliding_block(6);
    const StepAudit good = stepped.audit();
    CHECK(good.cone_violations == 0);
    Stepped reversed = stepped;  // friction that drives
    reversed.result.friction_force *= -1.0;
    CHECK(reversed.audit().friction_power > 0.0);
    CHECK(reversed.audit().worst_imbalance > 0.1 * good.friction_scale);
    Stepped strong = stepped;  // twice the friction that the cone allows
    strong.result.friction_force *= 2.5;
    CHECK(strong.audit().cone_violations >= 9);
    CHECK(strong.audit().cone_excess > 0.5 * good.friction_scale);
    Stepped pulling = stepped;  // contact that pulls
    pulling.result.contact_force *= -1.0;
    CHECK(pulling.audit().pulling == pulling.audit().contact_vertices);
    CHECK(pulling.audit().largest_pulling == relative(good.contact_scale, 1e-13));
    Stepped remote = stepped;  // a force on a vertex at the top of the block
    Index top = 0;
    for (Index v = 0; v < 27; ++v) {
        if (stepped.before.x[3 * v + 1] > stepped.before.x[3 * top + 1]) top = v;
    }
    remote.result.contact_force.segment<3>(3 * top) = Vec3(0, 5.0, 0);
    CHECK(remote.audit().forces_without_contact == 1);
    CHECK(remote.audit().largest_without_contact == relative(5.0, 1e-13));
    CHECK(remote.audit().worst_vertex == top);
    CHECK(remote.audit().worst_imbalance == relative(5.0, 1e-2));
    CHECK(remote.audit().contact_sum.norm() == relative(5.0, 1e-6));
    // The same forces with a smaller dhat: nothing is near enough to push.
    Stepped narrow = stepped;
    narrow.options.dhat = 0.5 * good.min_gap;
    CHECK(narrow.audit().forces_without_contact == narrow.audit().contact_vertices);
    CHECK(std::isinf(narrow.audit().min_gap));
}

TEST_CASE("step audit: distances of own code") {
    Soup soup;
    for (const Vec3& p :
         {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 0, 1), Vec3(0.2, 0.5, 0.2), Vec3(0.2, 2, 0.2), Vec3(0.5, 2, 0.2)})
        soup.add(p);
    soup.triangles = {{0, 1, 2}, {3, 4, 5}};
    const World world = bare_world(soup);
    const auto near = audit::find_near_pairs(world, soup.x(), 0.51);
    REQUIRE(near.size() == 1);
    CHECK(near[0].distance == relative(0.5, 1e-13));
    CHECK((near[0].direction - Vec3(0, 1, 0)).norm() < 1e-12);
    CHECK(audit::find_near_pairs(world, soup.x(), 0.5).empty());
}
