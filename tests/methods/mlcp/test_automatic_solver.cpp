// The solver `auto`: when the augmented Lagrangian takes over, and what it is there for, stacks of stiff and rigid
// bodies.
#include "stiction/base/parallel.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/mlcp/method.hpp"

#include "support/block_on_slope.hpp"
#include "support/compare.hpp"

#include <algorithm>
#include <cmath>

using namespace stiction;
using namespace stiction::mlcp;
using namespace stiction::test;

namespace {

constexpr double edge = 0.2;
const std::string take_over = "contact problem solved by the augmented Lagrangian";

/// Cubes on the ground, one on the other. `youngs_modulus` 0: rigid.
Scene stack(int count, double youngs_modulus) {
    WorldBuilder builder;
    for (int k = 0; k < count; ++k) {
        const Mesh cube =
            translated(generate_box({edge, edge, edge}, {1, 1, 1}), {0, (k + 0.5) * edge + (k + 1) * 2e-5, 0});
        const std::string name = "block" + std::to_string(k);
        if (youngs_modulus > 0.0) {
            builder.add_deformable(name, cube, {MaterialLaw::fixed_corotated, youngs_modulus, 0.2, 1000});
        } else {
            builder.add_rigid(name, cube, 1000, {0, 0, 0});
        }
    }
    builder.add_half_space("floor", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({0, -gravity, 0});
    builder.set_default_friction(0.5);
    auto [world, state] = builder.build();
    return {std::move(world), std::move(state)};
}

/// A body that comes down on the ground.
Scene on_ground(const Mesh& mesh, double youngs_modulus, const Vec3& velocity) {
    WorldBuilder builder;
    builder.add_deformable("body", mesh, {MaterialLaw::fixed_corotated, youngs_modulus, 0.3, 1000}, velocity);
    builder.add_half_space("floor", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({0, -gravity, 0});
    builder.set_default_friction(0.4);
    auto [world, state] = builder.build();
    return {std::move(world), std::move(state)};
}

/// Soft, oblique: few of its vertices touch.
Scene ball_on_ground() {
    return on_ground(translated(generate_ball(0.1, 5), {0, 0.1005, 0}), 1e5, {1.0, -0.5, 0.2});
}

/// Stiff, flat: many of its vertices touch, so that velocities are the unknowns.
Scene slab_on_ground(int cells) {
    return on_ground(translated(generate_box({0.5, 0.1, 0.5}, {cells, 2, cells}), {0, 0.0505, 0}), 1e8,
                     {0.3, -0.5, 0.1});
}

double largest_speed(const State& state) {
    double speed = 0.0;
    for (Eigen::Index at = 0; at < state.v.size(); at += 3) speed = std::max(speed, state.v.segment<3>(at).norm());
    return speed;
}

bool took_over(const StepResult& result) {
    return std::find(result.report.notes.begin(), result.report.notes.end(), take_over) != result.report.notes.end();
}

}  // namespace

TEST_CASE("mlcp: a stack of ten rigid blocks comes to rest and stays") {
    const Scene scene = stack(10, 0.0);
    Mlcp mlcp({});
    int iterations = 0;
    const State settled = run_steps(mlcp, scene.world, scene.state, 0.01, 100);
    const State end = run_steps(mlcp, scene.world, settled, 0.01, 200, [&](const State& now, const StepResult& result) {
        iterations += result.report.iterations;
        CHECK(largest_speed(now) < 1e-6);
    });
    CHECK(iterations < 5 * 200);
    CHECK((end.x - settled.x).lpNorm<Eigen::Infinity>() < 1e-7);
}

TEST_CASE("mlcp: a stack of stiff blocks stands, solved by either method") {
    const Scene scene = stack(5, 1e9);
    const double weight = gravity * 1000.0 * edge * edge * edge;
    for (const auto solver :
         {std::optional<SolverKind>(SolverKind::augmented_lagrangian), std::optional<SolverKind>()}) {
        Options options;
        options.solver = solver;
        options.factorise_after = 50;
        Mlcp mlcp(options);
        StepResult last;
        run_steps(mlcp, scene.world, scene.state, 0.01, 50,
                  [&](const State&, const StepResult& result) { last = result; });
        double floor_force = 0.0;
        for (Index v = 0; v < scene.world.bodies[0].vertex_count(); ++v) {
            const double height = scene.state.x[3 * v + 1];
            if (height < 0.5 * edge) floor_force += last.contact_force[3 * v + 1] + last.friction_force[3 * v + 1];
        }
        CHECK(floor_force == relative(5.0 * weight, 1e-3));
    }
}

TEST_CASE(
    "mlcp: the augmented Lagrangian takes over after factorise_after iterations, and begins the next sixteen steps") {
    const Scene scene = stack(2, 1e6);
    Options impatient;
    impatient.factorise_after = 1;
    StepResult first, second;
    Mlcp mlcp(impatient);
    mlcp.step(scene.world, scene.state, schedule(scene.world, scene.state, 0.01), first);
    REQUIRE(is_accepted(first.report.status));
    CHECK(took_over(first));
    // With more patience, conjugate residuals would do: the state says that the other begins.
    Options patient;
    patient.factorise_after = 100000;
    State state = first.state;
    for (int step = 0; step < 17; ++step) {
        StepResult result;
        Mlcp(patient).step(scene.world, state, schedule(scene.world, state, 0.01), result);
        REQUIRE(is_accepted(result.report.status));
        CAPTURE(step);
        CHECK(took_over(result) == (step < 16));
        state = result.state;
    }
}

TEST_CASE("mlcp: `auto` makes the step that conjugate residuals make, to within the tolerances") {
    const Scene scene = stack(3, 1e8);
    StepResult residuals, automatic;
    Options options;
    options.distance_tolerance = 1e-7;
    options.tolerance = 1e-8;
    options.solver = SolverKind::cr;
    Mlcp(options).step(scene.world, scene.state, schedule(scene.world, scene.state, 0.01), residuals);
    options.solver.reset();
    options.factorise_after = 1;
    Mlcp(options).step(scene.world, scene.state, schedule(scene.world, scene.state, 0.01), automatic);
    REQUIRE(is_accepted(residuals.report.status));
    REQUIRE(is_accepted(automatic.report.status));
    REQUIRE(took_over(automatic));
    CHECK((automatic.state.x - residuals.state.x).lpNorm<Eigen::Infinity>() < 2e-7);
}

TEST_CASE("mlcp: with many nodes conjugate residuals have the iterations that factors cost, and keep the next solves") {
    Options options;
    options.factorise_after = 5;
    for (const int cells : {8, 22}) {
        const Scene scene = slab_on_ground(cells);
        const int nodes = 3 * (cells + 1) * (cells + 1);
        const int allowed = nodes <= 500 ? 5 : static_cast<int>(5 * nodes / 500.0);
        INFO(nodes, " nodes");
        Mlcp mlcp(options);
        bool handed_over = false, lasts = false;
        int most = 0;
        run_steps(mlcp, scene.world, scene.state, 0.001, 10, [&](const State& now, const StepResult& result) {
            handed_over = handed_over || took_over(result);
            lasts = lasts || now.warm_start.count("mlcp_direct_steps") > 0;
            for (const SolverReport& solve : mlcp.solves()) {
                if (solve.end == SolverEnd::iteration_limit) most = std::max(most, solve.iterations);
            }
        });
        CHECK(handed_over);
        CHECK(lasts == (nodes <= 500));
        CHECK(most == allowed);
    }
}

TEST_CASE("mlcp: over the forces of few contacts the augmented Lagrangian makes the steps of conjugate residuals") {
    const Scene scene = ball_on_ground();
    Options options;
    options.distance_tolerance = 1e-7;
    options.tolerance = 1e-8;
    options.solver = SolverKind::cr;
    Mlcp residuals(options);
    options.solver = SolverKind::augmented_lagrangian;
    Mlcp direct(options);
    State state = scene.state;
    int most = 0;
    for (int step = 0; step < 12; ++step) {
        StepResult wanted, found;
        residuals.step(scene.world, state, schedule(scene.world, state, 0.005), wanted);
        direct.step(scene.world, state, schedule(scene.world, state, 0.005), found);
        REQUIRE(is_accepted(wanted.report.status));
        REQUIRE(is_accepted(found.report.status));
        CAPTURE(step);
        CHECK((found.state.x - wanted.state.x).lpNorm<Eigen::Infinity>() < 2e-7);
        // With thirty nodes a contact forces are the unknowns.
        CHECK(30 * found.report.complementarity->rows <= scene.world.vertex_count());
        most = std::max(most, found.report.contacts);
        state = wanted.state;
    }
    CHECK(most >= 5);
}

TEST_CASE("mlcp: over forces the same bits with one thread and two, and after a resumed run") {
    const Scene scene = ball_on_ground();
    Options options;
    options.factorise_after = 1;
    const auto run = [&](int threads) {
        set_thread_count(threads);
        Mlcp mlcp(options);
        int direct = 0;
        const State end = run_steps(mlcp, scene.world, scene.state, 0.005, 10,
                                    [&](const State&, const StepResult& result) { direct += took_over(result); });
        CHECK(direct >= 5);
        return end;
    };
    const State one = run(1), two = run(2);
    set_thread_count(0);
    CHECK(one == two);
    Mlcp first(options), second(options);
    const State half = run_steps(first, scene.world, scene.state, 0.005, 4);
    CHECK(run_steps(second, scene.world, state_from_bytes(to_bytes(half), "memory"), 0.005, 6) == one);
}

TEST_CASE("mlcp: the augmented Lagrangian gives the same bits with one thread and two, and after a resumed run") {
    const Scene scene = stack(4, 1e9);
    Options options;
    options.factorise_after = 10;
    const auto run = [&](int threads) {
        set_thread_count(threads);
        Mlcp mlcp(options);
        return run_steps(mlcp, scene.world, scene.state, 0.01, 20);
    };
    const State one = run(1), two = run(2);
    set_thread_count(0);
    CHECK(one == two);
    Mlcp first(options), second(options);
    const State half = run_steps(first, scene.world, scene.state, 0.01, 8);
    const State read = state_from_bytes(to_bytes(half), "memory");
    CHECK(run_steps(second, scene.world, read, 0.01, 12) == one);
}
