// Contact in steps of `local_global`: slopes, stacks, rest, penetration, sheets, certified steps.
#include "stiction/audit/audit.hpp"
#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/local_global/bilateral.hpp"
#include "stiction/methods/local_global/method.hpp"
#include "stiction/methods/local_global/step_contacts.hpp"

#include "support/block_on_slope.hpp"
#include "support/compare.hpp"
#include <Eigen/Geometry>

#include <numbers>

using namespace stiction;
using namespace stiction::local_global;
using namespace stiction::test;

namespace {

/// It starts at the distance that surfaces keep.
Scene block_on_slope(double tangent, double mu, double youngs_modulus, double gap) {
    return test::block_on_slope(
        {.tangent = tangent, .mu = mu, .material = {MaterialLaw::arap, youngs_modulus, 0.3, 1000}, .gap = gap});
}

local_global::Options slope_options() {
    local_global::Options options;
    options.iterations = 10;
    options.contact.linear_iterations = 24;
    options.thickness = 1e-4;
    return options;
}

}  // namespace

TEST_CASE("local_global: a stiff block on a slope sticks just above mu = tan(theta) and slides just below") {
    const double tangent = 0.17632698, h = 0.01, angle = std::atan(tangent);
    {
        Scene scene = block_on_slope(tangent, tangent + 0.001, 1e8, 1e-4);
        LocalGlobal method(slope_options());
        const State settled = run_steps(method, scene.world, scene.state, h, 50);
        const State end = run_steps(method, scene.world, settled, h, 100);
        const double crept =
            centre_of_mass(scene.world, end, 0).first.x() - centre_of_mass(scene.world, settled, 0).first.x();
        CHECK(std::abs(crept) < 1e-6);
    }
    {
        Scene scene = block_on_slope(tangent, tangent - 0.001, 1e8, 1e-4);
        LocalGlobal method(slope_options());
        const State settled = run_steps(method, scene.world, scene.state, h, 50);
        const State end = run_steps(method, scene.world, settled, h, 100);
        const double gained =
            centre_of_mass(scene.world, end, 0).second.x() - centre_of_mass(scene.world, settled, 0).second.x();
        CHECK(gained == relative(gravity * 0.001 * std::cos(angle) * 100 * h, 1e-4));
    }
}

namespace {

/// A soft cube that falls onto another one, which lies on the ground, tilted.
Scene two_cubes() {
    WorldBuilder builder;
    const BodyMaterial soft{MaterialLaw::fixed_corotated, 1e5, 0.3, 1000, 2.0};
    builder.add_deformable("lower", translated(generate_box({0.1, 0.1, 0.1}, {3, 3, 3}), {0, 0.052, 0}), soft);
    const Mat3 tilt = Eigen::AngleAxisd(0.3, Vec3(1, 0.3, 0.2).normalized()).toRotationMatrix();
    builder.add_deformable(
        "upper", translated(rotated(generate_box({0.08, 0.08, 0.08}, {2, 2, 2}), tilt), {0.005, 0.17, 0.003}), soft);
    builder.add_half_space("floor", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({0, -gravity, 0});
    builder.set_default_friction(0.5);
    auto [world, state] = builder.build();
    return {std::move(world), std::move(state)};
}

Motion moved(std::vector<Index> vertices, const Vec3& velocity) {
    Motion motion;
    motion.name = "moved";
    motion.vertices = std::move(vertices);
    auto trajectory = std::make_shared<RigidTrajectory>();
    trajectory->velocity = velocity;
    motion.trajectory = trajectory;
    return motion;
}

std::vector<Index> vertices_of(const WorldBuilder& builder, Index body) {
    std::vector<Index> result;
    for (Index v = 0; v < builder.body(body).vertex_count(); ++v) result.push_back(builder.first_vertex(body) + v);
    return result;
}

}  // namespace

TEST_CASE("local_global: a thrown block stops after v^2 / 2 mu g") {
    const double speed = 1.0, mu = 0.4, h = 0.002;
    Scene scene = block_on_slope(0.0, mu, 1e7, 1e-4);
    for (Index v = 0; v < scene.world.vertex_count(); ++v) {
        if (!scene.world.is_obstacle(v)) scene.state.v[3 * v] = speed;
    }
    LocalGlobal method(slope_options());
    const double start = centre_of_mass(scene.world, scene.state, 0).first.x();
    const State end = run_steps(method, scene.world, scene.state, h, 160);
    // Backward Euler takes v0 h / 2 off.
    CHECK(centre_of_mass(scene.world, end, 0).first.x() - start ==
          relative(speed * speed / (2.0 * mu * gravity) - 0.5 * speed * h, 1e-4));
    CHECK(centre_of_mass(scene.world, end, 0).second.norm() < 1e-3);
}

TEST_CASE("local_global: cubes come to rest on each other, apart, and contact forces carry the weight") {
    Scene scene = two_cubes();
    LocalGlobal method({});
    double deepest = 0.0;
    const State state =
        run_steps(method, scene.world, scene.state, 0.005, 300, [&](const State& now, const StepResult&) {
            for (const Index v : scene.world.surface.vertices) deepest = std::max(deepest, -now.x[3 * v + 1]);
        });
    CHECK(deepest == 0.0);
    CHECK(audit::audit_state(scene.world, state.x).ok());
    CHECK(centre_of_mass(scene.world, state, 1).second.norm() < 1e-2);
    CHECK(centre_of_mass(scene.world, state, 1).first.y() > 0.12);
    StepResult result;
    method.step(scene.world, state, schedule(scene.world, state, 0.005), result);
    REQUIRE(is_accepted(result.report.status));
    Vec3 on_floor = Vec3::Zero(), all = Vec3::Zero();
    double weight = 0.0;
    for (Index v = 0; v < scene.world.vertex_count(); ++v) {
        all += result.contact_force.segment<3>(3 * v) + result.friction_force.segment<3>(3 * v);
        if (scene.world.is_obstacle(v)) on_floor += result.contact_force.segment<3>(3 * v);
        weight += gravity * scene.world.mass[v];
    }
    CHECK(all.norm() < 1e-9 * weight);
    CHECK(-on_floor.y() == relative(weight, 1e-3));
    CHECK(result.report.contacts > 0);
    CHECK(result.report.min_gap > 0.0);
    for (Index v = 0; v < scene.world.vertex_count(); ++v) {
        if (!scene.world.is_obstacle(v)) continue;
        CHECK(result.contact_state[static_cast<std::size_t>(v)] == ContactState::sticking);
    }
}

TEST_CASE("local_global: an obstacle that rises lifts a body without going into it") {
    WorldBuilder builder;
    builder.add_deformable("cube", translated(generate_box({0.1, 0.1, 0.1}, {2, 2, 2}), {0.01, 0.0515, 0.02}),
                           {MaterialLaw::neo_hookean, 1e5, 0.4, 1000});
    const Index lift =
        builder.add_obstacle("lift", translated(generate_box({0.4, 0.1, 0.4}, {1, 1, 1}), {0, -0.05, 0}));
    builder.add_motion(moved(vertices_of(builder, lift), {0, 0.3, 0}));
    builder.set_gravity({0, -gravity, 0});
    auto [world, state] = builder.build();
    LocalGlobal method({});
    const State end = run_steps(method, world, state, 0.01, 50, [&](const State& now, const StepResult&) {
        CHECK(audit::audit_state(world, now.x).ok());
    });
    const auto [centre, velocity] = centre_of_mass(world, end, 0);
    CHECK(centre.y() == relative(0.05 + 0.15, 2e-3));
    CHECK(velocity.y() == relative(0.3, 1e-3));
}

TEST_CASE("local_global: a soft ball is drawn between rollers: in whole, with energies that stay in bounds") {
    WorldBuilder builder;
    const Index ball = builder.add_deformable("ball", translated(generate_ball(0.25, 5), {0, 0.35, 0}),
                                              {MaterialLaw::neo_hookean, 1e4, 0.4, 100});
    for (const double side : {-1.0, 1.0}) {
        Mesh roller = generate_cylinder(0.2, 0.8, 0.04);
        for (Vec3& vertex : roller.vertices) vertex = Vec3(vertex.x() + side * 0.35, -vertex.z(), vertex.y());
        Motion motion =
            moved(vertices_of(builder, builder.add_obstacle(side < 0 ? "left" : "right", roller)), Vec3::Zero());
        auto turn = std::make_shared<RigidTrajectory>();
        turn->centre = {side * 0.35, 0, 0};
        turn->axis = Vec3::UnitZ();
        turn->angular_velocity = side * std::numbers::pi / 2.0;
        motion.trajectory = turn;
        builder.add_motion(std::move(motion));
    }
    builder.set_gravity({0, -gravity, 0});
    builder.set_default_friction(0.5);
    auto [world, state] = builder.build();
    LocalGlobal method({});
    double highest = 0.0;
    const State end = run_steps(method, world, state, 0.01, 100, [&](const State&, const StepResult& result) {
        highest = std::max(highest, result.report.kinetic + result.report.elastic);
        REQUIRE(result.report.complementarity.has_value());
        // A tenth of the thickness that hides such errors, 1e-3 l; sweeps without Newton leave twenty times as much.
        CHECK(result.report.complementarity->normal_error < 1e-4 * world.diagonal);
    });
    CHECK(audit::audit_state(world, end.x).ok());
    CHECK(highest < 40.0);  // it weighs 6 kg: 59 J for a metre
    CHECK(centre_of_mass(world, end, ball).first.y() < 0.1);
}

TEST_CASE("local_global: what starts inside a solid leaves it the way it came in") {
    WorldBuilder builder;
    builder.add_deformable("cube", translated(generate_box({0.1, 0.1, 0.1}, {2, 2, 2}), {0.01, 0.049, 0.02}),
                           {MaterialLaw::arap, 1e5, 0.4, 1000, 20.0});
    builder.add_obstacle("table", translated(generate_box({0.4, 0.1, 0.4}, {2, 1, 2}), {0, -0.05, 0}));
    builder.set_gravity({0, -gravity, 0});
    auto [world, state] = builder.build();
    REQUIRE(!audit::audit_state(world, state.x).ok());
    LocalGlobal method({});
    const State end = run_steps(method, world, state, 0.01, 50);
    CHECK(audit::audit_state(world, end.x).ok());
    CHECK(centre_of_mass(world, end, 0).first.y() == relative(0.05, 0.02));
}

TEST_CASE("local_global: certified steps never pass through a thin plate, others may") {
    const auto run = [](bool certify) {
        WorldBuilder builder;
        builder.add_deformable("ball", translated(generate_ball(0.05, 2), {0.003, 0.1, 0.002}),
                               {MaterialLaw::arap, 1e4, 0.4, 1000}, {0, -40, 0});
        ShellMaterial cloth;
        cloth.bending = BendingModel::none;
        cloth.youngs_modulus = 1e4;
        const Index sheet = builder.add_shell("sheet", generate_cloth(0.3, 0.3, 6, 6), cloth);
        std::vector<Index> rim;
        for (Index v = 0; v < builder.body(sheet).vertex_count(); ++v) {
            const Vec3& x = builder.body(sheet).mesh.vertices[static_cast<std::size_t>(v)];
            if (std::max(std::abs(x.x()), std::abs(x.z())) > 0.149) rim.push_back(builder.first_vertex(sheet) + v);
        }
        builder.add_motion(moved(rim, Vec3::Zero()));
        auto [world, state] = builder.build();
        local_global::Options options;
        options.certify = certify;
        LocalGlobal method(options);
        CHECK(method.promises_separation() == certify);
        int faults = 0, shortened = 0;
        run_steps(method, world, state, 0.005, 40, [&](const State& now, const StepResult& result) {
            faults += audit::audit_state(world, now.x).ok() ? 0 : 1;
            for (const std::string& note : result.report.notes)
                shortened += note.find("ended early") != std::string::npos ? 1 : 0;
        });
        return std::array{faults, shortened};
    };
    const auto [faults, shortened] = run(true);
    CHECK(faults == 0);
    CHECK(shortened > 0);
    CHECK(run(false)[0] > 0);
}

TEST_CASE("local_global: contact: same bits with one and two threads, and after a restart") {
    const auto run = [](int threads, bool interrupted) {
        set_thread_count(threads);
        Scene scene = two_cubes();
        auto method = std::make_unique<LocalGlobal>(local_global::Options{});
        State state = scene.state;
        for (int step = 0; step < 30; ++step) {
            if (interrupted && step % 7 == 0) {
                method = std::make_unique<LocalGlobal>(local_global::Options{});
                state = state_from_bytes(to_bytes(state), "memory");
            }
            state = run_steps(*method, scene.world, state, 0.01, 1);
        }
        set_thread_count(0);
        CHECK(!state.warm_start.at("local_global_contacts").empty());
        return to_bytes(state);
    };
    const std::string one = run(1, false);
    CHECK(one == run(2, false));
    CHECK(one == run(2, true));
}

TEST_CASE("local_global: attachments carry a body by another one and by where it was") {
    WorldBuilder builder;
    const BodyMaterial soft{MaterialLaw::fixed_corotated, 1e5, 0.3, 1000, 2.0};
    builder.add_deformable("upper", translated(generate_box({0.1, 0.1, 0.1}, {2, 2, 2}), {0, 0, 0}), soft);
    builder.add_deformable("lower", translated(generate_box({0.1, 0.1, 0.1}, {3, 3, 3}), {0, -0.101, 0}), soft);
    builder.set_contact(0, 1, false);
    builder.set_gravity({0, -gravity, 0});
    auto [world, state] = builder.build();
    local_global::Options options;
    options.iterations = 20;
    options.contact.linear_iterations = 100;
    options.attachments = {{.body = "upper", .to = "", .centre = {0, 0.08, 0}, .radius = 0.0775},
                           {.body = "lower", .to = "upper", .centre = {0, 0.149, 0}, .radius = 0.22}};
    LocalGlobal method(options);
    method.check(world);
    const State end = run_steps(method, world, state, 0.01, 300);
    // Held vertices stay; the others hang from them, and two bodies of 1 kg stretch by rho g l^2 / E = 0.98 mm, times
    // 1/2 and 1 for the upper one, and 1/3 for the lower one's centre.
    int held = 0;
    for (Index v = 0; v < world.bodies[0].vertex_count(); ++v) {
        if ((world.initial_positions.segment<3>(3 * v) - Vec3(0, 0.08, 0)).norm() > 0.0775) continue;
        ++held;
        CHECK((end.x.segment<3>(3 * v) - world.initial_positions.segment<3>(3 * v)).norm() < 1e-6);
    }
    CHECK(held == 9);
    const double hangs = centre_of_mass(world, end, 1).first.y() - centre_of_mass(world, state, 1).first.y();
    // What is held cannot contract across the pull, nor can what is attached: 6 % less than the 1.8 mm of a free rod.
    CHECK(hangs == relative(-1.69e-3, 1e-2));
    CHECK(centre_of_mass(world, end, 1).second.norm() < 1e-4);
    local_global::Options unknown = options;
    unknown.attachments[1].to = "nobody";
    CHECK_THROWS_AS(LocalGlobal(unknown).check(world), InputError);
    unknown = options;
    unknown.attachments[0].radius = 1e-6;
    CHECK_THROWS_AS(LocalGlobal(unknown).check(world), InputError);
}

TEST_CASE("local_global: a deformable body holds only what is near it, a rigid body what is anywhere") {
    for (const bool rigid : {false, true}) {
        WorldBuilder builder;
        const BodyMaterial soft{MaterialLaw::fixed_corotated, 1e5, 0.3, 1000, 2.0};
        const Mesh box = generate_box({0.1, 0.1, 0.1}, {1, 1, 1});
        builder.add_deformable("held", translated(box, {0.4, 0, 0}), soft);
        if (rigid) {
            builder.add_rigid("holder", box, 1000);
        } else {
            builder.add_deformable("holder", box, soft);
        }
        builder.add_deformable("near", translated(box, {0.4, 0.15, 0}), soft);
        auto [world, state] = builder.build();
        local_global::Options options;
        options.attachments = {{.body = "held", .to = "holder", .centre = {0.4, 0, 0}, .radius = 0.2}};
        CAPTURE(rigid);
        local_global::Options near = options;
        near.attachments = {{.body = "held", .to = "near", .centre = {0.4, 0.05, 0}, .radius = 0.08}};
        CHECK_NOTHROW(LocalGlobal(near).check(world));
        if (rigid) {
            CHECK_NOTHROW(LocalGlobal(options).check(world));
            continue;
        }
        try {
            LocalGlobal(options).check(world);
            FAIL("no error");
        } catch (const InputError& error) {
            // The box of the holder ends at 0.05, the nearest vertices of the held body are at 0.35.
            CHECK(std::string(error.what()).find("local_global.attachments[0].to") != std::string::npos);
            CHECK(std::string(error.what()).find("0.3 m from (0.35") != std::string::npos);
        }
    }
}

namespace {

/// A finger along x, held at its left end, with a cable near its upper face that is pulled until `end`.
struct Finger {
    World world;
    State state;
    local_global::Options options;

    Finger(const BodyMaterial& material, double end, double fraction) {
        const Mesh finger = generate_box({0.3, 0.05, 0.05}, {12, 2, 2});
        WorldBuilder builder;
        builder.add_deformable("finger", finger, material);
        std::vector<Index> base;
        for (std::size_t v = 0; v < finger.vertices.size(); ++v) {
            if (finger.vertices[v].x() < -0.149) base.push_back(static_cast<Index>(v));
        }
        builder.add_motion(moved(base, Vec3::Zero()));
        std::tie(world, state) = builder.build();
        options.iterations = 10;
        options.cables = {
            {.body = "finger",
             .points = {{-0.149, 0.02, 0}, {-0.07, 0.02, 0}, {0, 0.02, 0}, {0.07, 0.02, 0}, {0.149, 0.02, 0}},
             .length = {{0.0, 1.0}, {end, fraction}}}};
    }
    /// Of that at t = 0.
    double cable_length(const VecX& x) const {
        const auto& points = options.cables[0].points;
        double length = 0.0;
        for (std::size_t k = 0; k + 1 < points.size(); ++k)
            length += (embedded_point(world, world.bodies[0], points[k + 1]).at(x) -
                       embedded_point(world, world.bodies[0], points[k]).at(x))
                          .norm();
        return length / 0.298;
    }
};

}  // namespace

TEST_CASE("local_global: a cable that is pulled bends a finger, and a slack one does nothing") {
    const auto run = [](double fraction) {
        const Finger finger({MaterialLaw::fixed_corotated, 1e5, 0.3, 1000, 5.0}, 0.5, fraction);
        LocalGlobal method(finger.options);
        method.check(finger.world);
        const State end = run_steps(method, finger.world, finger.state, 0.01, 150);
        double tip = 0.0;
        for (Index v = 0; v < finger.world.vertex_count(); ++v) tip = std::max(tip, end.x[3 * v + 1]);
        return std::array{finger.cable_length(end.x), tip};
    };
    const auto [length, tip] = run(0.85);
    CHECK(length == relative(0.85, 1e-6));
    CHECK(tip > 0.1);  // bent up, towards the cable
    const auto [slack, rest] = run(1.2);
    CHECK(slack == relative(1.0, 1e-12));
    CHECK(rest == relative(0.025, 1e-12));
}

TEST_CASE("local_global: a cable that pulls a swinging finger is never longer than it may be") {
    const Finger finger({MaterialLaw::fixed_corotated, 2e4, 0.1, 10}, 0.2, 0.85);
    LocalGlobal method(finger.options);
    double longest = 0.0, t = 0.0;
    run_steps(method, finger.world, finger.state, 0.01, 100, [&](const State& now, const StepResult&) {
        t += 0.01;
        longest = std::max(longest, finger.cable_length(now.x) / (1.0 - 0.15 * std::min(1.0, t / 0.2)));
    });
    MESSAGE("longest: " << longest << " of what it may be");
    CHECK(longest < 1.003);
}
