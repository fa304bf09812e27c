// The step audit of rigid bodies: judged on their coordinates.
#include "stiction/audit/interval_ccd.hpp"
#include "stiction/audit/residuals.hpp"
#include "stiction/dynamics/stage.hpp"
#include "stiction/math/svd3.hpp"
#include "stiction/methods/ipc/method.hpp"

#include "audit/worlds.hpp"
#include "support/compare.hpp"
#include <doctest/doctest.h>

using namespace stiction;
using namespace stiction::test;
using namespace stiction::testing;
using audit::audit_step;
using audit::StepAudit;
using audit::StepAuditOptions;

namespace {

constexpr double dhat = 1e-3;

struct Stepped {
    World world;
    State before;
    StepInput input;
    StepResult result;
    StepAudit audit() const {
        StepAuditOptions options;
        options.dhat = dhat;
        return audit_step(world, before, input, result, options);
    }
};

struct Moves final : MoveSink {
    std::vector<std::pair<VecX, VecX>> list;
    void accepted_move(const VecX& x0, const VecX& x1) override { list.emplace_back(x0, x1); }
};

/// A rigid block that slides on a deformable slab which lies on a half-space, and turns.
Stepped sliding_block(int steps, Moves* moves = nullptr) {
    WorldBuilder builder;
    builder.add_rigid("block", moved(generate_box({0.2, 0.2, 0.2}, {2, 2, 2}), {0, 0.1 + 0.5 * dhat, 0}), 1000.0,
                      {1.0, 0, 0.3}, {0, 2, 0});
    builder.add_deformable("slab", moved(generate_box({1, 0.1, 1}, {4, 1, 4}), {0, -0.05, 0}),
                           {MaterialLaw::neo_hookean, 1e6, 0.3, 1000});
    builder.add_half_space("ground", {0, -0.1 - 0.5 * dhat, 0}, {0, 1, 0});
    builder.set_gravity({0, -9.81, 0});
    builder.set_default_friction(0.4);
    auto [world, state] = builder.build();
    ipc::Options options;
    options.dhat = dhat;
    options.velocity_tolerance = 1e-9;
    options.friction_iterations = 0;
    ipc::Ipc ipc(options);
    Stepped stepped{std::move(world), {}, {}, {}};
    for (int i = 0; i < steps; ++i) {
        stepped.before = i == 0 ? state : stepped.result.state;
        stepped.input = schedule(stepped.world, stepped.before, 0.005);
        stepped.input.moves = moves;
        ipc.step(stepped.world, stepped.before, stepped.input, stepped.result);
        REQUIRE(is_accepted(stepped.result.report.status));
    }
    stepped.input.moves = nullptr;
    return stepped;
}

}  // namespace

TEST_CASE(
    "step audit of a rigid body: a solved sliding step balances on the body's coordinates, and planted faults show") {
    const Stepped stepped = sliding_block(6);
    const StepAudit good = stepped.audit();
    CHECK(good.contact_vertices >= 8);
    CHECK(good.worst_imbalance <= 1e-4 * good.force_scale);
    CHECK(good.imbalance.norm() <= 1e-4 * good.force_scale);
    CHECK(good.contact_sum.norm() <= 1e-9 * good.contact_scale);
    CHECK(good.forces_without_contact == 0);
    CHECK(good.pulling == 0);
    CHECK(good.friction_power < 0.0);
    CHECK(good.driven_work == 0.0);
    CHECK(good.velocity_mismatch < 1e-9);
    const RigidBody& body = stepped.world.rigid_bodies[0];
    // A force that vanishes from one embedded vertex is missed by the body, and so is a couple that adds up to nothing.
    const auto push = [&](Index v) { return stepped.result.contact_force.segment<3>(3 * v).norm(); };
    Index pushed = stepped.world.embedded.front().vertex;
    for (const EmbeddedVertex& embedded : stepped.world.embedded)
        pushed = push(embedded.vertex) > push(pushed) ? embedded.vertex : pushed;
    Stepped missing = stepped;
    missing.result.contact_force.segment<3>(3 * pushed).setZero();
    const double lost = push(pushed);
    REQUIRE(lost > 1e-2 * good.contact_scale);
    CHECK(missing.audit().imbalance.norm() == relative(lost, 1e-3));
    CHECK(missing.audit().worst_imbalance > 0.1 * lost);
    Stepped couple = stepped;
    couple.result.contact_force[3 * body.first_vertex + 2] += lost;
    couple.result.contact_force[3 * (body.first_vertex + body.vertex_count - 1) + 2] -= lost;
    CHECK(couple.audit().imbalance.norm() < 1e-3 * lost);
    CHECK(couple.audit().worst_imbalance > 0.1 * lost);
    // A body that is stretched pushes back with its rigidity.
    Stepped stretched = stepped;
    for (Index v = body.first_vertex; v < body.first_vertex + body.vertex_count; ++v)
        stretched.result.state.x[3 * v + 1] *= 1.0 + 1e-6;
    CHECK(stretched.audit().worst_imbalance > 10.0 * good.worst_imbalance);
}

TEST_CASE(
    "step audit of a body that is rigid by constraint: reactions that hold its shape are missing, resultant and torque "
    "are not") {
    WorldBuilder builder;
    builder.add_rigid("box", generate_box({0.3, 0.2, 0.1}, {2, 2, 1}), 1000.0, {1, 2, 3}, {3, -1, 5});
    builder.set_gravity({0, -10, 0});
    auto [world, state] = builder.build();
    const RigidBody body = world.rigid_bodies[0];
    // One step by hand, backward Euler on six coordinates: the rotation nearest to where inertia takes the body.
    const double h = 0.01;
    Mat3 spin;
    spin << 0, -5, -1, 5, 0, -3, 1, 3, 0;
    const Mat3 rotation = polar_rotation((Mat3::Identity() + h * spin) * body.covariance);
    Stepped step{std::move(world), state, {}, {}};
    step.input = schedule(step.world, state, h);
    step.result.state = state;
    place_rigid(step.world, body, {body.centre + h * (Vec3(1, 2, 3) + h * Vec3(0, -10, 0)), rotation},
                step.result.state.x);
    step.result.state.v = (step.result.state.x - state.x) / h;
    step.result.contact_force = step.result.friction_force = VecX::Zero(state.x.size());
    const auto audited = [&](bool exactly_rigid) {
        StepAuditOptions options;
        options.dhat = dhat;
        options.exactly_rigid = exactly_rigid;
        return audit_step(step.world, step.before, step.input, step.result, options);
    };
    CHECK(audited(true).worst_imbalance < 1e-9 * audited(true).force_scale);
    CHECK(audited(false).worst_imbalance > 1e-3 * audited(false).force_scale);
    // Force and torque are seen still.
    const double weight = 10.0 * body.mass;
    step.result.contact_force[3 * body.first_vertex] += 0.1 * weight;
    CHECK(audited(true).imbalance.x() == relative(-0.1 * weight, 1e-6));
    step.result.contact_force[3 * (body.first_vertex + body.vertex_count - 1)] -= 0.1 * weight;
    CHECK(std::abs(audited(true).imbalance.x()) < 1e-6 * weight);
    CHECK(audited(true).worst_imbalance > 1e-2 * weight);
}

TEST_CASE(
    "energy of a rigid body in the step audit: free fall loses m (g h)^2 / 2 by backward Euler, and nothing else") {
    WorldBuilder builder;
    builder.add_rigid("ball", generate_ball(0.1, 2), 1000.0, {1, 2, 3});
    builder.set_gravity({0, -10, 0});
    auto [world, state] = builder.build();
    const double h = 0.01;
    Stepped fall{std::move(world), state, {}, {}};
    fall.input = schedule(fall.world, state, h);
    ipc::Options options;
    options.velocity_tolerance = 1e-10;
    ipc::Ipc(options).step(fall.world, state, fall.input, fall.result);
    const StepAudit good = fall.audit();
    CHECK(good.worst_imbalance <= 1e-6 * good.force_scale);
    CHECK(good.energy_gain == relative(-0.5 * fall.world.rigid_bodies[0].mass * 0.01, 1e-6));
}

TEST_CASE(
    "move certificate: every move of a sliding rigid body is proved, its frame included; one that turns it inside out "
    "is not") {
    Moves moves;
    const Stepped stepped = sliding_block(3, &moves);
    REQUIRE(moves.list.size() > 3);
    const audit::MoveCertifier certifier(stepped.world);
    audit::MoveCertificate all;
    for (const auto& [x0, x1] : moves.list) all += certifier.certify_move(x0, x1);
    CHECK(all.unproved == 0);
    CHECK(all.tets_unproved == 0);
    CHECK(all.tets >= static_cast<long>(moves.list.size()));
    VecX mirrored = stepped.before.x;
    const RigidBody& body = stepped.world.rigid_bodies[0];
    for (Index v = body.first_vertex; v < body.first_vertex + body.vertex_count; ++v) mirrored[3 * v] *= -1.0;
    CHECK(certifier.certify_move(stepped.before.x, mirrored).tets_unproved == 1);
    CHECK(audit::find_inversions(stepped.world, mirrored).forbidden.size() == 1);
    int lines = 0;
    for (const std::string& line :
         audit::messages(stepped.world, audit::audit_state(stepped.world, mirrored), mirrored, 1000))
        lines += line.find("body 'block' frame (") != std::string::npos;
    CHECK(lines == 1);
}
