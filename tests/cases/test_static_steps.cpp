// Steps that inertia does not hold: long ones, and quasi-static ones, under `ipc` and `implicit`.
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/implicit/method.hpp"
#include "stiction/sim/simulator.hpp"

#include "support/compare.hpp"
#include "support/run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

using namespace stiction;
using namespace stiction::test;

namespace {

constexpr BodyMaterial rubber_of_stack{MaterialLaw::neo_hookean, 1e5, 0.4, 1000.0};
constexpr double height_of_drag = 0.1, pressed_of_drag = 0.004;

std::pair<World, State> two_boxes(double mu, bool by_scene) {
    WorldBuilder builder;
    if (by_scene) builder.measure_by_scene();
    const Mesh box = generate_box({0.1, 0.1, 0.1}, {3, 3, 3});
    builder.add_deformable("lower", translated(box, {0, 0.051, 0}), rubber_of_stack);
    builder.add_deformable("upper", translated(box, {0, 0.155, 0}), rubber_of_stack);
    builder.add_half_space("floor", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({0, -9.81, 0});
    builder.set_default_friction(mu);
    return builder.build();
}

/// Farthest that the centre of a body of the stack came from its line, and the force on the floor over the weight.
struct StackEnd {
    double aside = 0.0, borne = 0.0;
    bool solved = true;
};

StackEnd rest(double h, double mu, Integrator integrator, const ipc::Options& options = {}, bool by_scene = false) {
    auto [world, state] = two_boxes(mu, by_scene);
    const Vec3 lower = centre_of_mass(world, state, 0).first, upper = centre_of_mass(world, state, 1).first;
    const double weight = 9.81 * world.mass.sum();
    Simulator simulator(std::move(world), std::move(state), std::make_unique<ipc::Ipc>(options, integrator),
                        SimulatorOptions{h, 6});
    StackEnd end;
    for (int step = 0; step < 3; ++step) {
        REQUIRE(simulator.advance());
        for (const Index body : {0, 1}) {
            Vec3 moved = centre_of_mass(simulator.world(), simulator.state(), body).first - (body == 0 ? lower : upper);
            moved.y() = 0.0;
            end.aside = std::max(end.aside, moved.norm());
        }
        end.solved = end.solved && simulator.last_result()->report.status != Status::not_converged;
    }
    const Body& floor = simulator.world().bodies[2];
    for (Index v = floor.first_vertex; v < floor.first_vertex + floor.vertex_count(); ++v)
        end.borne -= simulator.last_result()->contact_force[3 * v + 1] / weight;
    return end;
}

/// Without friction the boxes balance each other 0.53 mm aside, because the diagonals of their meshes go one way.
double most_aside(double mu) {
    return mu > 0.0 ? 2e-4 : 6e-4;
}

/// Smallest and largest ratio of the friction on a block to the normal force, once it slides: a block is pressed into
/// another and then dragged by its upper face, `move` (m) in each quasi-static step.
std::pair<double, double> drag(double move, double mu) {
    WorldBuilder builder;
    const Index lower = builder.add_deformable("lower", generate_box({0.4, 0.05, 0.15}, {12, 1, 5}),
                                               {MaterialLaw::neo_hookean, 1e6, 0.3, 1000.0});
    const Index upper = builder.add_deformable(
        "upper", translated(generate_box({0.1, height_of_drag, 0.1}, {3, 3, 3}), {-0.1, 0.0755, 0}),
        {MaterialLaw::neo_hookean, 1e5, 0.3, 1000.0});
    builder.set_default_friction(mu);
    // With a dhat of the block alone, a third of this one, part of it sticks for some steps, down to 0.45.
    builder.measure_by_scene();
    Motion bottom, top;
    for (std::size_t v = 0; v < builder.body(lower).mesh.vertices.size(); ++v) {
        if (builder.body(lower).mesh.vertices[v].y() < -0.0249) bottom.vertices.push_back(static_cast<Index>(v));
    }
    for (std::size_t v = 0; v < builder.body(upper).mesh.vertices.size(); ++v) {
        if (builder.body(upper).mesh.vertices[v].y() > 0.1254)
            top.vertices.push_back(builder.first_vertex(upper) + static_cast<Index>(v));
    }
    bottom.trajectory = std::make_shared<HoldTrajectory>();
    builder.add_motion(bottom);
    auto down = std::make_shared<RigidTrajectory>();
    down->velocity = {0, -0.5 * move / 0.01, 0};
    auto along = std::make_shared<RigidTrajectory>();
    along->velocity = {move / 0.01, 0, 0};
    const int first = static_cast<int>(std::lround(pressed_of_drag / (0.5 * move)));
    const int steps = first + static_cast<int>(0.1 / move);
    top.end = 0.01 * first;
    top.trajectory = down;
    builder.add_motion(top);
    top.begin = top.end;
    top.end = 1e300;
    top.trajectory = along;
    builder.add_motion(top);
    auto [world, state] = builder.build();
    Simulator simulator(std::move(world), std::move(state),
                        std::make_unique<ipc::Ipc>(ipc::Options{}, Integrator::quasi_static),
                        SimulatorOptions{0.01, 6});
    std::pair<double, double> range{std::numeric_limits<double>::infinity(), 0.0};
    for (int step = 0; step < steps; ++step) {
        REQUIRE(simulator.advance());
        CHECK(simulator.last_result()->report.status == Status::converged);
        // The block is sheared before it slides.
        if (step < first + static_cast<int>(0.02 / move)) continue;
        Vec3 normal = Vec3::Zero(), friction = Vec3::Zero();
        const Body& block = simulator.world().bodies[static_cast<std::size_t>(upper)];
        for (Index v = block.first_vertex; v < block.first_vertex + block.vertex_count(); ++v) {
            normal += simulator.last_result()->contact_force.segment<3>(3 * v);
            friction += simulator.last_result()->friction_force.segment<3>(3 * v);
        }
        const double ratio = friction.norm() / normal.norm();
        range = {std::min(range.first, ratio), std::max(range.second, ratio)};
    }
    return range;
}

}  // namespace

TEST_CASE("static steps: two boxes on each other come to rest where they are, whatever the size of the step") {
    for (const double mu : {0.0, 0.5}) {
        for (const double h : {1.0, 10.0, 100.0}) {
            CAPTURE(mu);
            CAPTURE(h);
            const StackEnd end = rest(h, mu, Integrator::backward_euler);
            CHECK(end.aside < most_aside(mu));
            CHECK(end.borne == relative(1.0, 0.03));
            CHECK(end.solved);
        }
    }
}

TEST_CASE("static steps: the stack in quasi-static steps") {
    for (const double mu : {0.0, 0.5}) {
        CAPTURE(mu);
        const StackEnd end = rest(1.0, mu, Integrator::quasi_static);
        CHECK(end.aside < most_aside(mu));
        CHECK(end.borne == relative(1.0, 0.03));
        CHECK(end.solved);
    }
}

TEST_CASE("static steps: a step whose friction may not settle says that it is no solution") {
    ipc::Options options;
    options.static_solves = 0;
    CHECK_FALSE(rest(0.01, 0.5, Integrator::quasi_static, options, true).solved);
}

TEST_CASE("static steps: a block dragged over another has friction mu at 1 and at 2 mm a step") {
    for (const double move : {1e-3, 2e-3}) {
        CAPTURE(move);
        const auto [least, most] = drag(move, 0.5);
        CHECK(least > 0.47);
        CHECK(most < 0.53);
    }
}
