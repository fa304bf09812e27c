// Motion without contact: everything has an analytic answer.
#include "stiction/mesh/generate.hpp"

#include "support/compare.hpp"
#include "support/run.hpp"
#include <Eigen/Geometry>

#include <algorithm>

using namespace stiction;
using namespace stiction::test;

namespace {

ipc::Options tight() {
    ipc::Options options;
    options.velocity_tolerance = 1e-9;
    return options;
}

}  // namespace

TEST_CASE("free fall: backward Euler's own parabola, to rounding") {
    for (const bool consistent : {false, true}) {
        WorldBuilder builder;
        builder.add_deformable("ball", generate_ball(0.5, 3), {});
        builder.set_gravity({0, -9.81, 0});
        builder.set_consistent_mass(consistent);
        auto [world, state] = builder.build();
        ipc::Ipc ipc(tight());
        const double h = 0.01;
        const int n = 20;
        const State end = run_steps(ipc, world, state, h, n);
        // v_n = -g n h and y_n = -g h^2 n (n + 1) / 2.
        const auto [position, velocity] = centre_of_mass(world, end, 0);
        CHECK(velocity.y() == relative(-9.81 * n * h, 1e-10));
        CHECK(position.y() == relative(-9.81 * h * h * n * (n + 1) / 2, 1e-10));
        CHECK(std::abs(position.x()) < 1e-12);
        // No vertex moves against the others.
        const VecX shift = end.x - state.x;
        for (Index v = 0; v < world.vertex_count(); ++v) CHECK(shift[3 * v + 1] == relative(position.y(), 1e-9));
    }
}

TEST_CASE("a spinning, flying body keeps linear momentum, and no step exerts a torque about the end positions") {
    WorldBuilder builder;
    const Mesh box = generate_box({1, 0.5, 0.3}, {4, 2, 2});
    builder.add_deformable("box", box, {MaterialLaw::neo_hookean, 1e5, 0.3, 1000}, {1, 2, 3}, {2, -1, 4});
    auto [world, state] = builder.build();
    ipc::Ipc ipc(tight());
    StepReport start;
    measure(world, state, start);
    double energy = 1e300, moment = 0.0, size = 0.0;
    State before = state;
    const State end = run_steps(ipc, world, state, 0.01, 40, [&](const State& now, const StepResult& result) {
        const double total = result.report.kinetic + result.report.elastic;
        CHECK(total < energy * (1 + 1e-9));
        energy = total;
        // Backward Euler takes forces at the end of the step: sum of m x_end x (v_end - v_start) = h sum of x_end x
        // f(x_end) = 0.
        Vec3 torque = Vec3::Zero();
        for (Index v = 0; v < world.vertex_count(); ++v) {
            const Vec3 x = now.x.segment<3>(3 * v), change = now.v.segment<3>(3 * v) - before.v.segment<3>(3 * v);
            torque += world.mass[v] * x.cross(change);
            size += world.mass[v] * x.norm() * change.norm();
        }
        moment = std::max(moment, torque.norm());
        before = now;
    });
    StepReport finish;
    measure(world, end, finish);
    CHECK((finish.momentum - start.momentum).norm() < 1e-8 * start.momentum.norm());
    CHECK(moment < 1e-7 * size);
}

TEST_CASE("invertible and barrier laws all fall the same way") {
    for (const MaterialLaw law : objective_laws) {
        WorldBuilder builder;
        builder.add_deformable("box", generate_box({0.2, 0.2, 0.2}, {2, 2, 2}), {law, 1e6, 0.3, 800}, {0.5, 0, 0});
        builder.set_gravity({0, -9.81, 0});
        auto [world, state] = builder.build();
        ipc::Ipc ipc(tight());
        const State end = run_steps(ipc, world, state, 0.02, 10);
        CAPTURE(law_name(law));
        CHECK(centre_of_mass(world, end, 0).first.y() == relative(-9.81 * 0.02 * 0.02 * 55, 1e-9));
        CHECK(centre_of_mass(world, end, 0).first.x() == relative(0.1, 1e-9));
    }
}

TEST_CASE("an extrapolated element that starts inside out comes back") {
    WorldBuilder builder;
    BodyMaterial material{MaterialLaw::neo_hookean, 1e5, 0.3, 1000, 5.0};
    material.extrapolate_below = 0.7;
    builder.add_deformable("box", generate_box({0.2, 0.2, 0.2}, {2, 2, 2}), material);
    builder.set_gravity(Vec3::Zero());
    auto [world, state] = builder.build();
    const TetElements& elements = world.elastic[0].elements;
    const auto smallest_ratio = [&](const State& s) {
        double smallest = 1.0;
        for (std::size_t e = 0; e < elements.size(); ++e)
            smallest = std::min(smallest, deformation_gradient(elements, e, s.x).determinant());
        return smallest;
    };
    for (Index v = 0; v < world.vertex_count(); ++v) {  // the inner vertex is pulled out of the box
        if (state.x.segment<3>(3 * v).norm() < 1e-9) state.x.segment<3>(3 * v) = Vec3(0.13, 0.01, -0.02);
    }
    CHECK(smallest_ratio(state) < -0.2);
    ipc::Ipc ipc(tight());
    const State end = run_steps(ipc, world, state, 0.01, 60);
    CHECK(smallest_ratio(end) > 0.9);
}

TEST_CASE("mass-proportional Rayleigh damping slows a free body by its own law") {
    WorldBuilder builder;
    BodyMaterial material;
    material.mass_damping = 2.0;
    builder.add_deformable("ball", generate_ball(0.5, 2), material, {3, 0, 0});
    auto [world, state] = builder.build();
    ipc::Ipc ipc(tight());
    const State end = run_steps(ipc, world, state, 0.01, 10);
    CHECK(centre_of_mass(world, end, 0).second.x() == relative(3.0 / std::pow(1.0 + 0.01 * 2.0, 10), 1e-8));
}

TEST_CASE("point loads and body accelerations act while they are switched on") {
    WorldBuilder builder;
    const Index body = builder.add_deformable("box", generate_box({1, 1, 1}, {1, 1, 1}), {});
    std::vector<Index> all;
    for (Index v = 0; v < builder.body(body).vertex_count(); ++v) all.push_back(v);
    builder.add_point_load({all, {10, 0, 0}, 0.0, 0.1});
    builder.add_body_force({all, {0, 0, 2}, 0.1, 0.2});
    auto [world, state] = builder.build();
    ipc::Ipc ipc(tight());
    const double h = 0.01;
    const State end = run_steps(ipc, world, state, h, 30);
    const double mass = world.mass.sum();
    CHECK(mass == relative(1000.0, 1e-13));
    const Vec3 velocity = centre_of_mass(world, end, 0).second;
    CHECK(velocity.x() == relative(8 * 10.0 / mass * 0.1, 1e-11));
    CHECK(velocity.z() == relative(0.2, 1e-13));
}
