// The method `implicit` with contact by penalty: depths and distances with known answers, stiffness, restarts, refused
// worlds.
#include "stiction/base/error.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/mesh/generate.hpp"

#include "methods/implicit/penalty/two_boxes.hpp"
#include "support/compare.hpp"
#include "support/run.hpp"

#include <cmath>

using namespace stiction;
using namespace stiction::test;

namespace {

/// A stiff block on a plane; gravity is tilted instead of the plane, so that x runs down the slope.
std::pair<World, State> block_on_slope(double angle, double friction, double height) {
    WorldBuilder builder;
    builder.add_deformable("block", translated(generate_box({0.2, 0.1, 0.2}, {2, 1, 2}), {0, 0.05 + height, 0}),
                           {MaterialLaw::neo_hookean, 1e8, 0.3, 1000, 0.0, 1e-3});
    builder.add_half_space("slope", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({gravity * std::sin(angle), -gravity * std::cos(angle), 0});
    builder.set_default_friction(friction);
    return builder.build();
}

}  // namespace

TEST_CASE(
    "penalty: a block at rest lies in the thickness as deep as the cubic law says, and deeper than that the stiffness "
    "is raised to half of it") {
    const auto [world, start] = block_on_slope(0.0, 0.0, 5e-4);
    implicit::Options options = penalty_options();
    options.penalty_thickness = 1e-3;
    const double weight = world.mass.sum() * gravity, feet = 9;
    // 3 kappa (delta - d)^2 a foot.
    options.penalty_stiffness = weight / (feet * 3 * 4e-4 * 4e-4);
    implicit::Implicit implicit(options);
    const State rest = run_steps(implicit, world, start, 0.01, 200);
    CHECK(kappa_of(rest) == options.penalty_stiffness);
    double gap = 0.0;
    for (Index v = 0; v < world.bodies[0].vertex_count(); ++v) {
        if (rest.x[3 * v + 1] < 0.01) gap += rest.x[3 * v + 1] / feet;
    }
    CHECK(gap == relative(1e-3 - 4e-4, 1e-4));

    options.penalty_stiffness = weight / (feet * 3 * 3e-3 * 3e-3);  // would hold the block 2 mm inside
    implicit::Implicit soft(options);
    double deepest = 1.0;
    const State held = run_steps(soft, world, start, 0.01, 400, [&](const State&, const StepResult& result) {
        deepest = std::min(deepest, result.report.min_gap);
    });
    CHECK(deepest >= 0.0);
    CHECK(kappa_of(held) > options.penalty_stiffness);
}

TEST_CASE(
    "penalty: after a hard drop no step ends with a vertex inside, and the stiffness returns once nothing touches") {
    WorldBuilder builder;
    builder.add_deformable("ball", translated(generate_ball(0.1, 3), {0, 0.17, 0}),
                           {MaterialLaw::neo_hookean, 1e6, 0.3, 1000}, {0, -3, 0});
    builder.add_obstacle("table", generate_box({0.5, 0.1, 0.5}, {6, 1, 6}));
    builder.set_gravity({0, -gravity, 0});
    const auto [world, start] = builder.build();
    const implicit::Options options = penalty_options();
    const double initial = implicit::resolve_penalty(options, world).stiffness;
    implicit::Implicit implicit(options, Integrator::sdirk2);
    double stiffest = 0.0, deepest = 1.0;
    int raised = 0;
    bool fell_in_contact = false;
    double last = initial;
    const State end = run_steps(implicit, world, start, 0.005, 60, [&](const State& now, const StepResult& result) {
        deepest = std::min(deepest, result.report.min_gap);
        stiffest = std::max(stiffest, kappa_of(now));
        fell_in_contact = fell_in_contact || (result.report.contacts > 0 && kappa_of(now) < last);
        last = kappa_of(now);
        raised += !result.report.notes.empty();
    });
    CHECK(deepest >= 0.0);
    CHECK(raised > 0);
    CHECK(stiffest > initial);
    CHECK_FALSE(fell_in_contact);
    CHECK(centre_of_mass(world, end, 0).first.y() > 0.3);  // it bounces
    CHECK(kappa_of(end) == initial);
}

TEST_CASE("penalty: a block that slides down 10 degrees stops after v0^2 / (2 a), backward Euler's -v0 h / 2 counted") {
    const double angle = 10.0 * M_PI / 180.0, mu = 0.19, v0 = 0.05, h = 0.01, eps = 1e-5;
    implicit::Options options = penalty_options();
    options.penalty_thickness = 1e-3;
    options.friction_velocity = 1e-3;
    const auto [rough, start] = block_on_slope(angle, 1.2, 9e-4);
    implicit::Implicit settling(options);
    State state = run_steps(settling, rough, start, h, 100);
    const auto [world, unused] = block_on_slope(angle, mu, 9e-4);
    state.v.setZero();
    for (Index v = 0; v < world.bodies[0].vertex_count(); ++v) state.v[3 * v] = v0;
    options.friction_velocity = eps;
    implicit::Implicit implicit(options);
    const double deceleration = gravity * (mu * std::cos(angle) - std::sin(angle)),
                 exact = v0 * v0 / (2 * deceleration);
    const double from = centre_of_mass(world, state, 0).first.x();
    int steps = 0;
    while (steps < 1000 && centre_of_mass(world, state, 0).second.x() > eps) {
        state = run_steps(implicit, world, state, h, 1);
        ++steps;
    }
    CHECK(centre_of_mass(world, state, 0).first.x() - from == relative(exact - v0 * h / 2, 1e-3));
    CHECK(std::abs(steps * h - v0 / deceleration) <= 1.5 * h);
}

TEST_CASE("penalty: same bits for any number of threads and from a stored state") {
    const auto [world, start] = two_boxes();
    for (const implicit::LinearSolver solver : {implicit::LinearSolver::direct, implicit::LinearSolver::iterative}) {
        implicit::Options options = penalty_options();
        options.solver = solver;
        implicit::Implicit one(options), two(options), fresh(options);
        set_thread_count(1);
        const State middle = run_steps(one, world, start, 0.01, 7);
        const State end = run_steps(one, world, middle, 0.01, 2);
        CHECK(kappa_of(middle) > implicit::resolve_penalty(options, world).stiffness);  // something to carry over
        set_thread_count(2);
        CHECK(run_steps(two, world, start, 0.01, 7) == middle);
        CHECK(run_steps(fresh, world, state_from_bytes(to_bytes(middle), "test"), 0.01, 2) == end);
        set_thread_count(0);
    }
}

TEST_CASE("penalty: BiCGSTAB and LU find the same steps") {
    const auto [world, start] = two_boxes();
    implicit::Options direct = penalty_options(), iterative = penalty_options();
    direct.solver = implicit::LinearSolver::direct;
    iterative.solver = implicit::LinearSolver::iterative;
    direct.implicit_tolerance = iterative.implicit_tolerance = 1e-9;
    implicit::Implicit a(direct), b(iterative);
    State state = start;
    for (int i = 0; i < 8; ++i) {
        const State one = run_steps(a, world, state, 0.01, 1), two = run_steps(b, world, state, 0.01, 1);
        CHECK((one.x - two.x).lpNorm<Eigen::Infinity>() < 1e-9);
        state = one;
    }
}

TEST_CASE(
    "penalty: an obstacle that is driven pushes and drags; a motion farther than a surface reaches is refused by its "
    "status") {
    WorldBuilder builder;
    builder.add_deformable("box", translated(generate_box({0.1, 0.1, 0.1}, {4, 4, 4}), {0, 0.1006, 0}),
                           {MaterialLaw::neo_hookean, 1e6, 0.3, 1000});
    const Index belt = builder.add_obstacle("belt", generate_box({0.4, 0.1, 0.4}, {4, 1, 4}));
    Motion motion;
    for (Index v = 0; v < builder.body(belt).vertex_count(); ++v)
        motion.vertices.push_back(builder.first_vertex(belt) + v);
    auto trajectory = std::make_shared<RigidTrajectory>();
    trajectory->velocity = {0.1, 0, 0};
    motion.trajectory = trajectory;
    builder.add_motion(motion);
    builder.set_gravity({0, -gravity, 0});
    builder.set_default_friction(0.5);
    const auto [world, start] = builder.build();
    implicit::Implicit implicit(penalty_options());
    implicit.check(world);
    const State end = run_steps(implicit, world, start, 0.01, 60);
    CHECK(centre_of_mass(world, end, 0).second.x() == relative(0.1, 1e-3));  // carried along

    StepResult result;
    implicit.step(world, start, schedule(world, start, 8.0), result);
    CHECK(result.report.status == Status::targets_not_reached);
    CHECK(result.report.cause.find("the prescribed motion of 'belt' would") == 0);
}

TEST_CASE("penalty: a solve that stalls is a status with its cause") {
    const auto [world, start] = two_boxes();
    implicit::Options options = penalty_options();
    options.max_implicit_iterations = 1;
    options.implicit_tolerance = 1e-14;
    implicit::Implicit implicit(options);
    StepResult result;
    implicit.step(world, start, schedule(world, start, 0.01), result);
    CHECK(result.report.status == Status::line_search_stalled);
    CHECK(result.report.cause.find("1 iterations") != std::string::npos);
}

TEST_CASE("penalty: worlds that it cannot hold apart are refused") {
    const auto refused = [](WorldBuilder& builder, const char* what, double thickness = 0.0) {
        const auto [world, state] = builder.build();
        implicit::Options options = penalty_options();
        options.penalty_thickness = thickness;
        CHECK_THROWS_WITH_AS(implicit::Implicit(options).check(world), doctest::Contains(what), InputError);
    };
    const auto cloth = [](double y) { return translated(generate_cloth(0.2, 0.2, 2, 2), {0, y, 0}); };
    const auto box = [](double y) { return translated(generate_box({0.1, 0.1, 0.1}, {1, 1, 1}), {0, y, 0}); };
    WorldBuilder shells, wires, thick, behind;
    shells.add_shell("one", cloth(0), {});
    shells.add_shell("two", cloth(0.1), {});
    refused(shells, "'one' and 'two'");
    Mesh wire;
    wire.vertices = {{0, -1, 0}, {1, -1, 0}};
    wire.edges = {{0, 1}};
    wires.add_deformable("box", box(0), {});
    wires.add_obstacle("wire", wire);
    refused(wires, "'wire' has bare edges");
    thick.add_deformable("box", box(0), {});
    thick.add_deformable("lid", box(0.5), {});
    refused(thick, "'box'", 1.0);
    behind.add_deformable("box", box(-0.1), {});
    behind.add_obstacle("sheet", cloth(0));
    refused(behind, "box vertex");
}
