// Quasi-static steps against closed forms.
#include "stiction/fem/elasticity.hpp"
#include "stiction/methods/implicit/method.hpp"
#include "stiction/sim/simulator.hpp"

#include "support/block_on_slope.hpp"
#include "support/compare.hpp"
#include <Eigen/Cholesky>

using namespace stiction;
using namespace stiction::test;

namespace {

constexpr double modulus = 2e5, density = 800.0, length = 0.5, side = 0.1;

/// A bar along y without lateral contraction whose upper end is held, and moved up by `pull` (m) per second.
Scene bar(MaterialLaw law, double pull) {
    WorldBuilder builder;
    const Index id = builder.add_deformable("bar", generate_box({side, length, side}, {2, 8, 2}),
                                            {law, modulus, 0.0, density}, pull == 0.0 ? Vec3(3, 2, 1) : Vec3::Zero());
    Motion top;
    const auto& vertices = builder.body(id).mesh.vertices;
    for (std::size_t v = 0; v < vertices.size(); ++v) {
        if (vertices[v].y() > 0.5 * length - 1e-9) top.vertices.push_back(static_cast<Index>(v));
    }
    auto path = std::make_shared<RigidTrajectory>();
    path->velocity = {0, pull, 0};
    top.trajectory = path;
    builder.add_motion(top);
    if (pull == 0.0) {
        builder.set_gravity({0, -gravity, 0});
    } else {
        Motion bottom;
        for (std::size_t v = 0; v < vertices.size(); ++v) {
            if (vertices[v].y() < -0.5 * length + 1e-9) bottom.vertices.push_back(static_cast<Index>(v));
        }
        bottom.trajectory = std::make_shared<RigidTrajectory>();
        builder.add_motion(bottom);
    }
    auto [world, state] = builder.build();
    return {std::move(world), std::move(state)};
}

/// Displacements of the bar of linear elasticity under its loads, from a dense matrix.
VecX balance(const Scene& scene) {
    const StepInput input = schedule(scene.world, scene.state, 1.0);
    const VecX rest = elastic_gradient(scene.world, scene.state.x);
    std::vector<Eigen::Index> free;
    for (Eigen::Index i = 0; i < rest.size(); ++i) {
        if ((input.driven_axes[static_cast<std::size_t>(i / 3)] >> (i % 3) & 1) == 0) free.push_back(i);
    }
    Eigen::MatrixXd stiffness(rest.size(), rest.size());
    for (Eigen::Index j = 0; j < rest.size(); ++j)
        stiffness.col(j) = elastic_gradient(scene.world, VecX(scene.state.x + VecX::Unit(rest.size(), j))) - rest;
    VecX moved = VecX::Zero(rest.size());
    const Eigen::MatrixXd reduced = stiffness(free, free);
    const VecX load = input.external_force(free);
    const VecX solution = reduced.ldlt().solve(load);
    moved(free) = solution;
    return moved;
}

std::vector<std::unique_ptr<Method>> both_methods() {
    ipc::Options tight;
    tight.velocity_tolerance = 1e-7;  // of a millisecond: 1e-10 m
    tight.friction_velocity = 1e-4;
    tight.friction_iterations = 0;
    implicit::Options implicit;
    implicit.take(tight);
    std::vector<std::unique_ptr<Method>> methods;
    methods.push_back(std::make_unique<ipc::Ipc>(tight, Integrator::quasi_static));
    methods.push_back(std::make_unique<implicit::Implicit>(implicit, Integrator::quasi_static));
    return methods;
}

}  // namespace

TEST_CASE("quasi-static: a hanging bar is in balance after one step, whatever its size, and at rest") {
    for (const double h : {1e-3, 1.0, 100.0}) {
        for (auto& method : both_methods()) {
            CAPTURE(h);
            const std::string name(method->name());
            CAPTURE(name);
            Scene scene = bar(MaterialLaw::linear, 0.0);
            const VecX start = scene.state.x, expected = balance(scene);
            Simulator simulator(std::move(scene.world), std::move(scene.state), std::move(method),
                                {.h = h, .max_halvings = 0});
            REQUIRE(simulator.advance());
            const VecX moved = simulator.state().x - start;
            CHECK((moved - expected).lpNorm<Eigen::Infinity>() <= 1e-8 * expected.lpNorm<Eigen::Infinity>());
            CHECK(simulator.state().v.isZero(0.0));
            const StepReport& report = simulator.last_result()->report;
            CHECK(report.kinetic == 0.0);
            CHECK(report.elastic == relative(0.5 * report.balance.loads, 1e-8));  // Clapeyron
            const VecX before = simulator.state().x;
            REQUIRE(simulator.advance());
            CHECK((simulator.state().x - before).lpNorm<Eigen::Infinity>() <=
                  1e-8 * expected.lpNorm<Eigen::Infinity>());
        }
    }
}

TEST_CASE(
    "quasi-static: stretched bars hold the energy of their law, and the driven end did the work of its end force") {
    constexpr double strain = 0.2, volume = side * side * length;
    for (auto& method : both_methods()) {
        const std::string name(method->name());
        CAPTURE(name);
        Scene scene = bar(MaterialLaw::saint_venant_kirchhoff, strain * length);
        Simulator simulator(std::move(scene.world), std::move(scene.state), std::move(method),
                            {.h = 0.25, .max_halvings = 0});
        double work = 0.0, expected_work = 0.0;
        for (int step = 1; step <= 4; ++step) {
            REQUIRE(simulator.advance());
            const double stretch = 1.0 + 0.25 * step * strain, green = 0.5 * (stretch * stretch - 1.0);
            const StepReport& report = simulator.last_result()->report;
            CHECK(report.elastic == relative(0.5 * modulus * green * green * volume, 1e-8));
            work += report.balance.driven;
            expected_work += modulus * green * stretch * side * side * 0.25 * strain * length;
            CHECK(work == relative(expected_work, 1e-7));
        }
    }
}

TEST_CASE("quasi-static: a block that nothing else holds rests on the floor with its weight") {
    for (auto& method : both_methods()) {
        const std::string name(method->name());
        CAPTURE(name);
        Scene scene = block_on_slope({.material = {MaterialLaw::neo_hookean, 1e6, 0.3, density}, .gap = 1e-3});
        const double weight = scene.world.mass.sum() * gravity;
        Simulator simulator(std::move(scene.world), std::move(scene.state), std::move(method),
                            {.h = 0.1, .max_halvings = 0});
        for (int step = 0; step < 3; ++step) REQUIRE(simulator.advance());
        double push = 0.0;
        const StepResult& result = *simulator.last_result();
        for (Index v = 0; v < simulator.world().bodies[0].vertex_count(); ++v) push += result.contact_force[3 * v + 1];
        CHECK(push == relative(weight, 1e-6));
        CHECK(result.report.elastic > 0.0);
    }
}

TEST_CASE(
    "quasi-static: friction holds a block on a slope of 0.3 with mu = 0.4, creeping at most at the friction velocity") {
    constexpr double tangent = 0.3, mu = 0.4, h = 0.1;
    for (std::size_t m = 0; m < 2; ++m) {
        auto method = std::move(both_methods()[m]);
        const std::string name(method->name());
        CAPTURE(name);
        const auto scene = [](double slope) {
            return block_on_slope(
                {.tangent = slope, .mu = mu, .material = {MaterialLaw::neo_hookean, 1e6, 0.3, density}, .gap = 1e-4});
        };
        // Lagged friction knows of no normal force before the first contact: the block settles on level ground.
        Scene level = scene(0.0);
        Simulator settling(std::move(level.world), std::move(level.state), std::move(both_methods()[m]),
                           {.h = h, .max_halvings = 0});
        for (int step = 0; step < 3; ++step) REQUIRE(settling.advance());
        Scene tilted = scene(tangent);
        const double weight = tilted.world.mass.sum() * gravity, angle = std::atan(tangent);
        Simulator simulator(std::move(tilted.world), settling.state(), std::move(method), {.h = h, .max_halvings = 0});
        for (int step = 0; step < 3; ++step) {
            const bool done = simulator.advance();
            const std::string cause = done ? "" : simulator.failure()->cause;
            CAPTURE(cause);
            REQUIRE(done);
        }
        const VecX before = simulator.state().x;
        REQUIRE(simulator.advance());
        double push = 0.0, hold = 0.0;
        const StepResult& result = *simulator.last_result();
        for (Index v = 0; v < simulator.world().bodies[0].vertex_count(); ++v) {
            push += result.contact_force[3 * v + 1];
            hold -= result.friction_force[3 * v];
        }
        CHECK(push == relative(weight * std::cos(angle), 1e-5));
        CHECK(hold == relative(weight * std::sin(angle), 1e-5));
        CHECK((simulator.state().x - before).lpNorm<Eigen::Infinity>() <= 1.01 * h * 1e-4);
    }
}

TEST_CASE("a body that nothing holds has no equilibrium: the step says so and names the body, after few iterations") {
    WorldBuilder builder;
    builder.add_deformable("held", generate_box({side, side, side}, {1, 1, 1}),
                           {MaterialLaw::neo_hookean, modulus, 0.3, density});
    const Index loose =
        builder.add_deformable("loose", translated(generate_box({side, side, side}, {2, 2, 2}), {0.5, 0, 0}),
                               {MaterialLaw::neo_hookean, modulus, 0.3, density});
    Motion hold;
    hold.vertices = {0, 1, 2, 3};
    hold.trajectory = std::make_shared<HoldTrajectory>();
    builder.add_motion(hold);
    PointLoad push;
    for (Index v = 0; v < builder.body(loose).vertex_count(); ++v)
        push.vertices.push_back(builder.first_vertex(loose) + v);
    push.force = {0, 0.1, 0};
    builder.add_point_load(push);
    auto [world, state] = builder.build();
    for (const bool implicit : {false, true}) {
        INFO("implicit: ", implicit);
        std::unique_ptr<Method> method;
        if (implicit)
            method = std::make_unique<implicit::Implicit>(implicit::Options{}, Integrator::quasi_static);
        else
            method = std::make_unique<ipc::Ipc>(ipc::Options{}, Integrator::quasi_static);
        Simulator simulator(world, state, std::move(method), SimulatorOptions{1.0, halvings_within(64)});
        CHECK_FALSE(simulator.advance());
        REQUIRE(simulator.failure() != nullptr);
        const StepReport& report = *simulator.failure();
        CHECK(report.status == Status::diverged);
        CHECK(report.cause.find("body 'loose' moved") != std::string::npos);
        CHECK(report.cause.find("nothing holds it") != std::string::npos);
        CHECK(report.iterations < 200);
    }
}
