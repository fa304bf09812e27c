// Friction against analytic answers.
#include "stiction/mesh/generate.hpp"

#include "support/compare.hpp"
#include "support/run.hpp"
#include <Eigen/Geometry>

using namespace stiction;
using namespace stiction::test;

namespace {

constexpr double gravity = 9.81;

/// A stiff block resting on a plane; gravity is tilted instead of the plane, so that x runs down the slope.
struct Slope {
    World world;
    State state;
    ipc::Options options;
};

Slope block_on_slope(double tangent, double mu, double gap) {
    WorldBuilder builder;
    builder.add_deformable("block", translated(generate_box({0.2, 0.1, 0.2}, {2, 1, 2}), {0, 0.05 + gap, 0}),
                           {MaterialLaw::neo_hookean, 1e8, 0.3, 1000});
    builder.add_half_space("slope", {0, 0, 0}, {0, 1, 0});
    const double angle = std::atan(tangent);
    builder.set_gravity({gravity * std::sin(angle), -gravity * std::cos(angle), 0});
    builder.set_default_friction(mu);
    auto [world, state] = builder.build();
    ipc::Options options;
    options.friction_velocity = 1e-5;
    options.velocity_tolerance = 1e-9;
    options.friction_iterations = 0;
    return {std::move(world), std::move(state), options};
}

/// Lets the block settle on level ground, so that it starts in contact at rest, then tilts gravity.
State settled(Slope& slope, Method& method, double h) {
    const Vec3 tilted = slope.world.gravity;
    slope.world.gravity = {0, tilted.y(), 0};
    State state = run_steps(method, slope.world, slope.state, h, 40);
    state.v.setZero();
    slope.world.gravity = tilted;
    return state;
}

/// At rest on the slope and free of stress locked in by sticking feet: exactly at the threshold nothing would stop a
/// block that the release of such stress, or a jolt, has set sliding. Rests under high friction, smoothed widely enough
/// for the feet to creep apart.
State at_rest_on_slope(double tangent, double h) {
    Slope slope = block_on_slope(tangent, 4.0 * tangent, 1.5e-4);
    slope.options.friction_velocity = 1e-3;
    ipc::Ipc ipc(slope.options);
    State state = run_steps(ipc, slope.world, settled(slope, ipc, h), h, 50);
    state.v.setZero();
    return state;
}

}  // namespace

TEST_CASE("block on a slope of 0.5: holds at mu = 0.5 up to the creep of smoothed friction, slides at 0.49") {
    const double h = 0.01, duration = 1.0;
    const int steps = static_cast<int>(std::round(duration / h));
    {
        const State start = at_rest_on_slope(0.5, h);
        Slope slope = block_on_slope(0.5, 0.5, 1.5e-4);
        ipc::Ipc ipc(slope.options);
        double fastest_sinking = 0.0;
        const State end = run_steps(ipc, slope.world, start, h, steps, [&](const State& now, const StepResult&) {
            fastest_sinking = std::max(fastest_sinking, std::abs(centre_of_mass(slope.world, now, 0).second.y()));
        });
        const double moved =
            centre_of_mass(slope.world, end, 0).first.x() - centre_of_mass(slope.world, start, 0).first.x();
        // Exactly at the threshold the smoothed law balances gravity at the speed eps_v, no faster.
        CHECK(moved > 0.0);
        CHECK(moved < slope.options.friction_velocity * duration * 1.02);
        CHECK(fastest_sinking < 0.01 * slope.options.friction_velocity);
    }
    {
        Slope slope = block_on_slope(0.5, 0.49, 1.5e-4);
        ipc::Ipc ipc(slope.options);
        const State start = settled(slope, ipc, h);
        const State end = run_steps(ipc, slope.world, start, h, steps);
        const double angle = std::atan(0.5);
        const double expected = gravity * (std::sin(angle) - 0.49 * std::cos(angle));
        CHECK(centre_of_mass(slope.world, end, 0).second.x() / duration ==
              relative(expected, 1e-2));  // stress that feet hold while they stick: 0.3 %
    }
}

TEST_CASE("a body at rest keeps its gap: the adaptive barrier stiffness does not follow a sinking body") {
    Slope slope = block_on_slope(0.0, 0.5, 1.5e-4);
    ipc::Ipc ipc(slope.options);
    State start = settled(slope, ipc, 0.01);
    for (Index v = 0; v < slope.world.vertex_count(); ++v) {
        if (!slope.world.is_obstacle(v)) start.v[3 * v + 1] = -1e-5;
    }
    const State soon = run_steps(ipc, slope.world, start, 0.01, 20);
    const State later = run_steps(ipc, slope.world, soon, 0.01, 50);
    CHECK(std::abs(centre_of_mass(slope.world, later, 0).second.y()) < 1e-9);
    CHECK(std::abs(centre_of_mass(slope.world, later, 0).first.y() - centre_of_mass(slope.world, soon, 0).first.y()) <
          1e-8);
}

TEST_CASE(
    "default tolerances: a block starts to slide from rest as Coulomb says, although eps_v is below the stopping "
    "tolerance") {
    const double h = 0.02, tangent = 0.4;
    for (const double mu : {0.2, 0.35}) {
        Slope slope = block_on_slope(tangent, mu, 1.5e-4);
        slope.options = ipc::Options{};
        ipc::Ipc ipc(slope.options);
        const State start = settled(slope, ipc, h);
        const State end = run_steps(ipc, slope.world, start, h, 25);
        const double angle = std::atan(tangent);
        const double expected = gravity * (std::sin(angle) - mu * std::cos(angle)) * (end.t - start.t);
        CAPTURE(mu);
        CHECK(centre_of_mass(slope.world, end, 0).second.x() == relative(expected, 2e-3));
    }
}

TEST_CASE("stick creep below the threshold is eps_v (1 - sqrt(1 - r))") {
    const double h = 0.01;
    for (const double r : {0.5, 0.9}) {
        Slope slope = block_on_slope(0.5, 0.5 / r, 1.5e-4);
        slope.options.friction_velocity = 1e-3;
        ipc::Ipc ipc(slope.options);
        const State start = settled(slope, ipc, h);
        const State end = run_steps(ipc, slope.world, start, h, 40);
        CAPTURE(r);
        CHECK(centre_of_mass(slope.world, end, 0).second.x() == relative(1e-3 * (1 - std::sqrt(1 - r)), 1e-6));
    }
}

TEST_CASE("a sliding block stops after v0^2 / (2 mu g), backward Euler's -v0 h / 2 counted") {
    const double h = 0.005, v0 = 0.5, mu = 0.3;
    Slope slope = block_on_slope(0.0, mu, 1.5e-4);
    ipc::Ipc ipc(slope.options);
    State start = settled(slope, ipc, h);
    for (Index v = 0; v < slope.world.vertex_count(); ++v) {
        if (!slope.world.is_obstacle(v)) start.v[3 * v] = v0;
    }
    double stopped = 0.0;
    const State end = run_steps(ipc, slope.world, start, h, 60, [&](const State& now, const StepResult&) {
        if (stopped == 0.0 && centre_of_mass(slope.world, now, 0).second.x() < 1e-4) stopped = now.t - start.t;
    });
    const double distance =
        centre_of_mass(slope.world, end, 0).first.x() - centre_of_mass(slope.world, start, 0).first.x();
    CHECK(distance == relative(v0 * v0 / (2 * mu * gravity) - v0 * h / 2, 1e-3));
    CHECK(stopped == within(v0 / (mu * gravity), 0.5 * h + 1e-9));  // times are multiples of h
}

TEST_CASE("friction and contact forces on two bodies are equal and opposite, and inside the cone") {
    WorldBuilder builder;
    builder.add_deformable("upper", translated(generate_ball(0.1, 3), {0, 0.16, 0}),
                           {MaterialLaw::neo_hookean, 1e5, 0.3, 1000}, {1, 0, 0});
    builder.add_deformable("lower", generate_box({0.4, 0.1, 0.4}, {4, 1, 4}),
                           {MaterialLaw::neo_hookean, 1e5, 0.3, 1000});
    builder.add_half_space("ground", {0, -0.0505, 0}, {0, 1, 0});
    builder.set_gravity({0, -9.81, 0});
    builder.set_friction(0, 1, 0.4);
    auto [world, state] = builder.build();
    ipc::Ipc ipc(ipc::Options{});
    int rubbing = 0;
    run_steps(ipc, world, state, 0.01, 40, [&](const State& now, const StepResult& result) {
        Vec3 friction = Vec3::Zero(), contact = Vec3::Zero(), upper_friction = Vec3::Zero();
        double pressed = 0.0;
        for (Index v = 0; v < world.vertex_count(); ++v) {
            pressed += result.contact_force.segment<3>(3 * v).norm();
            friction += result.friction_force.segment<3>(3 * v);
            contact += result.contact_force.segment<3>(3 * v);
            if (world.body_of_vertex[static_cast<std::size_t>(v)] == 0) {
                upper_friction += result.friction_force.segment<3>(3 * v);
            }
        }
        CHECK(friction.norm() <= 1e-12 * upper_friction.norm());
        CHECK(contact.norm() <= 1e-12 * pressed);
        rubbing += upper_friction.norm() > 0.1;
        // Friction takes energy out, whatever the motion.
        CHECK(result.friction_force.dot(now.v) <= 0.0);
    });
    CHECK(rubbing > 5);
}

TEST_CASE("with converged lagging, friction acts in the very step that makes contact") {
    WorldBuilder builder;
    builder.add_deformable("cube", translated(generate_box({0.2, 0.2, 0.2}, {2, 2, 2}), {0, 0.105, 0}),
                           {MaterialLaw::neo_hookean, 1e6, 0.3, 1000}, {1, -1, 0});
    builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
    builder.set_default_friction(0.5);
    auto [world, state] = builder.build();
    ipc::Options options;
    options.friction_iterations = 0;
    options.velocity_tolerance = 1e-6;
    ipc::Ipc ipc(options);
    const State end = run_steps(ipc, world, state, 0.01, 1, [&](const State&, const StepResult& result) {
        const double normal = -result.contact_force[3 * (world.vertex_count() - 1) + 1],
                     along = -result.friction_force[3 * (world.vertex_count() - 1)];
        CHECK(normal > 10.0);
        CHECK(-along == relative(0.5 * normal, 1e-3));
    });
}

TEST_CASE("a cap of one solve: a step without friction has converged, and one with friction says why it has not") {
    for (const double height : {0.105, 0.5}) {
        WorldBuilder builder;
        builder.add_deformable("cube", translated(generate_box({0.2, 0.2, 0.2}, {2, 2, 2}), {0, height, 0}),
                               {MaterialLaw::neo_hookean, 1e6, 0.3, 1000}, {1, -1, 0});
        builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
        builder.set_default_friction(0.5);
        auto [world, state] = builder.build();
        ipc::Options options;
        options.friction_iterations = 0;
        options.max_friction_iterations = 1;
        ipc::Ipc ipc(options);
        run_steps(ipc, world, state, 0.01, 2, [&](const State&, const StepResult& result) {
            const bool touches = height < 0.2;
            CHECK((result.report.contacts > 0) == touches);
            CHECK(result.report.status == (touches ? Status::friction_not_converged : Status::converged));
            CHECK((result.report.cause.find("max_friction_iterations 1") != std::string::npos) == touches);
        });
    }
}
