// Rigid bodies, collision meshes and kinetic friction under `local_global`, against what is known.
#include "stiction/base/parallel.hpp"
#include "stiction/math/svd3.hpp"
#include "stiction/mesh/topology.hpp"
#include "stiction/methods/local_global/method.hpp"

#include "support/block_on_slope.hpp"
#include "support/compare.hpp"
#include "support/rigid.hpp"

using namespace stiction;
using namespace stiction::local_global;
using namespace stiction::test;

namespace {

LocalGlobal with_iterations(int iterations) {
    local_global::Options options;
    options.iterations = iterations;
    return LocalGlobal(options);
}

}  // namespace

TEST_CASE("local_global: rigid body in free flight: backward Euler's parabola and spin, momentum to rounding") {
    WorldBuilder builder;
    builder.add_rigid("body", lopsided(), 1000.0, {1, 2, 3}, {2, -1, 4});
    builder.set_gravity({0, -gravity, 0});
    const auto [world, state] = builder.build();
    const RigidBody& body = world.rigid_bodies[0];
    const double h = 0.01;
    // Of all rotations the one nearest to where inertia takes the linear part, measured with the covariance of mass.
    Mat3 rotation = Mat3::Identity(), spin;
    spin << 0, -4, -1, 4, 0, -2, 1, 2, 0;
    LocalGlobal method = with_iterations(5);
    method.check(world);
    int n = 0;
    run_steps(method, world, state, h, 50, [&](const State& now, const StepResult& result) {
        ++n;
        const Mat3 next = polar_rotation((rotation + h * spin) * body.covariance);
        spin = (next - rotation) / h;
        rotation = next;
        CHECK((linear_part(world, body, now.x) - rotation).norm() < 1e-12);
        CHECK(distortion(world, body, now.x) < 1e-13);
        const auto [position, velocity] = centre_of_mass(world, now, 0);
        CHECK((velocity - Vec3(1, 2 - gravity * n * h, 3)).norm() < 1e-11);
        CHECK((position - body.centre - Vec3(1, 2, 3) * n * h + Vec3(0, gravity * h * h * n * (n + 1) / 2, 0)).norm() <
              1e-12);
        CHECK((result.report.momentum - body.mass * velocity).norm() < 1e-11 * body.mass);
        CHECK(result.report.notes.empty());
        // Every vertex of the body is where the pose puts it.
        VecX placed = now.x;
        place_rigid(world, body, rigid_pose(world, body, now.x), placed);
        CHECK((placed - now.x).lpNorm<Eigen::Infinity>() < 1e-13);
    });
}

TEST_CASE("local_global: a rigid body's load at one vertex moves it as Newton and Euler say") {
    WorldBuilder builder;
    builder.add_rigid("body", lopsided(), 1000.0);
    const auto [world, state] = builder.build();
    const RigidBody& body = world.rigid_bodies[0];
    LocalGlobal method = with_iterations(10);
    // A vertex of the frame, and one that hangs on it.
    Index hanging = body.first_vertex;
    while (std::find(body.frame.begin(), body.frame.end(), hanging) != body.frame.end()) ++hanging;
    for (const Index vertex : {body.frame[1], hanging}) {
        CAPTURE(vertex);
        const double h = 1e-4;
        StepInput input = schedule(world, state, h);
        const Vec3 load(3e3, -5e3, 7e3);
        input.external_force.segment<3>(3 * vertex) += load;
        StepResult result;
        method.step(world, state, input, result);
        REQUIRE(result.report.status == Status::converged);
        const RigidPose pose = rigid_pose(world, body, state.x);
        const RigidVelocity velocity = rigid_velocity(world, body, state.x, result.state.v);
        const Vec3 arm = state.x.segment<3>(3 * vertex) - body.centre;
        const Vec3 turned = inertia_tensor(body, pose).ldlt().solve(h * arm.cross(load));
        CHECK((velocity.linear - h * load / body.mass).norm() < 1e-9 * h * load.norm() / body.mass);
        CHECK((velocity.angular - turned).norm() < 1e-5 * turned.norm());
    }
}

TEST_CASE("local_global: a rigid block on a slope of 0.5 sticks at mu = 0.501, slides at 0.499 as Coulomb says") {
    for (const double mu : {0.501, 0.499}) {
        CAPTURE(mu);
        WorldBuilder builder;
        builder.add_rigid("block", translated(generate_box({0.2, 0.05, 0.2}, {2, 1, 2}), {0, 0.0252, 0}), 1000.0);
        builder.add_half_space("slope", {0, 0, 0}, {0, 1, 0});
        builder.set_default_friction(mu);
        const double angle = std::atan(0.5), h = 0.01;
        auto [world, state] = builder.build();
        LocalGlobal method = with_iterations(10);
        world.gravity = {0, -gravity * std::cos(angle), 0};
        State start = run_steps(method, world, state, h, 40);
        start.v.setZero();
        world.gravity.x() = gravity * std::sin(angle);
        const State end = run_steps(method, world, start, h, 100);
        const double speed = centre_of_mass(world, end, 0).second.x();
        const double slope = gravity * (std::sin(angle) - mu * std::cos(angle));
        if (mu > 0.5) {
            CHECK(std::abs(speed) < 1e-9);
        } else {
            CHECK(speed == relative(slope * 1.0, 1e-6));
        }
        CHECK(distortion(world, world.rigid_bodies[0], end.x) < 1e-12);
    }
}

TEST_CASE("local_global: a rigid beam on two edges: reactions as the lever says") {
    WorldBuilder builder;
    const Mesh post = generate_box({0.02, 0.2, 0.3}, {1, 1, 1}, Fill::surface);
    builder.add_rigid("beam", translated(generate_box({1.0, 0.05, 0.2}, {10, 1, 2}), {0, 0.0252, 0}), 1000.0);
    builder.add_obstacle("left", translated(post, {-0.4, -0.1, 0}));
    builder.add_obstacle("right", translated(post, {0.2, -0.1, 0}));
    builder.set_gravity({0, -gravity, 0});
    builder.set_default_friction(0.3);
    const auto [world, state] = builder.build();
    LocalGlobal method = with_iterations(20);
    StepResult last;
    const State end =
        run_steps(method, world, state, 0.01, 150, [&](const State&, const StepResult& result) { last = result; });
    const double weight = gravity * world.rigid_bodies[0].mass;
    const VecX force = last.contact_force + last.friction_force;
    CHECK(weight == relative(98.1, 1e-12));
    // Torques about the origin, of what acts on the beam.
    double torque = 0.0, left = 0.0, right = 0.0;
    for (Index v = 0; v < world.vertex_count(); ++v) {
        const Index body = world.body_of_vertex[static_cast<std::size_t>(v)];
        if (body == 1) left -= force[3 * v + 1];
        if (body == 2) right -= force[3 * v + 1];
        if (body == 0) torque += end.x[3 * v] * force[3 * v + 1] - end.x[3 * v + 1] * force[3 * v];
    }
    const double centre = rigid_pose(world, world.rigid_bodies[0], end.x).centre.x();
    CHECK(left + right == relative(weight, 1e-6));
    CHECK(torque == within(weight * centre, 1e-3));
    // Edges of the posts are at -0.41, -0.39, 0.19 and 0.21 m: each post carries between these levers.
    CHECK(left / weight > 0.19 / 0.60);
    CHECK(left / weight < 0.21 / 0.60);
    CHECK(rigid_velocity(world, world.rigid_bodies[0], end.x, end.v).linear.norm() < 1e-8);
}

TEST_CASE("local_global: a soft block on a rigid one on another: all come to rest, each carries what is above it") {
    WorldBuilder builder;
    builder.add_rigid("lower", translated(generate_box({0.2, 0.1, 0.2}, {2, 1, 2}), {0, 0.051, 0}), 1000.0);
    builder.add_rigid("middle", surface_mesh(translated(generate_box({0.18, 0.1, 0.18}, {1, 1, 1}), {0.005, 0.153, 0})),
                      500.0);
    builder.add_deformable("upper", translated(generate_box({0.16, 0.1, 0.16}, {2, 2, 2}), {0, 0.255, 0.005}),
                           {MaterialLaw::neo_hookean, 1e5, 0.3, 800});
    builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({0, -gravity, 0});
    builder.set_default_friction(0.5);
    const auto [world, state] = builder.build();
    LocalGlobal method = with_iterations(10);
    StepResult last;
    const State end =
        run_steps(method, world, state, 0.01, 300, [&](const State&, const StepResult& result) { last = result; });
    const double upper =
        gravity * world.mass.segment(world.bodies[2].first_vertex, world.bodies[2].vertex_count()).sum();
    const double middle = gravity * world.rigid_bodies[1].mass, lower = gravity * world.rigid_bodies[0].mass;
    const VecX force = last.contact_force + last.friction_force;
    CHECK(force_on(world, force, 2, 1) == relative(upper, 1e-4));
    CHECK(force_on(world, force, 1, 1) == relative(middle, 1e-4));
    CHECK(force_on(world, force, 0, 1) == relative(lower, 1e-4));
    CHECK(force_on(world, force, 3, 1) == relative(-upper - middle - lower, 1e-4));
    for (const RigidBody& body : world.rigid_bodies) {
        CHECK(distortion(world, body, end.x) < 1e-12);
        CHECK(rigid_velocity(world, body, end.x, end.v).linear.norm() < 1e-4);
    }
    CHECK(last.report.min_gap > 0.0);
}

TEST_CASE("local_global: two rigid bodies collide off centre: momentum is exchanged, not made") {
    // Forces act along the lines of the start of a step, and backward Euler damps spin: what is lost of the angular
    // momentum falls with the step size.
    const auto made = [](double h) {
        WorldBuilder builder;
        builder.add_rigid("left", translated(generate_box({0.2, 0.2, 0.2}, {1, 1, 1}), {-0.12, 0, 0}), 1000.0,
                          {2, 0, 0});
        builder.add_rigid("right", translated(generate_box({0.2, 0.3, 0.1}, {1, 1, 1}), {0.12, 0.13, 0.02}), 500.0,
                          {-1, 0, 0});
        const auto [world, state] = builder.build();
        LocalGlobal method = with_iterations(5);
        StepReport start, finish;
        measure(world, state, start);
        int in_contact = 0;
        const auto steps = static_cast<int>(std::round(0.12 / h));
        const State end = run_steps(method, world, state, h, steps, [&](const State&, const StepResult& result) {
            in_contact += result.report.contacts > 0;
            CHECK((result.report.momentum - start.momentum).norm() < 1e-11 * start.momentum.norm());
        });
        CHECK(in_contact > 0);
        measure(world, end, finish);
        CHECK(finish.kinetic < start.kinetic);
        CHECK(rigid_velocity(world, world.rigid_bodies[1], end.x, end.v).angular.norm() > 0.5);
        const Vec3 before = angular_momentum(world, state), after = angular_momentum(world, end);
        return (after - before).norm() / before.norm();
    };
    const double coarse = made(0.002), fine = made(0.001), finer = made(0.0005);
    CAPTURE(coarse);
    CAPTURE(fine);
    CAPTURE(finer);
    CHECK(coarse < 0.02);
    CHECK(finer < 0.4 * coarse);
}

TEST_CASE("local_global: soft pads on rigid fingers: attachments hold, and momentum is kept") {
    WorldBuilder builder;
    builder.add_rigid("finger", generate_box({0.1, 0.4, 0.1}, {1, 4, 1}), 2000.0, {0, 0, 0}, {0, 0, 3});
    builder.add_deformable("pad", translated(generate_box({0.1, 0.2, 0.1}, {2, 4, 2}), {0.1, 0, 0}),
                           {MaterialLaw::neo_hookean, 1e5, 0.4, 1000});
    auto [world, state] = builder.build();
    const Body& pad = world.bodies[1];
    // The pad turns with the finger at first.
    for (Index v = pad.first_vertex; v < pad.first_vertex + pad.vertex_count(); ++v)
        state.v.segment<3>(3 * v) = Vec3(0, 0, 3).cross(Vec3(state.x.segment<3>(3 * v)));
    local_global::Options options;
    options.iterations = 20;
    options.contact.linear_iterations = 50;
    options.attachments = {{.body = "pad", .to = "finger", .centre = {0.05, 0, 0}, .radius = 0.075}};
    LocalGlobal method(options);
    method.check(world);
    StepReport start;
    measure(world, state, start);
    std::vector<Index> held;
    for (Index v = pad.first_vertex; v < pad.first_vertex + pad.vertex_count(); ++v) {
        if ((state.x.segment<3>(3 * v) - Vec3(0.05, 0, 0)).norm() <= 0.075) held.push_back(v);
    }
    REQUIRE(held.size() == 14);
    const State end = run_steps(method, world, state, 0.005, 100, [&](const State&, const StepResult& result) {
        CHECK((result.report.momentum - start.momentum).norm() < 1e-9 * start.momentum.norm());
    });
    const RigidPose pose = rigid_pose(world, world.rigid_bodies[0], end.x);
    CHECK((pose.rotation - Mat3::Identity()).norm() > 0.5);
    for (const Index v : held) {
        const Vec3 place =
            pose.centre + pose.rotation * (world.initial_positions.segment<3>(3 * v) - world.rigid_bodies[0].centre);
        CHECK((end.x.segment<3>(3 * v) - place).norm() < 1e-5);
    }
}

TEST_CASE("local_global: rigid bodies: same bits with 1 and 2 threads and from a state that went through bytes") {
    const auto run = [](int threads, bool through_bytes) {
        set_thread_count(threads);
        WorldBuilder builder;
        builder.add_rigid("tumbler", translated(lopsided(), {0.1, 0.45, 0}), 900.0, {0.5, -1, 0}, {1, 2, 3});
        builder.add_rigid("other", translated(lopsided(), {0.2, 1.15, 0.1}), 500.0, {0.5, -2, 0}, {1, 2, 3});
        builder.add_deformable("pad", translated(generate_box({1.5, 0.2, 1.5}, {4, 1, 4}), {0, -0.101, 0}),
                               {MaterialLaw::neo_hookean, 1e5, 0.3, 800});
        builder.add_half_space("ground", {0, -0.202, 0}, {0, 1, 0});
        builder.set_gravity({0, -gravity, 0});
        builder.set_default_friction(0.4, 0.2);
        auto [world, state] = builder.build();
        LocalGlobal first = with_iterations(5), second = with_iterations(5);
        int contacts = 0;
        state = run_steps(first, world, state, 0.01, 20,
                          [&](const State&, const StepResult& result) { contacts += result.report.contacts; });
        if (through_bytes) state = state_from_bytes(to_bytes(state), "memory");
        state = run_steps(through_bytes ? second : first, world, state, 0.01, 20);
        CHECK(contacts > 0);
        set_thread_count(0);
        return to_bytes(state);
    };
    const std::string reference = run(1, false);
    CHECK(run(2, false) == reference);
    CHECK(run(2, true) == reference);
}

TEST_CASE("local_global: kinetic friction: a thrown block is slowed by it, and one at rest is held by the static one") {
    // The block starts where contact holds it: at the distance that surfaces keep, 1e-3 of the diagonal of 0.3 m.
    const SlopedBlock thrown{.tangent = 0.0,
                             .mu = 0.5,
                             .material = {MaterialLaw::fixed_corotated, 1e7, 0.3, 1000},
                             .gap = 3e-4,
                             .kinetic_ratio = 0.4,
                             .velocity = {2, 0, 0}};
    const Scene moving = block_on_slope(thrown);
    LocalGlobal method = with_iterations(10);
    method.check(moving.world);
    const auto speed = [](const Scene& scene, const State& state) {
        return centre_of_mass(scene.world, state, 0).second.x();
    };
    // mu_k g = 1.962 m/s^2, after the first tenth of a second, in which the block settles.
    const State early = run_steps(method, moving.world, moving.state, 0.005, 20),
                later = run_steps(method, moving.world, early, 0.005, 80);
    CHECK(speed(moving, early) - speed(moving, later) == relative(0.4 * 0.2 * gravity, 1e-3));
    // Between the angles of kinetic and static friction a block at rest stays, and one that slides goes on.
    SlopedBlock between = thrown;
    between.tangent = 0.35;
    between.velocity.setZero();
    const Scene resting = block_on_slope(between);
    const State held = run_steps(method, resting.world, resting.state, 0.005, 100);
    CHECK(std::abs(speed(resting, held)) < 1e-6);
    between.velocity = {0.5, 0, 0};
    const Scene sliding = block_on_slope(between);
    const State begun = run_steps(method, sliding.world, sliding.state, 0.005, 20),
                gone = run_steps(method, sliding.world, begun, 0.005, 80);
    const double angle = std::atan(0.35), gain = 0.4 * gravity * (std::sin(angle) - 0.2 * std::cos(angle));
    CHECK(speed(sliding, gone) - speed(sliding, begun) == relative(gain, 1e-3));
    // Above all speeds here the static coefficient holds.
    local_global::Options slow;
    slow.iterations = 10;
    slow.kinetic_velocity = 10.0;
    LocalGlobal with_static(slow);
    const State stopped = run_steps(with_static, sliding.world, sliding.state, 0.005, 100);
    CHECK(std::abs(speed(sliding, stopped)) < 1e-6);
}

TEST_CASE("local_global: a body with a collision mesh rests on it, and the forces on it carry the weight") {
    WorldBuilder builder;
    const Mesh coarse = generate_box({0.2, 0.2, 0.2}, {2, 2, 2});
    const Index body =
        builder.add_deformable("cube", translated(coarse, {0, 0.1, 0}), {MaterialLaw::neo_hookean, 1e5, 0.3, 1000});
    builder.set_collision_mesh(body,
                               translated(generate_box({0.19, 0.19, 0.19}, {5, 5, 5}, Fill::surface), {0, 0.1, 0}));
    builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({0, -gravity, 0});
    builder.set_default_friction(0.5);
    const auto [world, state] = builder.build();
    for (const DeviceKind device : {DeviceKind::cpu, DeviceKind::emulated}) {
        CAPTURE(device_names()[static_cast<std::size_t>(device)]);
        local_global::Options options;
        options.iterations = 10;
        options.device = device;
        LocalGlobal method(options);
        method.check(world);
        StepResult last;
        const State end =
            run_steps(method, world, state, 0.01, 200, [&](const State&, const StepResult& result) { last = result; });
        const double weight = gravity * world.mass.sum();
        CHECK(weight == relative(gravity * 8.0, 1e-12));
        CHECK(force_on(world, last.contact_force, 0, 1) == relative(weight, 1e-4));
        // The tets' own corners are half a centimetre lower than the mesh that collides.
        double lowest_tet = 1.0, lowest_carried = 1.0;
        for (Index v = 0; v < world.vertex_count(); ++v) {
            if (world.is_obstacle(v)) continue;
            double& lowest = world.is_carried(v) ? lowest_carried : lowest_tet;
            lowest = std::min(lowest, end.x[3 * v + 1]);
        }
        CHECK(lowest_carried > 0.0);
        CHECK(lowest_carried < 2e-3);
        CHECK(lowest_tet < -2e-3);
    }
}

TEST_CASE("local_global: rigid bodies beside solids of consistent mass fall as they do beside lumped ones") {
    for (const bool consistent : {false, true}) {
        WorldBuilder builder;
        builder.add_rigid("stone", lopsided(), 1000.0, {0, 1, 0}, {1, 2, 3});
        builder.add_deformable("cube", translated(generate_box({0.2, 0.2, 0.2}, {2, 2, 2}), {3, 0, 0}),
                               {MaterialLaw::fixed_corotated, 1e5, 0.3, 1000});
        builder.set_gravity({0, -gravity, 0});
        builder.set_consistent_mass(consistent);
        const auto [world, state] = builder.build();
        LocalGlobal method = with_iterations(5);
        StepReport before, after;
        measure(world, state, before);
        const State end = run_steps(method, world, state, 0.01, 20);
        measure(world, end, after);
        const double mass = world.rigid_bodies[0].mass + 8.0;
        CHECK((after.momentum - before.momentum + Vec3(0, 0.2 * gravity * mass, 0)).norm() < 1e-9 * mass);
        CHECK(centre_of_mass(world, end, 0).second.y() == relative(1.0 - 0.2 * gravity, 1e-12));
        CHECK(centre_of_mass(world, end, 1).second.y() == relative(-0.2 * gravity, 1e-9));
    }
}
