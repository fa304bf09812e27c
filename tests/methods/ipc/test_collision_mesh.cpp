// Solids whose collision mesh is another surface, in the time step: the same motion where it is their boundary, forces
// that add up, derivatives in the unknowns, driven tets.
#include "stiction/barrier/potential.hpp"
#include "stiction/base/parallel.hpp"
#include "stiction/collision/intersection.hpp"
#include "stiction/dynamics/contact_detection.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/mesh/topology.hpp"

#include "support/compare.hpp"
#include "support/run.hpp"

#include <random>

using namespace stiction;
using namespace stiction::test;

namespace {

const BodyMaterial caged_material{MaterialLaw::neo_hookean, 5e4, 0.3, 1000};

ipc::Options tight_options() {
    ipc::Options options;
    options.dhat = 2e-3;
    options.velocity_tolerance = 1e-9;
    return options;
}

/// How far vertices are from where the tets carry them, at most (m).
double off_its_tets(const World& world, const State& state) {
    VecX carried = state.x;
    carry(world.carried, carried);
    return (carried - state.x).cwiseAbs().maxCoeff();
}

/// A coarse box with a ball in it, near the ground and beside a wall.
struct BallInBox {
    World world;
    State state;
    Mesh box = generate_box({0.2, 0.2, 0.2}, {2, 2, 2});
    double dhat = 0.02;

    explicit BallInBox(double height, bool held = false, double speed = 0.0, std::uint8_t axes = 7,
                       const Vec3& up = {0, 1, 0}) {
        WorldBuilder builder;
        const Index body = builder.add_deformable("body", translated(box, {0, height, 0}), caged_material);
        builder.set_collision_mesh(body, translated(generate_icosphere(0.1, 1), {0, height, 0}));
        builder.add_half_space("ground", {0, 0, 0}, up);
        builder.add_obstacle("wall", translated(generate_icosphere(0.1, 1), {0.17, 0.1, 0.1}));
        if (held) {
            Motion motion;
            motion.name = "top";
            for (std::size_t v = 0; v < box.vertices.size(); ++v) {
                if (box.vertices[v].y() > 0.05) motion.vertices.push_back(static_cast<Index>(v));
            }
            auto path = std::make_shared<RigidTrajectory>();
            path->velocity = {0, speed, 0};
            motion.trajectory = path;
            motion.axes = axes;
            builder.add_motion(motion);
        }
        builder.set_gravity({0, -9.81, 0});
        builder.set_default_friction(0.4);
        std::tie(world, state) = builder.build();
    }
};

}  // namespace

TEST_CASE("collision mesh: the boundary of the tets as collision mesh changes no motion") {
    const auto run = [](bool own) {
        WorldBuilder builder;
        const Mesh box = translated(generate_box({0.2, 0.1, 0.2}, {3, 2, 3}), {0, 0.055, 0});
        const Index body = builder.add_deformable("body", box, caged_material, {0.5, -0.5, 0.1}, {0, 1, 1});
        if (own) builder.set_collision_mesh(body, surface_mesh(box));
        builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
        builder.add_obstacle("post", translated(generate_icosphere(0.05, 1), {0.16, 0.05, 0}));
        builder.set_gravity({0, -9.81, 0});
        builder.set_default_friction(0.3);
        auto [world, state] = builder.build();
        ipc::Ipc ipc(tight_options());
        long contacts = 0;
        state = run_steps(ipc, world, state, 0.01, 25,
                          [&](const State&, const StepResult& result) { contacts += result.report.contacts; });
        CHECK(contacts > 100);
        CHECK(off_its_tets(world, state) < 1e-14);
        return VecX(state.x.head(3 * static_cast<Eigen::Index>(box.vertices.size())));
    };
    const VecX plain = run(false), hung = run(true);
    CHECK((hung - plain).cwiseAbs().maxCoeff() < 1e-9);
}

TEST_CASE("collision mesh: contact forces add up to what the momentum says, and rest on the ball, not on the box") {
    BallInBox scene(0.103);
    ipc::Ipc ipc(tight_options());
    const double h = 0.01;
    double lowest = 1.0;
    long contacts = 0;
    State state = scene.state;
    const double mass = scene.world.mass.sum();
    for (int i = 0; i < 40; ++i) {
        const State before = state;
        StepResult last;
        state =
            run_steps(ipc, scene.world, state, h, 1, [&](const State&, const StepResult& result) { last = result; });
        contacts += last.report.contacts;
        const Vec3 momentum =
            mass * (centre_of_mass(scene.world, state, 0).second - centre_of_mass(scene.world, before, 0).second) / h;
        Vec3 force(0, -9.81 * mass, 0);
        for (Index v = 0; v < scene.world.bodies[0].vertex_count(); ++v)
            force += last.contact_force.segment<3>(3 * v) + last.friction_force.segment<3>(3 * v);
        CHECK((force - momentum).norm() < 1e-6 * 9.81 * mass);
        for (Index v = 0; v < scene.world.bodies[0].first_carried; ++v)
            CHECK(last.contact_force.segment<3>(3 * v).isZero(0.0));
        CHECK(find_intersections(scene.world.surface, scene.world.contact_pairs, state.x).empty());
        for (const EmbeddedVertex& entry : scene.world.carried)
            lowest = std::min(lowest, state.x[3 * entry.vertex + 1]);
    }
    CHECK(contacts > 20);
    CHECK(lowest > 0.0);
    CHECK(lowest < 2e-3);
    CHECK(off_its_tets(scene.world, state) < 1e-14);
}

TEST_CASE(
    "collision mesh in contact: gradient is the derivative of the difference, the matrix that of the gradient, in the "
    "unknowns") {
    for (const std::uint8_t axes : {0, 7, 1}) {  // of the upper half that are held
        CAPTURE(axes);
        const bool held = axes != 0;
        const BallInBox scene(0.11, held, 0.0, axes, axes == 1 ? Vec3(0.2, 1, 0.1) : Vec3(0, 1, 0));
        HessianAssembly assembly(scene.world);
        assembly.begin(DofMap(schedule(scene.world, scene.state, 0.02).driven_axes, scene.world.embedded));
        const DofMap& map = assembly.map();
        REQUIRE(map.node_count() == (axes == 7 ? 18 : 27));
        REQUIRE(map.any_masked() == (axes == 1));
        std::mt19937 random(5);
        std::uniform_real_distribution<double> jitter(-2e-3, 2e-3);
        VecX nodes(3 * map.node_count()), step;
        for (double& q : nodes) q = jitter(random);
        map.expand_step(nodes, step);
        const VecX x0 = scene.state.x, x = x0 + 0.2 * step;
        const Stage stage{1.0, 0.02, x0, step};
        BarrierPotential potential(scene.world, stage, schedule(scene.world, scene.state, 0.02).external_force, x0,
                                   scene.dhat, {FrictionProfile::quadratic, 0.01, 0.0});
        potential.set_stiffness(50.0);
        ContactDetection detection(scene.world, 2 * scene.dhat);
        detection.update(x0);
        potential.set_friction(potential.lag_friction(x0, detection.contacts(x0, scene.dhat), 50.0));
        REQUIRE(potential.friction().size() >= 2);
        const auto contacts = [&](const VecX& y) { return detection.contacts(y, scene.dhat); };
        const auto at = [&](const VecX& q) {
            VecX move;
            map.expand_step(q, move);
            return VecX(x + move);
        };
        const BarrierPotentialValues at_x = potential.values(x, contacts(x));
        const auto value = [&](const VecX& q) {
            return potential.difference(x, at_x, at(q), potential.values(at(q), contacts(at(q))), 0.0).value;
        };
        const auto gradient = [&](const VecX& q) {
            VecX result;
            map.restrict_gradient(potential.gradient(at(q), contacts(at(q))), result);
            return result;
        };
        const VecX origin = VecX::Zero(3 * map.node_count()), g = gradient(origin);
        assembly.extend(detection.near(x, detection.reach()));
        potential.assemble(x, contacts(x), false, assembly);
        const double size = 1e-7;
        double value_error = 0.0;
        for (Eigen::Index i = 0; i < origin.size(); ++i) {
            const VecX forward = size * VecX::Unit(origin.size(), i), backward = -forward;
            value_error = std::max(value_error, std::abs((value(forward) - value(backward)) / (2 * size) - g[i]));
            VecX product;
            assembly.system().multiply(VecX::Unit(origin.size(), i), product);
            const VecX quotient = (gradient(forward) - gradient(backward)) / (2 * size);
            if (map.masked_axes(static_cast<Index>(i / 3)) >> (i % 3) & 1) {
                CHECK(quotient.isZero(0.0));
                CHECK(product[i] >= 1.0);  // coupled to nothing
                CHECK(product == product[i] * VecX::Unit(origin.size(), i));
                continue;
            }
            CHECK((quotient - product).norm() < 1e-5 * product.norm());
        }
        CHECK(value_error < 1e-6 * g.norm());
        potential.assemble(x, contacts(x), true, assembly);
        VecX solved;
        const VecX full = potential.gradient(x, contacts(x));
        REQUIRE(assembly.solve(full, solved));
        CHECK(solved.dot(full) < 0.0);
        VecX carried = solved;
        carry(scene.world.carried, carried);
        CHECK((carried - solved).norm() < 1e-12 * solved.norm());
    }
}

TEST_CASE("collision mesh: tets that are held along one axis slide down a slope, and Newton's method converges") {
    BallInBox scene(0.14, true, 0.0, 1, {0.3, 1, 0});
    ipc::Ipc ipc(tight_options());
    long contacts = 0, iterations = 0;
    const State end = run_steps(ipc, scene.world, scene.state, 0.01, 25, [&](const State& now, const StepResult& last) {
        contacts += last.report.contacts;
        iterations = std::max<long>(iterations, last.report.iterations);
        CHECK(off_its_tets(scene.world, now) < 1e-13);
    });
    CHECK(contacts > 10);
    CHECK(iterations < 40);
    CHECK(end.x[1] < scene.state.x[1] - 0.01);
    for (std::size_t v = 0; v < scene.box.vertices.size(); ++v) {
        const auto x = 3 * static_cast<Eigen::Index>(v);
        if (scene.box.vertices[v].y() > 0.05) CHECK(end.x[x] == scene.state.x[x]);
    }
}

TEST_CASE(
    "collision mesh: driven tets carry it, on every integrator; same bits for 1 and 2 threads and through bytes") {
    const auto run = [](Integrator integrator, int threads, bool through_bytes) {
        set_thread_count(threads);
        BallInBox scene(0.11, true, -0.1);  // pressed 2 cm down, into the ground and past the wall
        ipc::Ipc ipc(tight_options(), integrator);
        long contacts = 0;
        const auto each = [&](const State& now, const StepResult& result) {
            contacts += result.report.contacts;
            CHECK(off_its_tets(scene.world, now) < 1e-13);
            VecX v = now.v;
            carry(scene.world.carried, v);
            CHECK((v - now.v).cwiseAbs().maxCoeff() < 1e-9);
            CHECK(find_intersections(scene.world.surface, scene.world.contact_pairs, now.x).empty());
        };
        State state = run_steps(ipc, scene.world, scene.state, 0.01, 10, each);
        if (through_bytes) state = state_from_bytes(to_bytes(state), "memory");
        ipc::Ipc fresh(tight_options(), integrator);
        state = run_steps(through_bytes ? fresh : ipc, scene.world, state, 0.01, 10, each);
        CHECK(contacts > 10);
        for (std::size_t v = 0; v < scene.box.vertices.size(); ++v) {
            if (scene.box.vertices[v].y() > 0.05)
                CHECK(state.x[3 * static_cast<Eigen::Index>(v) + 1] == relative(0.19, 1e-12));
        }
        return to_bytes(state);
    };
    for (const Integrator integrator : {Integrator::trapezoidal, Integrator::bdf2, Integrator::sdirk2}) {
        CAPTURE(static_cast<int>(integrator));
        run(integrator, 1, false);
    }
    const std::string reference = run(Integrator::backward_euler, 1, false);
    CHECK(run(Integrator::backward_euler, 2, true) == reference);
    set_thread_count(0);
}
