// The whole incremental potential: derivatives term by term and together, differences, and the converged gradient
// recomputed.
#include "stiction/barrier/potential.hpp"
#include "stiction/barrier/stiffness.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/dynamics/contact_detection.hpp"
#include "stiction/fem/elasticity.hpp"
#include "stiction/math/derivative_check.hpp"
#include "stiction/mesh/generate.hpp"

#include "support/compare.hpp"
#include "support/run.hpp"

#include <algorithm>
#include <cstring>
#include <random>

using namespace stiction;
using namespace stiction::test;

namespace {

/// Two cubes and a half-space close enough to touch, damped, rubbing, with a pull on one vertex.
struct Fixture {
    World world;
    State state;
    VecX force;
    double dhat = 0.05;
    Stage stage;

    explicit Fixture(bool consistent = false, double shift = 0.0) {
        WorldBuilder builder;
        BodyMaterial damped{MaterialLaw::neo_hookean, 1e4, 0.3, 900, 0.5, 0.01};
        builder.add_deformable("lower", translated(generate_box({1, 1, 1}, {1, 1, 1}), {shift, 0.52, shift}), damped);
        builder.add_deformable("upper",
                               translated(generate_box({0.8, 0.8, 0.8}, {1, 1, 1}), {0.1 + shift, 1.45, 0.05 + shift}),
                               {MaterialLaw::fixed_corotated, 2e4, 0.4, 1100});
        builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
        builder.set_gravity({0, -9.81, 0});
        builder.set_default_friction(0.5);
        builder.set_consistent_mass(consistent);
        std::tie(world, state) = builder.build();
        std::mt19937 random(3);
        std::uniform_real_distribution<double> jitter(-0.01, 0.01);
        for (Eigen::Index i = 0; i < state.x.size() - 3; ++i) {
            state.x[i] += jitter(random);
            state.v[i] += 10 * jitter(random);
        }
        force = schedule(world, state, 0.02).external_force;
        stage = {1.0, 0.02, state.x, state.v};
    }

    BarrierPotential potential() const {
        return {world, stage, force, state.x, dhat, {FrictionProfile::quadratic, 0.01, 0.0}};
    }
};

}  // namespace

TEST_CASE("gradient and Hessian of the whole potential pass the derivative checker") {
    for (const bool consistent : {false, true}) {
        const Fixture scene(consistent);
        BarrierPotential potential = scene.potential();
        potential.set_stiffness(50.0);
        ContactDetection detection(scene.world, 2 * scene.dhat);
        detection.update(scene.state.x);
        const ContactSet start = detection.contacts(scene.state.x, scene.dhat);
        REQUIRE(start.contacts.size() > 3);
        potential.set_friction(potential.lag_friction(scene.state.x, start, 50.0));
        REQUIRE(!potential.friction().empty());
        TargetPull& pull = potential.pull();
        pull.vertices = {2};
        pull.axes = {5};
        pull.mass = {1.5};
        pull.target = scene.state.x;
        pull.target[7] += 0.3;
        pull.multipliers = VecX::Constant(scene.state.x.size(), 0.7);
        pull.stiffness = 20.0;
        VecX x = scene.state.x;
        for (Eigen::Index i = 0; i < x.size(); ++i) x[i] += 1e-3 * std::sin(7.0 * static_cast<double>(i));
        const auto contacts = [&](const VecX& y) { return detection.contacts(y, scene.dhat); };
        const VecX origin = x;
        const BarrierPotentialValues at_origin = potential.values(origin, contacts(origin));
        const auto value = [&](const VecX& y) {
            return potential.difference(origin, at_origin, y, potential.values(y, contacts(y)), 0.0).value;
        };
        const auto gradient = [&](const VecX& y) { return potential.gradient(y, contacts(y)); };
        const auto no_hessian = [&](const VecX& y) {
            return Eigen::MatrixXd(Eigen::MatrixXd::Zero(y.size(), y.size()));
        };
        CHECK(check_derivatives(value, gradient, no_hessian, x, 1e-2).gradient_error < 1e-5);
        // The assembled matrix is the sum of projected Hessians: positive definite, and it dominates the difference
        // quotient of the gradient along every direction whose local Hessians need no projection; here: symmetric, PSD,
        // consistent with the solve.
        HessianAssembly assembly(scene.world);
        std::vector<std::uint8_t> free(scene.world.body_of_vertex.size(), 0);
        free.back() = 7;
        assembly.begin(DofMap(free));
        assembly.extend(detection.near(x, detection.reach()));
        for (const LaggedFriction& contact : potential.friction()) CHECK(assembly.covers(contact.pair.key.vertices));
        potential.assemble(x, contacts(x), true, assembly);
        VecX step;
        const VecX g = gradient(x);
        REQUIRE(assembly.solve(g, step));
        VecX product, compact;
        assembly.map().restrict_gradient(step, compact);
        assembly.system().multiply(compact, product);
        VecX free_gradient;
        assembly.map().restrict_gradient(g, free_gradient);
        CHECK((product + free_gradient).norm() < 1e-9 * free_gradient.norm());
        CHECK(step.dot(g) < 0.0);
    }
}

TEST_CASE("the assembled matrix equals the difference quotient of the gradient where nothing needs projection") {
    // At rest, without contact, every local Hessian is positive semi-definite as it stands.
    WorldBuilder builder;
    const Mesh box = generate_box({1, 1, 1}, {2, 1, 1});
    builder.add_deformable("box", box, {MaterialLaw::neo_hookean, 1e4, 0.3, 900, 0.3, 0.02});
    builder.set_consistent_mass(true);
    auto [world, state] = builder.build();
    const Stage stage{1.0, 0.05, state.x, state.v};
    const IncrementalPotential potential(world, stage, VecX::Zero(state.x.size()), state.x);
    HessianAssembly assembly(world);
    assembly.begin(DofMap(std::vector<std::uint8_t>(world.body_of_vertex.size(), 0)));
    potential.assemble(state.x, true, assembly);
    const double step = 1e-6;
    for (Eigen::Index i = 0; i < state.x.size(); ++i) {
        VecX forward = state.x, backward = state.x, product;
        forward[i] += step;
        backward[i] -= step;
        const VecX quotient = (potential.gradient(forward) - potential.gradient(backward)) / (2 * step);
        assembly.system().multiply(VecX::Unit(state.x.size(), i), product);
        CHECK((quotient - product).norm() < 1e-6 * product.norm());
    }
}

TEST_CASE("the converged gradient, recomputed from the world alone, vanishes on free vertices") {
    Fixture scene(false, 0.2);
    ipc::Options options;
    options.dhat = scene.dhat;
    options.velocity_tolerance = 1e-10;
    options.barrier_stiffness = 75000.0;
    options.friction_velocity = 0.01;
    ipc::Ipc ipc(options);
    State before = scene.state;
    StepResult result;
    for (int i = 0; i < 6; ++i) {
        const State start = before;
        const StepInput input = schedule(scene.world, start, 0.02);
        ipc.step(scene.world, start, input, result);
        REQUIRE(is_accepted(result.report.status));
        before = result.state;
        // M (v1 - v0) / h = f_ext - dPsi - C v + contact + friction, in newtons, with elastic forces from difference
        // quotients of the energy.
        const State& now = result.state;
        VecX residual = mass_product(scene.world, now.v - start.v) / 0.02 - input.external_force -
                        result.contact_force - result.friction_force;
        VecX elastic(now.x.size());
        for (Eigen::Index k = 0; k < now.x.size(); ++k) {
            VecX plus = now.x, minus = now.x;
            plus[k] += 1e-5;
            minus[k] -= 1e-5;
            double energy = 0.0;
            for (const ElasticGroup& group : scene.world.elastic)
                energy += elastic_energy(group.elements, plus) - elastic_energy(group.elements, minus);
            elastic[k] = energy / 2e-5;
        }
        residual += elastic;
        for (const ElasticGroup& group : scene.world.elastic) {
            QuadraticElements damping;
            freeze_rayleigh_damping(group.elements, group.density, group.damping, start.x, damping);
            std::vector<Vec12> local;
            damping.gradients(now.v, local);
            group.gather.add(local, residual);
        }
        double largest = 0.0;
        for (Index v = 0; v < scene.world.vertex_count(); ++v) {
            if (!scene.world.is_obstacle(v)) largest = std::max(largest, residual.segment<3>(3 * v).norm());
        }
        CHECK(largest < 1e-4 * input.external_force.norm());
    }
    CHECK(result.contact_force.norm() > 1.0);
}

TEST_CASE("same bits for 1 and 2 threads, for two runs, and from a state that went through bytes") {
    const auto run = [](int threads, bool through_bytes) {
        set_thread_count(threads);
        Fixture scene;
        ipc::Ipc ipc(ipc::Options{});
        State state = run_steps(ipc, scene.world, scene.state, 0.02, 10);
        if (through_bytes) state = state_from_bytes(to_bytes(state), "memory");
        ipc::Ipc fresh(ipc::Options{});
        return to_bytes(run_steps(through_bytes ? fresh : ipc, scene.world, state, 0.02, 10));
    };
    const std::string reference = run(1, false);
    CHECK(run(2, false) == reference);
    CHECK(run(1, false) == reference);
    CHECK(run(2, true) == reference);
    set_thread_count(0);
}

TEST_CASE("a friction velocity that is given decides the kinetic velocity of all pairs, too") {
    const BarrierLimits limits{1e-3, 1e-3, 1e-2, 1e-2};
    BarrierOptions options;
    CHECK(friction_law(options, limits).of_pair(0.01).kinetic_slip == 1e-4);
    options.friction_velocity = 1e-3;
    CHECK(friction_law(options, limits).of_pair(0.01).sticking_slip == 1e-3);
    CHECK(friction_law(options, limits).of_pair(0.01).kinetic_slip == 1e-2);
}

TEST_CASE("adaptive stiffness: bounds, balance, and what makes it grow") {
    const StiffnessBounds bounds = stiffness_bounds(StiffnessRule::balance, 2.0, 3.0, 3e-3);
    const double s0 = 1e-16 * 9.0, s_hat = 9e-6;
    const double second = (s_hat / s0 + 2) * s_hat / s0 - 2 * std::log(s0 / s_hat) - 3;
    CHECK(bounds.lower == relative(1e11 * 2.0 / (4 * s0 * second), 1e-13));
    CHECK(bounds.upper == relative(100 * bounds.lower, 1e-13));
    // b'' at half of dhat is 24 + 2 ln 4 - 3; at dhat = 1e-3 l and above, the lower of both bounds holds.
    const StiffnessBounds soft = stiffness_bounds(StiffnessRule::load, 2.0, 3.0, 1e-3);
    CHECK(soft.lower == relative(60 * 2.0 / (1e-6 * (21 + 2 * std::log(4.0))), 1e-13));
    CHECK(soft.upper == stiffness_bounds(StiffnessRule::balance, 2.0, 3.0, 1e-3).upper);
    CHECK(stiffness_bounds(StiffnessRule::load, 2.0, 3.0, 3e-3).lower == bounds.lower);
    CHECK(stiffness_bounds(StiffnessRule::load, 2.0, 3.0, 3e-6).lower <
          1e-3 * stiffness_bounds(StiffnessRule::balance, 2.0, 3.0, 3e-6).lower);
    VecX barrier(3), rest(3);
    barrier << -1, 0, 0;
    rest << 5 * bounds.lower, 1, 0;
    CHECK(balanced_stiffness(barrier, rest, bounds) == relative(5 * bounds.lower, 1e-13));
    CHECK(balanced_stiffness(barrier, -rest, bounds) == bounds.lower);
    CHECK(balanced_stiffness(barrier, 1e9 * rest, bounds) == bounds.upper);
    CHECK(balanced_stiffness(VecX::Zero(3), rest, bounds) == bounds.lower);
    StiffnessGuard guard(1e-9);
    ContactSet set;
    set.contacts.resize(1);
    set.contacts[0].vertices = {1, 2, 3, 4};
    set.contacts[0].squared_distance = 0.8e-18;
    CHECK(!guard.shrinking(set));
    set.contacts[0].squared_distance = 0.9e-18;
    CHECK(!guard.shrinking(set));
    set.contacts[0].squared_distance = 0.5e-18;
    CHECK(guard.shrinking(set));
    set.contacts[0].squared_distance = 2e-18;
    CHECK(!guard.shrinking(set));
}
