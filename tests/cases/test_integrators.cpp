// Integrators against orders of convergence and exact motions.
#include "stiction/fem/elasticity.hpp"
#include "stiction/mesh/generate.hpp"

#include "support/compare.hpp"
#include "support/integrators.hpp"
#include "support/run.hpp"

#include <cmath>
#include <map>

using namespace stiction;
using namespace stiction::test;

namespace {

ipc::Options tight() {
    ipc::Options options;
    options.velocity_tolerance = 1e-9;
    return options;
}

/// A free bar that is stretched along x and let go.
std::pair<World, State> vibrating_bar() {
    WorldBuilder builder;
    builder.add_deformable("bar", generate_box({0.4, 0.1, 0.1}, {4, 1, 1}), {MaterialLaw::neo_hookean, 1e5, 0.3, 1000});
    builder.set_gravity(Vec3::Zero());
    auto [world, state] = builder.build();
    for (Index v = 0; v < world.vertex_count(); ++v) state.v[3 * v] = 2.0 * state.x[3 * v];
    return {std::move(world), std::move(state)};
}

VecX position_after(Integrator integrator, double time, int steps) {
    auto [world, state] = vibrating_bar();
    ipc::Ipc ipc(tight(), integrator);
    return run_steps(ipc, world, state, time / steps, steps).x;
}

double total_energy(const World& world, const State& state) {
    StepReport report;
    measure(world, state, report);
    return report.kinetic + report.elastic;
}

}  // namespace

TEST_CASE("integrators: backward Euler converges with order 1, all others with order 2") {
    const double time = 0.02;
    const VecX exact = position_after(Integrator::sdirk2, time, 2560);
    for (const std::string& name : dynamic_integrators()) {
        CAPTURE(name);
        const Integrator integrator = integrator_from_name(name);
        const double order = integrator == Integrator::backward_euler ? 1.0 : 2.0;
        const double coarse = (position_after(integrator, time, 160) - exact).norm(),
                     fine = (position_after(integrator, time, 320) - exact).norm();
        // What h leaves of the next order: 0.009 for backward Euler, 0.018 at most for the others.
        CHECK(std::log2(coarse / fine) == within(order, 0.03));
    }
}

TEST_CASE("integrators: what is let go falls as it should, whatever held it") {
    WorldBuilder builder;
    const Index cube = builder.add_deformable("cube", generate_box({0.1, 0.1, 0.1}, {1, 1, 1}),
                                              {MaterialLaw::neo_hookean, 1e5, 0.3, 1000});
    Motion hold;
    hold.name = "hold";
    hold.end = 0.1 - 1e-9;
    for (Index v = 0; v < builder.body(cube).vertex_count(); ++v)
        hold.vertices.push_back(builder.first_vertex(cube) + v);
    hold.trajectory = std::make_shared<HoldTrajectory>();
    builder.add_motion(hold);
    builder.set_gravity({0, -9.81, 0});
    const auto [world, start] = builder.build();
    for (const std::string& name : dynamic_integrators()) {
        CAPTURE(name);
        ipc::Ipc ipc(tight(), integrator_from_name(name));
        const State released = run_steps(ipc, world, start, 0.01, 10);
        CHECK(released.v.norm() == 0.0);
        const State end = run_steps(ipc, world, released, 0.01, 10);
        CHECK(centre_of_mass(world, end, 0).second.y() == relative(-9.81 * 0.1, 1e-6));
    }
}

TEST_CASE("integrators: free fall under the trapezoidal rule is a parabola") {
    WorldBuilder builder;
    builder.add_deformable("cube", generate_box({0.1, 0.1, 0.1}, {1, 1, 1}),
                           {MaterialLaw::neo_hookean, 1e5, 0.3, 1000});
    builder.set_gravity({0, -9.81, 0});
    auto [world, state] = builder.build();
    ipc::Ipc ipc(tight(), Integrator::trapezoidal);
    const double h = 0.01;
    const State first = run_steps(ipc, world, state, h, 1);
    const State last = run_steps(ipc, world, first, h, 20);
    const auto [x1, v1] = centre_of_mass(world, first, 0);
    const double t = 20 * h;
    CHECK(v1.y() == relative(-9.81 * h, 1e-9));
    CHECK(centre_of_mass(world, last, 0).first.y() == relative(x1.y() + v1.y() * t - 0.5 * 9.81 * t * t, 1e-9));
}

TEST_CASE("integrators: a run goes on from a stored state to the same bits") {
    auto [world, start] = vibrating_bar();
    for (const std::string& name : integrator_names()) {
        CAPTURE(name);
        ipc::Ipc one(tight(), integrator_from_name(name)), two(tight(), integrator_from_name(name));
        const State middle = run_steps(one, world, start, 1e-3, 10);
        CHECK(run_steps(one, world, middle, 1e-3, 10) ==
              run_steps(two, world, state_from_bytes(to_bytes(middle), "test"), 1e-3, 10));
    }
}

TEST_CASE("integrators: two-step BDF2 starts anew with SDIRK2 after a step of another size") {
    auto [world, start] = vibrating_bar();
    ipc::Ipc bdf2(tight(), Integrator::bdf2), sdirk2(tight(), Integrator::sdirk2);
    const State one = run_steps(bdf2, world, start, 1e-3, 1);
    CHECK(one == run_steps(sdirk2, world, start, 1e-3, 1));
    CHECK(run_steps(bdf2, world, one, 5e-4, 1) == run_steps(sdirk2, world, one, 5e-4, 1));
    CHECK_FALSE(run_steps(bdf2, world, one, 1e-3, 1).x == run_steps(sdirk2, world, one, 1e-3, 1).x);
}

TEST_CASE("integrators: each damps a vibration as docs/physics/integrators.md says") {
    const auto [world, start] = vibrating_bar();
    const double before = total_energy(world, start);
    std::map<Integrator, double> lost;
    for (const std::string& name : dynamic_integrators()) {
        ipc::Ipc ipc(tight(), integrator_from_name(name));
        const double left = total_energy(world, run_steps(ipc, world, start, 1e-3, 200));
        lost[integrator_from_name(name)] = 1.0 - left / before;
        MESSAGE(name, " loses ", 1.0 - left / before, " of the energy");
    }
    CHECK(lost[Integrator::backward_euler] == relative(0.685, 1e-2));
    CHECK(lost[Integrator::bdf2] == relative(0.021, 1e-2));
    CHECK(lost[Integrator::tr_bdf2] == relative(5.1e-4, 1e-2));
    CHECK(lost[Integrator::sdirk2] == relative(5.1e-4, 1e-2));
    CHECK(lost[Integrator::trapezoidal] == relative(1.47e-5, 1e-2));
}

TEST_CASE("integrators: constant acceleration is integrated exactly by the second-order rules") {
    WorldBuilder builder;
    builder.add_deformable("cube", generate_box({0.1, 0.1, 0.1}, {1, 1, 1}), {MaterialLaw::neo_hookean, 1e5, 0.3, 1000},
                           {1, 2, 3});
    builder.set_gravity({0, -9.81, 0});
    auto [world, state] = builder.build();
    const double h = 0.01, t = 20 * h;
    for (const Integrator integrator : {Integrator::sdirk2, Integrator::tr_bdf2, Integrator::bdf2}) {
        CAPTURE(integrator_names()[static_cast<std::size_t>(integrator)]);
        ipc::Ipc ipc(tight(), integrator);
        const State last = run_steps(ipc, world, state, h, 20);
        const Vec3 x0 = centre_of_mass(world, state, 0).first;
        const auto [x, v] = centre_of_mass(world, last, 0);
        CHECK((x - (x0 + t * Vec3(1, 2, 3) + 0.5 * t * t * Vec3(0, -9.81, 0))).norm() < 1e-9);
        CHECK((v - (Vec3(1, 2, 3) + t * Vec3(0, -9.81, 0))).norm() < 1e-7);
    }
}

TEST_CASE("integrators: a block on a plate that is driven sideways moves with it, under each") {
    for (const std::string& name : dynamic_integrators()) {
        CAPTURE(name);
        const Integrator integrator = integrator_from_name(name);
        WorldBuilder builder;
        builder.add_deformable("block", translated(generate_box({0.2, 0.1, 0.2}, {2, 1, 2}), {0, 0.0502, 0}),
                               {MaterialLaw::neo_hookean, 1e6, 0.3, 1000});
        const Index plate = builder.add_obstacle(
            "plate", translated(generate_box({0.8, 0.1, 0.6}, {2, 1, 2}, Fill::surface), {0, -0.05, 0}));
        Motion motion;
        motion.name = "plate";
        for (Index v = 0; v < builder.body(plate).vertex_count(); ++v)
            motion.vertices.push_back(builder.first_vertex(plate) + v);
        auto sideways = std::make_shared<RigidTrajectory>();
        sideways->velocity = {0.2, 0, 0};
        motion.trajectory = sideways;
        builder.add_motion(motion);
        builder.set_gravity({0, -9.81, 0});
        builder.set_default_friction(0.8);
        auto [world, state] = builder.build();
        ipc::Options options = tight();
        options.velocity_tolerance = 1e-7;
        ipc::Ipc ipc(options, integrator);
        double halfway = 0.0;
        int step = 0;
        const State end = run_steps(ipc, world, state, 0.01, 50, [&](const State& now, const StepResult&) {
            CHECK(centre_of_mass(world, now, 0).first.y() > 0.05);
            for (const Index v : motion.vertices) CHECK(now.v.segment<3>(3 * v).isApprox(Vec3(0.2, 0, 0), 1e-9));
            if (++step == 25) halfway = centre_of_mass(world, now, 0).first.x();
        });
        // The jerk of the start leaves the block vibrating over its feet, which stick: 4 mm/s to and fro in about 35
        // ms, which the trapezoidal rule does not damp. Over 0.25 s that shifts the mean by at most 2 * 22 um / 0.25 s.
        CHECK((centre_of_mass(world, end, 0).first.x() - halfway) / 0.25 == relative(0.2, 2e-3));
        if (integrator != Integrator::trapezoidal)
            CHECK(centre_of_mass(world, end, 0).second.x() == relative(0.2, 1e-2));
    }
}

TEST_CASE("integrators: what rests on the ground stays at rest when stages of another scale follow") {
    WorldBuilder builder;
    builder.add_deformable("block", translated(generate_box({0.2, 0.1, 0.2}, {2, 1, 2}), {0, 0.0502, 0}),
                           {MaterialLaw::neo_hookean, 1e7, 0.3, 1000, 0.0, 1e-3});
    builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({0, -9.81, 0});
    auto [world, start] = builder.build();
    ipc::Options options;
    options.velocity_tolerance = 1e-8;
    ipc::Ipc euler(options);
    State rest = run_steps(euler, world, start, 0.01, 60);
    rest.v.setZero();
    const double height = centre_of_mass(world, rest, 0).first.y();
    for (const std::string& name : dynamic_integrators()) {
        CAPTURE(name);
        ipc::Ipc ipc(options, integrator_from_name(name));
        run_steps(ipc, world, rest, 0.01, 20, [&](const State& now, const StepResult&) {
            CHECK(std::abs(centre_of_mass(world, now, 0).first.y() - height) < 1e-7);
        });
    }
}
