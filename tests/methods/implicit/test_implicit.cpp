// The method `implicit`: physics with known answers, its balance recomputed, its fallback.
#include "stiction/barrier/potential.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/contact/friction.hpp"
#include "stiction/dynamics/contact_detection.hpp"
#include "stiction/fem/elasticity.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/implicit/method.hpp"

#include "support/compare.hpp"
#include "support/run.hpp"

#include <cmath>

using namespace stiction;
using namespace stiction::test;

namespace {

constexpr double gravity = 9.81;
constexpr double friction_velocity = 1e-5;

/// A stiff block on a plane, whose inner vibrations are damped; gravity is tilted instead of the plane, so that x runs
/// down the slope.
std::pair<World, State> block_on_slope(double angle, double friction, double kinetic) {
    WorldBuilder builder;
    builder.add_deformable("block", translated(generate_box({0.2, 0.1, 0.2}, {2, 1, 2}), {0, 0.05 + 1.5e-4, 0}),
                           {MaterialLaw::neo_hookean, 1e8, 0.3, 1000, 0.0, 1e-3});
    builder.add_half_space("slope", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({gravity * std::sin(angle), -gravity * std::cos(angle), 0});
    builder.set_default_friction(friction, kinetic);
    return builder.build();
}

implicit::Options tight(double velocity = friction_velocity) {
    implicit::Options options;
    options.friction_velocity = velocity;
    return options;
}

/// At rest on the slope, held by high friction that is smoothed widely enough for the feet to creep free of stress.
State settled(double angle, double h = 0.01) {
    const auto [world, state] = block_on_slope(angle, 4.0 * std::tan(angle) + 0.5, 4.0 * std::tan(angle) + 0.5);
    implicit::Implicit implicit(tight(1e-3));
    State rest = run_steps(implicit, world, state, h, 60);
    rest.v.setZero();
    rest.acceleration.resize(0);
    rest.previous_h = 0.0;
    return rest;
}

void push(const World& world, double speed, State& state) {
    for (Index v = 0; v < world.vertex_count(); ++v) {
        if (!world.is_obstacle(v)) state.v[3 * v] = speed;
    }
}

struct Stop {
    double distance = 0.0, time = 0.0;
};

Stop slide_until_rest(Method& method, const World& world, State state, double h) {
    const double start = centre_of_mass(world, state, 0).first.x();
    for (int i = 1; i <= 10000; ++i) {
        state = run_steps(method, world, state, h, 1);
        // The trapezoidal rule may step over rest into a small backward speed, which it does not damp.
        if (centre_of_mass(world, state, 0).second.x() <= friction_velocity)
            return {centre_of_mass(world, state, 0).first.x() - start, i * h};
    }
    return {-1.0, -1.0};
}

}  // namespace

TEST_CASE(
    "implicit: a block that slides down 10 degrees stops after v0^2 / (2 a), backward Euler's -v0 h / 2 counted") {
    const double angle = 10.0 * M_PI / 180.0, mu = 0.19, v0 = 0.05;
    const double deceleration = gravity * (mu * std::cos(angle) - std::sin(angle)),
                 exact = v0 * v0 / (2 * deceleration);
    const State rest = settled(angle);
    const auto [world, unused] = block_on_slope(angle, mu, mu);
    State start = rest;
    push(world, v0, start);
    for (const double h : {0.02, 0.01}) {
        CAPTURE(h);
        implicit::Implicit euler(tight(), Integrator::backward_euler), trapezoidal(tight(), Integrator::trapezoidal);
        const Stop one = slide_until_rest(euler, world, start, h), two = slide_until_rest(trapezoidal, world, start, h);
        // A stop within a step leaves up to a h^2 / 8: 0.07 % of the distance at 0.02 s.
        CHECK(one.distance == relative(exact - v0 * h / 2, 1e-3));
        CHECK(std::abs(one.time - v0 / deceleration) <= 1.5 * h);
        CHECK(two.distance == relative(exact, 1e-3));
        CHECK(std::abs(two.time - v0 / deceleration) <= 1.5 * h);
    }
}

TEST_CASE(
    "implicit: stick creep is eps (1 - sqrt(1 - r)) for the quadratic profile, eps r / (1 - r) for the rational one") {
    const double angle = std::atan(0.5), eps = 1e-3;
    for (const double r : {0.5, 0.9}) {
        for (const FrictionProfile profile : {FrictionProfile::quadratic, FrictionProfile::rational}) {
            CAPTURE(r);
            const auto [world, unused] = block_on_slope(angle, 0.5 / r, 0.5 / r);
            implicit::Options options = tight(eps);
            options.friction_profile = profile;
            implicit::Implicit implicit(options);
            const State end = run_steps(implicit, world, settled(angle), 0.01, 40);
            const double expected =
                profile == FrictionProfile::quadratic ? eps * (1 - std::sqrt(1 - r)) : eps * r / (1 - r);
            CHECK(centre_of_mass(world, end, 0).second.x() == relative(expected, 1e-5));
        }
    }
}

TEST_CASE(
    "implicit: the static coefficient holds what the kinetic one would not, and the kinetic one brakes what slides") {
    const double angle = std::atan(0.35);
    const State rest = settled(angle);
    const auto [world, unused] = block_on_slope(angle, 0.4, 0.3);
    implicit::Options options = tight();
    options.kinetic_velocity = 0.02;
    implicit::Implicit implicit(options);
    const State held = run_steps(implicit, world, rest, 0.005, 40);
    CHECK(centre_of_mass(world, held, 0).second.x() < friction_velocity);
    State start = rest;
    push(world, 0.2, start);
    const State sliding = run_steps(implicit, world, start, 0.005, 20);
    const double acceleration = gravity * (std::sin(angle) - 0.3 * std::cos(angle));
    CHECK(centre_of_mass(world, sliding, 0).second.x() == relative(0.2 + acceleration * 0.1, 1e-5));
}

namespace {

std::pair<World, State> ball_on_table() {
    WorldBuilder builder;
    builder.add_deformable("ball", translated(generate_ball(0.1, 3), {0, 0.16, 0}),
                           {MaterialLaw::neo_hookean, 1e5, 0.3, 1000}, {1, -0.5, 0.2}, {0, 3, 0});
    builder.add_deformable("table", generate_box({0.4, 0.1, 0.4}, {4, 1, 4}),
                           {MaterialLaw::neo_hookean, 1e5, 0.3, 1000});
    builder.add_half_space("ground", {0, -0.0505, 0}, {0, 1, 0});
    builder.measure_by_scene();
    builder.set_gravity({0, -9.81, 0});
    builder.set_default_friction(0.4);
    return builder.build();
}

}  // namespace

TEST_CASE("implicit: every step balances with the friction of its own end, which is inside the cone and dissipates") {
    const auto [world, start] = ball_on_table();
    implicit::Options options;
    options.implicit_tolerance = 1e-9;
    implicit::Implicit implicit(options);
    const double dhat = implicit.contact_distance(world), eps = 1e-3 * world.diagonal, h = 0.01;
    ContactDetection detection(world, 2 * dhat);
    State before = start;
    int rubbing = 0;
    run_steps(implicit, world, start, h, 40, [&](const State& now, const StepResult& result) {
        CAPTURE(result.report.cause);
        CHECK(result.report.status == Status::converged);
        VecX elastic = VecX::Zero(now.x.size());
        std::vector<Vec12> local;
        for (const ElasticGroup& group : world.elastic) {
            element_gradients(group.elements, now.x, local);
            group.gather.add(local, elastic);
        }
        const VecX external = schedule(world, before, h).external_force;
        const VecX balance = mass_product(world, VecX(now.v - before.v)) / h + elastic - external -
                             result.contact_force - result.friction_force;
        double worst = 0.0;
        for (Index v = 0; v < world.vertex_count(); ++v) {
            if (!world.is_obstacle(v)) worst = std::max(worst, balance.segment<3>(3 * v).norm());
        }
        const double largest =
            std::max(result.contact_force.lpNorm<Eigen::Infinity>(), elastic.lpNorm<Eigen::Infinity>());
        CHECK(worst <= 1e-6 * largest);

        // The same friction from the lagged law, with everything it lags taken at the end of the step.
        detection.update(now.x);
        const ContactSet contacts = detection.contacts(now.x, dhat);
        BarrierPotential potential(world, {1.0, h, before.x, before.v}, external, before.x, dhat,
                                   {FrictionProfile::quadratic, eps, 0.0});
        const VecX unit = potential.barrier_gradient_sum(now.x, contacts);
        const double stiffness = unit.norm() > 0.0 ? -h * h * result.contact_force.dot(unit) / unit.squaredNorm() : 0.0;
        potential.set_friction(potential.lag_friction(now.x, contacts, stiffness));
        const VecX friction = potential.friction_gradient_sum(now.x) / (-h * h);
        CHECK((friction - result.friction_force).norm() <= 1e-8 * (1e-3 + result.contact_force.norm()));
        CHECK(result.friction_force.dot(now.v) <= 1e-12);
        rubbing += result.friction_force.norm() > 0.1;
        before = now;
    });
    CHECK(rubbing > 5);
}

TEST_CASE("implicit: same bits for any number of threads and from a stored state") {
    const auto [world, start] = ball_on_table();
    for (const implicit::LinearSolver solver : {implicit::LinearSolver::direct, implicit::LinearSolver::iterative}) {
        implicit::Options options;
        options.solver = solver;
        implicit::Implicit one(options, Integrator::sdirk2), two(options, Integrator::sdirk2),
            fresh(options, Integrator::sdirk2);
        set_thread_count(1);
        const State middle = run_steps(one, world, start, 0.01, 12);
        const State end = run_steps(one, world, middle, 0.01, 8);
        set_thread_count(2);
        CHECK(run_steps(two, world, start, 0.01, 12) == middle);
        CHECK(run_steps(fresh, world, state_from_bytes(to_bytes(middle), "test"), 0.01, 8) == end);
        set_thread_count(0);
    }
}

namespace {

/// Holds that moves form one chain.
class Chain final : public MoveSink {
public:
    explicit Chain(const VecX& start) : end(start) {}
    void accepted_move(const VecX& x0, const VecX& x1) override {
        breaks += x0 != end;
        end = x1;
        ++moves;
    }
    VecX end;
    int breaks = 0, moves = 0;
};

}  // namespace

TEST_CASE("implicit: moves form one chain from step to step, also where solves stall, start again and fall back") {
    const auto [world, start] = ball_on_table();
    for (const int iterations : {1, 2, 60}) {
        CAPTURE(iterations);
        implicit::Options options;
        options.max_implicit_iterations = iterations;
        options.lagged_restarts = 2;
        implicit::Implicit implicit(options, Integrator::tr_bdf2);
        Chain chain(start.x);
        State state = start;
        int fallbacks = 0;
        for (int i = 0; i < 20; ++i) {
            StepInput input = schedule(world, state, 0.01);
            input.moves = &chain;
            StepResult result;
            implicit.step(world, state, input, result);
            REQUIRE(is_accepted(result.report.status));
            CHECK(chain.end == result.state.x);
            if (result.report.status == Status::friction_not_converged) {
                ++fallbacks;
                CHECK(result.report.notes == std::vector<std::string>{"friction lagged instead of implicit"});
            }
            state = result.state;
        }
        CHECK(chain.breaks == 0);
        CHECK(chain.moves > 20);
        if (iterations == 1) CHECK(fallbacks > 0);
        if (iterations == 60) CHECK(fallbacks == 0);
    }
}

TEST_CASE("implicit: lagged friction that did not converge on the way is no matter once the implicit solve has") {
    const auto [world, start] = ball_on_table();
    implicit::Options options;
    options.friction_iterations = 0;
    options.max_friction_iterations = 2;
    implicit::Implicit implicit(options);
    run_steps(implicit, world, start, 0.01, 30, [&](const State&, const StepResult& result) {
        CHECK(result.report.status == Status::converged);
        CHECK(result.report.cause.empty());
    });
}

TEST_CASE("implicit: BiCGSTAB and LU find the same steps") {
    const auto [world, start] = ball_on_table();
    State one = start, two = start;
    implicit::Options direct, iterative;
    direct.solver = implicit::LinearSolver::direct;
    iterative.solver = implicit::LinearSolver::iterative;
    direct.implicit_tolerance = iterative.implicit_tolerance = 1e-9;
    implicit::Implicit a(direct), b(iterative);
    for (int i = 0; i < 30; ++i) {
        one = run_steps(a, world, one, 0.01, 1);
        two = run_steps(b, world, two, 0.01, 1, [&](const State&, const StepResult& result) {
            CHECK(result.report.status == Status::converged);
            CHECK(result.report.notes.empty());  // none by an LU in its place
        });
        CHECK((one.x - two.x).lpNorm<Eigen::Infinity>() < 1e-9);
        two = one;  // differences of rounding size grow in contact: every step is compared from the same start
    }
}

TEST_CASE(
    "implicit: friction's derivative by dual numbers and by formulas find the same steps, with either linear solver") {
    const auto [world, start] = ball_on_table();
    for (const implicit::LinearSolver solver : {implicit::LinearSolver::direct, implicit::LinearSolver::iterative}) {
        State state = start;
        implicit::Options options;
        options.solver = solver;
        options.implicit_tolerance = 1e-9;
        implicit::Implicit automatic(options);
        options.friction_jacobian = implicit::FrictionJacobian::analytic;
        implicit::Implicit analytic(options);
        int iterations = 0, rubbing = 0;
        for (int i = 0; i < 20; ++i) {
            const State other = run_steps(analytic, world, state, 0.01, 1, [&](const State&, const StepResult& result) {
                iterations -= result.report.iterations;
            });
            state = run_steps(automatic, world, state, 0.01, 1, [&](const State&, const StepResult& result) {
                iterations += result.report.iterations;
                rubbing += result.friction_force.norm() > 0.1;
            });
            CHECK((state.x - other.x).lpNorm<Eigen::Infinity>() < 1e-10);
        }
        CHECK(rubbing > 3);
        CHECK(std::abs(iterations) <= 2);
    }
}

TEST_CASE("implicit: every step that needs one says which linear solver it took") {
    const auto [world, start] = ball_on_table();
    for (const implicit::LinearSolver solver :
         {implicit::LinearSolver::automatic, implicit::LinearSolver::direct, implicit::LinearSolver::iterative}) {
        implicit::Options options;
        options.solver = solver;
        implicit::Implicit implicit(options);
        int named = 0;
        run_steps(implicit, world, start, 0.01, 10, [&](const State&, const StepResult& result) {
            named += !result.report.linear_solver.empty();
            if (result.report.contacts > 0)
                CHECK(result.report.linear_solver ==
                      (solver == implicit::LinearSolver::iterative ? "iterative" : "direct"));
        });
        CHECK(named > 0);
    }
    WorldBuilder builder;
    builder.add_deformable("large", translated(generate_box({1, 1, 1}, {15, 15, 13}), {0, 0.5005, 0}),
                           {MaterialLaw::neo_hookean, 1e6, 0.3, 1000});
    builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
    builder.set_default_friction(0.4);
    const auto [large, rest] = builder.build();
    REQUIRE(large.vertex_count() > implicit::iterative_nodes);
    implicit::Implicit implicit(implicit::Options{});
    run_steps(implicit, large, rest, 0.01, 1,
              [](const State&, const StepResult& result) { CHECK(result.report.linear_solver == "iterative"); });
}

TEST_CASE("implicit: without friction it is ipc") {
    auto [world, start] = ball_on_table();
    world.friction = FrictionTable(3, 0.0);
    implicit::Options options;
    options.velocity_tolerance = 1e-9;
    options.implicit_tolerance = 1e-9;
    implicit::Implicit implicit(options);
    ipc::Ipc ipc(options);
    const State a = run_steps(implicit, world, start, 0.01, 20), b = run_steps(ipc, world, start, 0.01, 20);
    CHECK((a.x - b.x).lpNorm<Eigen::Infinity>() < 1e-8);
}

TEST_CASE("implicit: a stalled solve keeps the lagged solution and says so") {
    const auto [world, start] = ball_on_table();
    implicit::Options options;
    options.max_implicit_iterations = 1;
    options.implicit_tolerance = 1e-14;
    options.lagged_restarts = 0;
    implicit::Implicit implicit(options);
    ipc::Ipc ipc(options);
    State state = start;
    int fallbacks = 0;
    for (int i = 0; i < 15; ++i) {
        StepResult a, b;
        const StepInput input = schedule(world, state, 0.01);
        implicit.step(world, state, input, a);
        ipc.step(world, state, input, b);
        if (a.report.status == Status::friction_not_converged) {
            ++fallbacks;
            CHECK(a.report.cause.find("friction lagged instead") != std::string::npos);
            REQUIRE(a.report.notes.size() == 1);
            CHECK(a.state.x == b.state.x);
            CHECK(a.friction_force == b.friction_force);
        }
        state = a.state;
    }
    CHECK(fallbacks > 3);
}
