// Rigid bodies, as affine ones, against analytic answers, under both methods.
#include "stiction/base/parallel.hpp"
#include "stiction/collision/intersection.hpp"
#include "stiction/math/svd3.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/mesh/topology.hpp"
#include "stiction/methods/implicit/method.hpp"
#include "stiction/world/start_check.hpp"

#include "support/compare.hpp"
#include "support/rigid.hpp"
#include "support/run.hpp"
#include <Eigen/Dense>

#include <memory>

using namespace stiction;
using namespace stiction::test;

namespace {

constexpr double gravity = 9.81;

BarrierOptions tight() {
    BarrierOptions options;
    options.velocity_tolerance = 1e-9;
    return options;
}

std::unique_ptr<Method> make(const std::string& name, const BarrierOptions& options,
                             Integrator integrator = Integrator::backward_euler) {
    if (name == "ipc") return std::make_unique<ipc::Ipc>(options, integrator);
    implicit::Options all;
    static_cast<BarrierOptions&>(all) = options;
    return std::make_unique<implicit::Implicit>(all, integrator);
}

void check_clean(const World& world, const State& state) {
    CHECK(find_intersections(world.surface, world.contact_pairs, state.x).empty());
    CHECK(start_problems(world, state).empty());
}

}  // namespace

TEST_CASE(
    "rigid body in free flight: backward Euler's parabola, momentum to rounding, and the spin of a perfectly rigid "
    "body") {
    WorldBuilder builder;
    builder.add_rigid("body", lopsided(), 1000.0, {1, 2, 3}, {2, -1, 4}, 1e10);
    builder.set_gravity({0, -gravity, 0});
    const auto [world, state] = builder.build();
    const RigidBody& body = world.rigid_bodies[0];
    const double h = 0.01;
    // A rigid body by the same rule: of all rotations the one nearest to where inertia takes the linear part, measured
    // with the covariance of mass.
    Mat3 rotation = Mat3::Identity(), spin;
    spin << 0, -4, -1, 4, 0, -2, 1, 2, 0;
    const auto ipc = make("ipc", tight());
    int n = 0;
    const VecX weights = world.mass;
    run_steps(*ipc, world, state, h, 50, [&](const State& now, const StepResult& result) {
        ++n;
        const Mat3 next = polar_rotation((rotation + h * spin) * body.covariance);
        spin = (next - rotation) / h;
        rotation = next;
        CHECK((linear_part(world, body, now.x) - rotation).norm() < 1e-6);
        CHECK(distortion(world, body, now.x) < 1e-7);
        const auto [position, velocity] = centre_of_mass(world, now, 0);
        CHECK((velocity - Vec3(1, 2 - gravity * n * h, 3)).norm() < 1e-9);
        CHECK((position - body.centre - Vec3(1, 2, 3) * n * h + Vec3(0, gravity * h * h * n * (n + 1) / 2, 0)).norm() <
              1e-9);
        CHECK((result.report.momentum - body.mass * velocity).norm() < 1e-9 * body.mass);
        const RigidPose pose = rigid_pose(world, body, now.x);
        CHECK((pose.rotation - rotation).norm() < 1e-6);
    });
}

TEST_CASE("rigid body spinning freely: angular momentum and energy are kept as well as the integrator's order says") {
    const auto losses = [](Integrator integrator, double h) {
        WorldBuilder builder;
        builder.add_rigid("body", lopsided(), 1000.0, Vec3::Zero(), {2, -1, 4}, 1e10);
        const auto [world, state] = builder.build();
        const auto ipc = make("ipc", tight(), integrator);
        StepReport start, finish;
        measure(world, state, start);
        const State end = run_steps(*ipc, world, state, h, static_cast<int>(std::round(0.2 / h)));
        measure(world, end, finish);
        CHECK(distortion(world, world.rigid_bodies[0], end.x) < 1e-5);
        const Vec3 before = angular_momentum(world, state), after = angular_momentum(world, end);
        return std::pair((after - before).norm() / before.norm(), 1.0 - finish.kinetic / start.kinetic);
    };
    const auto coarse = losses(Integrator::backward_euler, 4e-3), fine = losses(Integrator::backward_euler, 2e-3);
    CHECK(coarse.first / fine.first == relative(2.0, 0.03));
    CHECK(coarse.second / fine.second == relative(2.0, 0.03));
    CHECK(fine.second > 0.0);
    // Of second order also where the stiff energy enforces a constraint; SDIRK2 is of first order there.
    const auto two_step = losses(Integrator::bdf2, 4e-3), finer = losses(Integrator::bdf2, 2e-3);
    CHECK(two_step.first < 0.01 * coarse.first);
    CHECK(finer.first < 0.3 * two_step.first);
}

TEST_CASE("rigid block at rest on the ground: contact forces carry its weight, and it keeps its shape") {
    for (const std::string method : {"ipc", "implicit"}) {
        CAPTURE(method);
        WorldBuilder builder;
        builder.add_rigid("block", translated(generate_box({0.2, 0.1, 0.2}, {2, 1, 2}), {0, 0.0502, 0}), 1000.0);
        builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
        builder.set_gravity({0, -gravity, 0});
        builder.set_default_friction(0.3);
        const auto [world, state] = builder.build();
        BarrierOptions options = tight();
        const auto solver = make(method, options);
        StepResult last;
        const State end =
            run_steps(*solver, world, state, 0.02, 60, [&](const State&, const StepResult& result) { last = result; });
        const RigidBody& body = world.rigid_bodies[0];
        const double weight = gravity * body.mass;
        CHECK(body.mass == relative(4.0, 1e-13));
        CHECK(force_on(world, last.contact_force, 0, 1) == relative(weight, 1e-6));
        CHECK(force_on(world, last.contact_force, 1, 1) == relative(-weight, 1e-6));
        CHECK(distortion(world, body, end.x) < 1e-6);
        CHECK((rigid_pose(world, body, end.x).rotation - Mat3::Identity()).norm() < 1e-6);
        CHECK(rigid_velocity(world, body, end.x, end.v).linear.norm() < 1e-6);
        check_clean(world, end);
    }
}

TEST_CASE("rigid block on a slope of 0.5: sticks at mu = 0.51, slides at 0.49 as fast as Coulomb says") {
    for (const std::string method : {"ipc", "implicit"}) {
        for (const double mu : {0.51, 0.49}) {
            CAPTURE(method);
            CAPTURE(mu);
            WorldBuilder builder;
            builder.add_rigid("block", translated(generate_box({0.2, 0.05, 0.2}, {2, 1, 2}), {0, 0.02515, 0}), 1000.0);
            builder.add_half_space("slope", {0, 0, 0}, {0, 1, 0});
            builder.set_default_friction(mu);
            const double angle = std::atan(0.5), h = 0.01;
            auto [world, state] = builder.build();
            BarrierOptions options = tight();
            options.friction_velocity = 1e-5;
            options.friction_iterations = 0;
            const auto solver = make(method, options);
            // Settles on level ground first.
            world.gravity = {0, -gravity * std::cos(angle), 0};
            State start = run_steps(*solver, world, state, h, 40);
            start.v.setZero();
            world.gravity.x() = gravity * std::sin(angle);
            const State end = run_steps(*solver, world, start, h, 100);
            const double speed = centre_of_mass(world, end, 0).second.x();
            const double slope = gravity * (std::sin(angle) - mu * std::cos(angle));
            if (mu > 0.5) {
                CHECK(speed < 1e-5);
                CHECK(speed > 0.0);
            } else {
                CHECK(speed == relative(slope * 1.0, 1e-5));
            }
            CHECK(distortion(world, world.rigid_bodies[0], end.x) < 1e-6);
        }
    }
}

TEST_CASE("a deformable block on a rigid one on another: all come to rest, each carries what is above it") {
    for (const std::string method : {"ipc", "implicit"}) {
        CAPTURE(method);
        WorldBuilder builder;
        const Mesh box = generate_box({0.2, 0.1, 0.2}, {2, 1, 2});
        builder.add_rigid("lower", translated(box, {0, 0.051, 0}), 1000.0);
        builder.add_rigid(
            "middle", surface_mesh(translated(generate_box({0.18, 0.1, 0.18}, {1, 1, 1}), {0.005, 0.153, 0})), 500.0);
        builder.add_deformable("upper", translated(generate_box({0.16, 0.1, 0.16}, {2, 2, 2}), {0, 0.255, 0.005}),
                               {MaterialLaw::neo_hookean, 1e5, 0.3, 800});
        builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
        builder.set_gravity({0, -gravity, 0});
        builder.set_default_friction(0.5);
        const auto [world, state] = builder.build();
        BarrierOptions options;
        options.velocity_tolerance = 1e-7;
        const auto solver = make(method, options);
        StepResult last;
        const State end =
            run_steps(*solver, world, state, 0.02, 100, [&](const State&, const StepResult& result) { last = result; });
        const double upper =
            gravity * world.mass.segment(world.bodies[2].first_vertex, world.bodies[2].vertex_count()).sum();
        const double middle = gravity * world.rigid_bodies[1].mass, lower = gravity * world.rigid_bodies[0].mass;
        CHECK(force_on(world, last.contact_force, 2, 1) == relative(upper, 1e-5));
        CHECK(force_on(world, last.contact_force, 1, 1) == relative(middle, 1e-5));
        CHECK(force_on(world, last.contact_force, 0, 1) == relative(lower, 1e-5));
        CHECK(force_on(world, last.contact_force, 3, 1) == relative(-upper - middle - lower, 1e-5));
        for (const RigidBody& body : world.rigid_bodies) CHECK(distortion(world, body, end.x) < 1e-5);
        check_clean(world, end);
    }
}

TEST_CASE("rigid boxes under the penalty of implicit: both come to rest, each carries what is above it") {
    WorldBuilder builder;
    builder.add_rigid("lower", translated(generate_box({0.4, 0.2, 0.4}, {8, 4, 8}), {0, 0.1005, 0}), 1000.0);
    builder.add_rigid("upper", translated(generate_box({0.3, 0.2, 0.3}, {6, 4, 6}), {0.02, 0.325, 0}), 600.0);
    builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({0, -gravity, 0});
    builder.set_default_friction(0.3);
    const auto [world, state] = builder.build();
    implicit::Options options;
    options.contact = implicit::ContactModel::penalty;
    implicit::Implicit method(options);
    StepResult last;
    const State end =
        run_steps(method, world, state, 0.02, 40, [&](const State&, const StepResult& result) { last = result; });
    const double lower = gravity * world.rigid_bodies[0].mass, upper = gravity * world.rigid_bodies[1].mass;
    // The implicit surface is not quite flat: friction along it carries its share.
    const VecX force = last.contact_force + last.friction_force;
    CHECK(force_on(world, force, 1, 1) == relative(upper, 1e-5));
    CHECK(force_on(world, force, 2, 1) == relative(-upper - lower, 1e-5));
    for (const RigidBody& body : world.rigid_bodies) {
        CHECK(distortion(world, body, end.x) < 1e-5);
        CHECK(rigid_velocity(world, body, end.x, end.v).linear.norm() < 1e-3);
    }
    CHECK(last.report.min_gap > 0.0);
}

TEST_CASE("two rigid bodies collide off centre: linear and angular momentum are exchanged, not made") {
    WorldBuilder builder;
    builder.add_rigid("left", translated(generate_box({0.2, 0.2, 0.2}, {1, 1, 1}), {-0.12, 0, 0}), 1000.0, {2, 0, 0});
    builder.add_rigid("right", translated(generate_box({0.2, 0.3, 0.1}, {1, 1, 1}), {0.12, 0.13, 0.02}), 500.0,
                      {-1, 0, 0});
    const auto [world, state] = builder.build();
    const auto ipc = make("ipc", tight());
    StepReport start;
    measure(world, state, start);
    int in_contact = 0;
    double energy = start.kinetic;
    State before = state;
    run_steps(*ipc, world, state, 0.002, 60, [&](const State& now, const StepResult& result) {
        in_contact += result.report.contacts > 0;
        CHECK((result.report.momentum - start.momentum).norm() < 1e-7 * start.momentum.norm());
        // Forces act at the end positions, along the shortest connection: no torque in sum. (Lagged friction would act
        // at points of the start.)
        State change = now;
        change.v -= before.v;
        CHECK(angular_momentum(world, change).norm() < 1e-6 * angular_momentum(world, state).norm());
        before = now;
    });
    CHECK(in_contact > 2);
    StepReport finish;
    measure(world, before, finish);
    CHECK(finish.kinetic < energy);
    CHECK(rigid_velocity(world, world.rigid_bodies[1], before.x, before.v).angular.norm() > 0.5);
}

TEST_CASE("rigid bodies: same bits with 1 and 2 threads and from a state that went through bytes") {
    const auto run = [](const std::string& method, int threads, bool through_bytes) {
        set_thread_count(threads);
        WorldBuilder builder;
        builder.add_rigid("tumbler", translated(lopsided(), {0.1, 0.45, 0}), 900.0, {0.5, -1, 0}, {1, 2, 3});
        builder.add_deformable("pad", translated(generate_box({1.5, 0.2, 1.5}, {4, 1, 4}), {0, -0.101, 0}),
                               {MaterialLaw::neo_hookean, 1e5, 0.3, 800});
        builder.add_half_space("ground", {0, -0.202, 0}, {0, 1, 0});
        builder.set_gravity({0, -gravity, 0});
        builder.set_default_friction(0.4);
        auto [world, state] = builder.build();
        const auto first = make(method, {}), second = make(method, {});
        int contacts = 0;
        state = run_steps(*first, world, state, 0.02, 10,
                          [&](const State&, const StepResult& result) { contacts += result.report.contacts; });
        if (through_bytes) state = state_from_bytes(to_bytes(state), "memory");
        state = run_steps(through_bytes ? *second : *first, world, state, 0.02, 10);
        CHECK(contacts > 0);
        set_thread_count(0);
        return to_bytes(state);
    };
    for (const std::string method : {"ipc", "implicit"}) {
        CAPTURE(method);
        const std::string reference = run(method, 1, false);
        CHECK(run(method, 2, false) == reference);
        CHECK(run(method, 2, true) == reference);
    }
}

TEST_CASE("a rigid body fired at a thin board does not tunnel at any speed") {
    for (const double speed : {10.0, 1000.0}) {
        CAPTURE(speed);
        WorldBuilder builder;
        builder.add_rigid("ball", translated(generate_ball(0.05, 2), {-0.2, 0.003, 0.002}), 1000.0, {speed, 0, 0},
                          {3, 0, 20});
        builder.add_obstacle("board", generate_box({0.02, 0.5, 0.5}, {1, 6, 6}, Fill::surface));
        const auto [world, state] = builder.build();
        const auto ipc = make("ipc", {});
        const State end = run_steps(*ipc, world, state, 0.02, 10, [&](const State& now, const StepResult&) {
            CHECK(centre_of_mass(world, now, 0).first.x() < -0.01);
        });
        CHECK(centre_of_mass(world, end, 0).second.x() < 0.0);
        check_clean(world, end);
    }
}
