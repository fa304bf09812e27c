// Steps of the method `mlcp` against analytic answers.
#include "stiction/audit/audit.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/collision/candidates.hpp"
#include "stiction/collision/ccd.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/mlcp/collision_check.hpp"
#include "stiction/methods/mlcp/method.hpp"

#include "support/block_on_slope.hpp"
#include "support/compare.hpp"
#include <Eigen/Geometry>

#include <array>

using namespace stiction;
using namespace stiction::mlcp;
using namespace stiction::test;

namespace {

Scene block_on_slope(double tangent, double mu, double kinetic_ratio = 1.0, double youngs_modulus = 1e6,
                     double gap = 1e-6) {
    return test::block_on_slope({.tangent = tangent,
                                 .mu = mu,
                                 .material = {MaterialLaw::fixed_corotated, youngs_modulus, 0.3, 1000},
                                 .gap = gap,
                                 .kinetic_ratio = kinetic_ratio});
}

Options tight(double tolerance = 1e-7, double distance = 1e-7) {
    Options options;
    options.tolerance = tolerance;
    options.distance_tolerance = distance;
    return options;
}

/// Two soft cubes, one falling on the other, which lies on an obstacle.
Scene two_cubes() {
    WorldBuilder builder;
    const BodyMaterial soft{MaterialLaw::fixed_corotated, 1e5, 0.3, 1000};
    builder.add_deformable("lower", translated(generate_box({0.1, 0.1, 0.1}, {2, 2, 2}), {0, 0.051, 0}), soft);
    const Mat3 tilt = Eigen::AngleAxisd(0.4, Vec3(1, 0.3, 0.2).normalized()).toRotationMatrix();
    builder.add_deformable(
        "upper", translated(rotated(generate_box({0.1, 0.1, 0.1}, {2, 2, 2}), tilt), {0.02, 0.19, 0.01}), soft);
    builder.add_half_space("floor", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({0, -gravity, 0});
    builder.set_default_friction(0.5);
    auto [world, state] = builder.build();
    return {std::move(world), std::move(state)};
}

}  // namespace

TEST_CASE("mlcp: a block on a slope sticks just above mu = tan(theta) and slides just below") {
    const double tangent = 0.5, h = 0.005, angle = std::atan(tangent);
    {
        Scene scene = block_on_slope(tangent, tangent + 0.002);
        Mlcp mlcp(tight());
        const State end = run_steps(mlcp, scene.world, scene.state, h, 200);
        const State later = run_steps(mlcp, scene.world, end, h, 100);
        const double crept =
            centre_of_mass(scene.world, later, 0).first.x() - centre_of_mass(scene.world, end, 0).first.x();
        CHECK(std::abs(crept) < 1e-6);
        CHECK(std::abs(centre_of_mass(scene.world, later, 0).second.x()) < 1e-5);
    }
    {
        Scene scene = block_on_slope(tangent, tangent - 0.002);
        // 1.8e-6 m/s^2 is looked for. A step may err by 100 times eps_1 of the weight, and by eps_2 / 4 h^2.
        Mlcp mlcp(tight(1e-9, 1e-10));
        const State settled = run_steps(mlcp, scene.world, scene.state, h, 100);
        const State end = run_steps(mlcp, scene.world, settled, h, 200);
        const double gained =
            centre_of_mass(scene.world, end, 0).second.x() - centre_of_mass(scene.world, settled, 0).second.x();
        CHECK(gained / 1.0 == relative(gravity * 0.002 * std::cos(angle), 1e-4));
    }
}

TEST_CASE("mlcp: at default tolerances a block on a slope tells 0.001 above tan(theta) from 0.001 below") {
    struct Row {
        double h, youngs_modulus, error;  // of the acceleration, relative
    };
    // Five heights above the slope at the start give errors up to 3e-5, 3e-3, 6e-4 and 6e-3.
    const std::array<Row, 4> rows{{{1e-3, 1e6, 1e-3}, {1e-2, 1e6, 0.01}, {1e-3, 1e7, 2e-3}, {1e-2, 1e7, 0.02}}};
    const double tangent = 0.5, angle = std::atan(tangent);
    for (const auto& [h, youngs_modulus, error] : rows) {
        CAPTURE(h);
        CAPTURE(youngs_modulus);
        const int half = static_cast<int>(std::lround(0.4 / h));
        /// m/s at half of the time and at its end.
        const auto speeds = [&, h = h, youngs_modulus = youngs_modulus](double mu) {
            const Scene scene = block_on_slope(tangent, mu, 1.0, youngs_modulus);
            Mlcp mlcp({});
            const State settled = run_steps(mlcp, scene.world, scene.state, h, half);
            const State end = run_steps(mlcp, scene.world, settled, h, half);
            return std::pair(centre_of_mass(scene.world, settled, 0).second.x(),
                             centre_of_mass(scene.world, end, 0).second.x());
        };
        const double coulomb = 0.4 * gravity * 0.001 * std::cos(angle);
        const auto [first, last] = speeds(tangent - 0.001);
        CHECK(last - first == relative(coulomb, error));
        // It comes to rest from what it slips at the start.
        const auto [slips, rests] = speeds(tangent + 0.001);
        CHECK(rests == within(std::max(slips - coulomb, 0.0), 0.03 * coulomb));
    }
}

TEST_CASE("mlcp: a thrown block stops after v^2 / 2 mu g") {
    const double speed = 1.0, mu = 0.4, h = 0.002;
    Scene scene = block_on_slope(0.0, mu);
    for (Index v = 0; v < scene.world.vertex_count(); ++v) {
        if (!scene.world.is_obstacle(v)) scene.state.v[3 * v] = speed;
    }
    Mlcp mlcp(tight());
    const double start = centre_of_mass(scene.world, scene.state, 0).first.x();
    const State end = run_steps(mlcp, scene.world, scene.state, h, 160);
    const double distance = centre_of_mass(scene.world, end, 0).first.x() - start;
    // Backward Euler takes v0 h / 2 off.
    CHECK(distance == relative(speed * speed / (2.0 * mu * gravity) - 0.5 * speed * h, 1e-3));
    CHECK(centre_of_mass(scene.world, end, 0).second.norm() < 1e-3);
}

TEST_CASE("mlcp: the kinetic coefficient acts while a block slides, the static one holds it") {
    const double tangent = 0.5, h = 0.005, angle = std::atan(tangent);
    Scene sliding = block_on_slope(tangent, 0.6, 0.5);
    for (Index v = 0; v < sliding.world.vertex_count(); ++v) {
        if (!sliding.world.is_obstacle(v)) sliding.state.v[3 * v] = 0.5;
    }
    Mlcp mlcp(tight());
    const State end = run_steps(mlcp, sliding.world, sliding.state, h, 100);
    const double gained = centre_of_mass(sliding.world, end, 0).second.x() - 0.5;
    CHECK(gained == relative(0.5 * gravity * (std::sin(angle) - 0.3 * std::cos(angle)), 1e-4));

    // Stiff, and touching from the start: nothing that settles tears it loose.
    Scene resting = block_on_slope(tangent, 0.6, 0.5, 1e9, 5e-8);
    const State rested = run_steps(mlcp, resting.world, resting.state, h, 100);
    CHECK(std::abs(centre_of_mass(resting.world, rested, 0).second.x()) < 1e-4);
}

TEST_CASE("mlcp: contact forces carry the weight, and each vertex' friction stays within the cone") {
    const double mu = 0.3;
    Scene scene = block_on_slope(0.2, mu);
    Mlcp mlcp(tight());
    State state = run_steps(mlcp, scene.world, scene.state, 0.01, 150);
    StepResult result;
    mlcp.step(scene.world, state, schedule(scene.world, state, 0.01), result);
    REQUIRE(is_accepted(result.report.status));
    Vec3 push = Vec3::Zero(), rub = Vec3::Zero();
    double mass = 0.0;
    for (Index v = 0; v < scene.world.vertex_count(); ++v) {
        if (scene.world.is_obstacle(v)) continue;
        push += result.contact_force.segment<3>(3 * v);
        rub += result.friction_force.segment<3>(3 * v);
        mass += scene.world.mass[v];
        CHECK(result.friction_force.segment<3>(3 * v).norm() <=
              mu * result.contact_force.segment<3>(3 * v).norm() + 1e-4);
    }
    CHECK(push.y() == relative(-mass * scene.world.gravity.y(), 1e-6));
    CHECK(rub.x() == relative(-mass * scene.world.gravity.x(), 1e-6));
}

TEST_CASE("mlcp: free flight keeps momentum, and every step of a collision is free of intersections on its whole way") {
    Scene scene = two_cubes();
    Mlcp mlcp({});
    State state = scene.state;
    const Vec3 before = centre_of_mass(scene.world, state, 1).second;
    state = run_steps(mlcp, scene.world, state, 0.005, 4);
    CHECK((centre_of_mass(scene.world, state, 1).second - before - 4 * 0.005 * scene.world.gravity).norm() < 1e-4);
    const double distance_tolerance = mlcp.contact_distance(scene.world);
    const auto looks_clean = [&](const State& now, const StepResult& result) {
        CHECK(audit::audit_state(scene.world, now.x).ok());
        REQUIRE(result.report.complementarity.has_value());
        const ComplementarityReport& contact = *result.report.complementarity;
        CHECK(contact.momentum_error <= Options{}.tolerance);
        CHECK(contact.normal_error <= distance_tolerance);
        CHECK(contact.sticking_error <= distance_tolerance);
        CHECK(contact.sliding_error <= distance_tolerance);
        CHECK((result.report.contacts == 0) == (contact.constraints == 0));
        // Slow and obvious: every pair of vertex and triangle, every pair of edges, on the straight way of the step.
        const auto& surface = scene.world.surface;
        const auto collides = [&](PairKind kind, const std::array<Index, 4>& stencil) {
            Vec3 x0[4], x1[4];
            gather_stencil(stencil, now.previous_x, x0);
            gather_stencil(stencil, now.x, x1);
            return may_collide(kind, x0, x1);
        };
        int collisions = 0;
        for (const Triangle& t : surface.triangles) {
            for (const Index v : surface.vertices) {
                if (scene.world.body_of_vertex[static_cast<std::size_t>(v)] !=
                    scene.world.body_of_vertex[static_cast<std::size_t>(t[0])])
                    collisions += collides(PairKind::point_triangle, {v, t[0], t[1], t[2]});
            }
        }
        for (std::size_t i = 0; i < surface.edges.size(); ++i) {
            for (std::size_t k = i + 1; k < surface.edges.size(); ++k) {
                const Edge &a = surface.edges[i], &b = surface.edges[k];
                if (scene.world.body_of_vertex[static_cast<std::size_t>(a[0])] !=
                    scene.world.body_of_vertex[static_cast<std::size_t>(b[0])])
                    collisions += collides(PairKind::edge_edge, {a[0], a[1], b[0], b[1]});
            }
        }
        CHECK(collisions == 0);
    };
    run_steps(mlcp, scene.world, state, 0.005, 60, looks_clean);
}

TEST_CASE("mlcp: after a few steps free fall is where the first guess has it") {
    const Scene scene = block_on_slope(0.0, 0.0, 1.0, 1e6, 10.0);
    Mlcp mlcp(tight());
    State state = scene.state;
    double speed = 0.0;
    int step = 0;
    for (const double h : {1e-3, 1e-3, 1e-3, 1e-3, 5e-4}) {
        StepResult result;
        mlcp.step(scene.world, state, schedule(scene.world, state, h), result);
        REQUIRE(is_accepted(result.report.status));
        // An error of the first steps that is above a tenth of eps_1 is not taken along.
        if (++step == 1) CHECK(result.report.iterations > 3);
        if (step >= 4) CHECK(result.report.iterations <= 1);
        state = result.state;
        speed += gravity * h;
        // A solve ends at 1e-7 of the momentum; a guess that is right has rounding alone.
        CHECK(-state.v[1] == relative(speed, 1e-6));
    }
}

TEST_CASE("mlcp: a body that would pass through a plate meets the side it comes from, not the other one from within") {
    WorldBuilder builder;
    builder.add_deformable("body", translated(generate_box({0.1, 0.1, 0.1}, {1, 1, 1}), {0, 0.1, 0}),
                           {MaterialLaw::fixed_corotated, 1e5, 0.3, 1000});
    const Mat3 tilt = Eigen::AngleAxisd(0.1, Vec3(1, 0.3, 0.2).normalized()).toRotationMatrix();
    Mesh plate = rotated(generate_box({1.0, 0.02, 1.0}, {3, 1, 3}), tilt);
    builder.add_obstacle("plate", plate);
    const auto [world, state] = builder.build();
    ContactDetection detection(world, 1e-5);
    VecX move = VecX::Zero(state.x.size());
    for (Index v = 0; v < world.vertex_count(); ++v) {
        if (!world.is_obstacle(v)) move[3 * v + 1] = -0.5;
    }
    const SurfaceNeighbours neighbours(world.surface, world.vertex_count());
    const auto closed = closed_bodies(world.surface, world.bodies.size(), state.x);
    HessianAssembly assembly(world);
    SinglePrecisionRows rounded;
    const StepInput input = schedule(world, state, 0.01);
    const VelocityProblem velocities(world, state, input, assembly, rounded);
    CollisionCheck check(detection, neighbours, closed, velocities, state.x, move);
    const auto collisions = check.find(state.x + move, 1e-6);
    REQUIRE(!collisions.empty());
    for (const Collision& collision : collisions) {
        for (int i = 0; i < collision.pair.vertex_count(); ++i) {
            const Index v = collision.pair.key.vertices[static_cast<std::size_t>(i)];
            if (world.is_obstacle(v)) CHECK((tilt.transpose() * state.x.segment<3>(3 * v)).y() > 0.0);
        }
    }
}

TEST_CASE("mlcp: a factor of A takes over where conjugate residuals take long, and leads to the same step") {
    const Scene scene = block_on_slope(0.3, 0.5, 1.0, 1e9);
    Options options = tight();
    StepResult alone, with_factor;
    options.solver = SolverKind::cr;
    options.factorise_after = 0;
    Mlcp(options).step(scene.world, scene.state, schedule(scene.world, scene.state, 0.01), alone);
    options.factorise_after = 2;
    Mlcp(options).step(scene.world, scene.state, schedule(scene.world, scene.state, 0.01), with_factor);
    REQUIRE(is_accepted(alone.report.status));
    REQUIRE(is_accepted(with_factor.report.status));
    CHECK(alone.report.notes.empty());
    REQUIRE(!with_factor.report.notes.empty());
    CHECK(with_factor.report.notes[0] == "contact problem preconditioned with a factor of A");
    CHECK(with_factor.report.iterations < alone.report.iterations);
    CHECK((with_factor.state.x - alone.state.x).lpNorm<Eigen::Infinity>() < 2e-7);
}

TEST_CASE("mlcp: where rows contradict each other the cause names a pair, by its bodies") {
    WorldBuilder builder;
    builder.add_rigid("block", translated(generate_box({0.2, 0.2, 0.2}, {1, 1, 1}), {0, 0.1001, 0}), 1000);
    builder.add_obstacle("plate", translated(generate_box({0.6, 0.02, 0.6}, {6, 1, 6}), {0, -0.01, 0}));
    const Mesh press = translated(generate_box({0.6, 0.02, 0.6}, {6, 1, 6}), {0, 0.2103, 0});
    builder.add_obstacle("press", press);
    Motion down;
    down.name = "down";
    const std::size_t first = 8 + press.vertices.size();  // behind the block's and the plate's
    for (std::size_t v = 0; v < press.vertices.size(); ++v) down.vertices.push_back(static_cast<Index>(first + v));
    auto trajectory = std::make_shared<RigidTrajectory>();
    trajectory->velocity = {0, -0.1, 0};
    down.trajectory = trajectory;
    builder.add_motion(down);
    builder.set_default_friction(0.0);
    const auto [world, state] = builder.build();
    Mlcp method({});
    StepResult result;
    State now = state;
    for (int step = 0; step < 20; ++step) {
        method.step(world, now, schedule(world, now, 0.01), result);
        if (!is_accepted(result.report.status)) break;
        now = result.state;
    }
    CHECK(result.report.status == Status::iteration_limit);
    CHECK(result.report.cause.find("farthest from its target") != std::string::npos);
    const auto names = [&](const char* word) { return result.report.cause.find(word) != std::string::npos; };
    INFO(result.report.cause);
    CHECK(names("block vertex"));
    CHECK((names("plate vertex") || names("press vertex")));
}

TEST_CASE("mlcp: a step whose solves together take too many iterations ends with a status that says so") {
    const Scene scene = block_on_slope(0.3, 0.5, 1.0, 1e9);
    Options options = tight();
    options.max_step_iterations = 7;
    StepResult result;
    Mlcp(options).step(scene.world, scene.state, schedule(scene.world, scene.state, 0.01), result);
    INFO(result.report.cause);
    CHECK(result.report.status == Status::iteration_limit);
    CHECK(result.report.cause.find("7 iterations in 1 solves of the step") != std::string::npos);
    CHECK(result.report.iterations == 7);
}

TEST_CASE("mlcp: same bits with one thread and two, and after a resumed run") {
    const Scene scene = two_cubes();
    const auto run = [&](int threads) {
        set_thread_count(threads);
        Mlcp mlcp({});
        return run_steps(mlcp, scene.world, scene.state, 0.005, 40);
    };
    const State one = run(1), two = run(2);
    set_thread_count(0);
    CHECK(one == two);
    Mlcp first({}), second({});
    const State half = run_steps(first, scene.world, scene.state, 0.005, 25);
    const State read = state_from_bytes(to_bytes(half), "memory");
    CHECK(run_steps(second, scene.world, read, 0.005, 15) == one);
}

TEST_CASE("mlcp: nonlinear elasticity balances at the end of the step, one linearisation does not") {
    const Scene scene = two_cubes();
    const auto imbalance = [&](ElasticityModel elasticity) {
        Options options;
        options.tolerance = 1e-6;
        options.distance_tolerance = 1e-6;
        options.elasticity = elasticity;
        options.velocity_tolerance = 1e-9;
        Mlcp mlcp(options);
        const double h = 0.005;
        State state = run_steps(mlcp, scene.world, scene.state, h, 30);
        double worst = 0.0, scale = 0.0;
        run_steps(mlcp, scene.world, state, h, 10, [&](const State& now, const StepResult& result) {
            const VecX left = (mass_product(scene.world, now.v) - mass_product(scene.world, now.previous_v)) / h +
                              elastic_gradient(scene.world, now.x) - result.contact_force - result.friction_force;
            for (Index v = 0; v < scene.world.vertex_count(); ++v) {
                if (scene.world.is_obstacle(v)) continue;
                worst = std::max(worst, (left.segment<3>(3 * v) - scene.world.mass[v] * scene.world.gravity).norm());
                scale = std::max(scale, result.contact_force.segment<3>(3 * v).norm());
            }
        });
        return worst / scale;
    };
    const double once = imbalance(ElasticityModel::linearised), often = imbalance(ElasticityModel::nonlinear);
    CHECK(often < 1e-4);
    CHECK(often < 0.01 * once);
}
