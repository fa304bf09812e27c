// Contact against analytic answers: energy, momentum, equilibrium, tunnelling, aligned drops.
#include "stiction/collision/intersection.hpp"
#include "stiction/contact/barrier_stencil.hpp"
#include "stiction/dynamics/contact_detection.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/world/start_check.hpp"

#include "support/compare.hpp"
#include "support/run.hpp"
#include <Eigen/Geometry>

using namespace stiction;
using namespace stiction::test;

namespace {

double total_energy(const StepReport& report) {
    return report.kinetic + report.elastic + report.gravity;
}

/// Barrier energy of a state in joules for a stiffness given in the objective of step h.
void check_clean(const World& world, const State& state) {
    CHECK(find_intersections(world.surface, world.contact_pairs, state.x).empty());
    CHECK(start_problems(world, state).empty());
}

}  // namespace

TEST_CASE("a ball at rest on the ground: contact forces carry exactly its weight") {
    WorldBuilder builder;
    builder.add_deformable("ball", translated(generate_ball(0.1, 3), {0, 0.1002, 0}),
                           {MaterialLaw::neo_hookean, 1e6, 0.3, 1000});
    builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({0, -9.81, 0});
    auto [world, state] = builder.build();
    ipc::Options options;
    options.velocity_tolerance = 1e-8;
    ipc::Ipc ipc(options);
    StepResult last;
    run_steps(ipc, world, state, 0.05, 80, [&](const State&, const StepResult& result) { last = result; });
    const double weight = 9.81 * world.mass.sum();
    double up = 0.0, on_ground = 0.0;
    for (Index v = 0; v < world.vertex_count(); ++v)
        (world.is_obstacle(v) ? on_ground : up) += last.contact_force[3 * v + 1];
    CHECK(up == relative(weight, 1e-9));
    CHECK(on_ground == relative(-up, 1e-12));
    check_clean(world, last.state);
}

TEST_CASE("energy never rises under backward Euler with fixed stiffness, gravity and barrier counted") {
    WorldBuilder builder;
    builder.add_deformable("ball", translated(generate_ball(0.2, 3), {0.03, 0.25, 0}),
                           {MaterialLaw::neo_hookean, 5e4, 0.4, 1000}, {0.5, -1, 0});
    builder.add_deformable("box", translated(generate_box({0.5, 0.1, 0.5}, {4, 1, 4}), {0, -0.06, 0}),
                           {MaterialLaw::stable_neo_hookean, 1e5, 0.3, 800});
    builder.add_half_space("ground", {0, -0.115, 0}, {0, 1, 0});
    builder.set_gravity({0, -9.81, 0});
    builder.set_default_friction(0.3);
    auto [world, state] = builder.build();
    const double h = 0.01;
    ipc::Options options;
    options.velocity_tolerance = 1e-7;
    options.barrier_stiffness = 1e7;
    ipc::Ipc ipc(options);
    StepReport start;
    measure(world, state, start);
    double energy = total_energy(start);
    int in_contact = 0;
    ContactDetection detection(world, 2e-3);
    const double dhat = 1e-3 * world.diagonal;
    run_steps(ipc, world, state, h, 60, [&](const State& now, const StepResult& result) {
        detection.update(now.x);
        double barrier_energy = 0.0;
        for (const Contact& contact : detection.contacts(now.x, dhat).contacts)
            barrier_energy += barrier_value(contact, now.x, dhat * dhat);
        const double total = total_energy(result.report) + barrier_energy * options.barrier_stiffness;
        CHECK(total <= energy + 1e-6 * std::abs(energy));
        energy = total;
        in_contact += result.report.contacts > 0;
    });
    CHECK(in_contact > 20);
}

TEST_CASE("two balls collide: momentum is exchanged, not made") {
    WorldBuilder builder;
    builder.add_deformable("left", translated(generate_ball(0.1, 3), {-0.12, 0, 0}),
                           {MaterialLaw::neo_hookean, 1e5, 0.3, 1000}, {2, 0, 0});
    builder.add_deformable("right", translated(generate_ball(0.1, 2), {0.12, 0.03, 0}),
                           {MaterialLaw::neo_hookean, 1e5, 0.3, 500}, {-1, 0, 0});
    builder.set_default_friction(0.4);
    auto [world, state] = builder.build();
    ipc::Options options;
    options.velocity_tolerance = 1e-9;
    ipc::Ipc ipc(options);
    StepReport start;
    measure(world, state, start);
    int in_contact = 0;
    const State end = run_steps(ipc, world, state, 0.005, 60, [&](const State&, const StepResult& result) {
        in_contact += result.report.contacts > 0;
        CHECK((result.report.momentum - start.momentum).norm() < 1e-7 * (2.0 * 4.0));
    });
    CHECK(in_contact > 2);
    CHECK(centre_of_mass(world, end, 0).second.x() < 1.0);
    CHECK(centre_of_mass(world, end, 1).second.x() > 0.5);
}

TEST_CASE("no tunnelling: a ball fired at a thin board rebounds at any speed") {
    for (const double speed : {10.0, 100.0, 1000.0}) {
        CAPTURE(speed);
        WorldBuilder builder;
        builder.add_deformable("ball", translated(generate_ball(0.05, 3), {-0.2, 0.003, 0.002}),
                               {MaterialLaw::neo_hookean, 1e8, 0.4, 1000}, {speed, 0, 0});
        builder.add_obstacle("board", generate_box({0.02, 0.5, 0.5}, {1, 6, 6}, Fill::surface));
        auto [world, state] = builder.build();
        ipc::Ipc ipc(ipc::Options{});
        const State end = run_steps(ipc, world, state, 0.02, 15, [&](const State& now, const StepResult&) {
            CHECK(centre_of_mass(world, now, 0).first.x() < -0.01);
        });
        CHECK(centre_of_mass(world, end, 0).second.x() < 0.0);
        check_clean(world, end);
    }
}

TEST_CASE("exactly aligned drops resolve: corner, edge and vertex on their likes") {
    const Mesh cube = generate_box({1, 1, 1}, {1, 1, 1});
    const Mat3 on_edge = Eigen::AngleAxisd(EIGEN_PI / 4, Vec3::UnitZ()).toRotationMatrix();
    const Mat3 on_corner = Eigen::Quaterniond::FromTwoVectors(Vec3(1, 1, 1), Vec3(0, 1, 0)).toRotationMatrix();
    struct Drop {
        const char* name;
        Mat3 upper, lower;
        double height;
    };
    const double edge = std::sqrt(0.5), corner = std::sqrt(0.75);
    const std::vector<Drop> drops{
        {"face on face", Mat3::Identity(), Mat3::Identity(), 1.02},
        {"edge on edge", on_edge, on_edge, 2 * edge + 0.02},
        {"corner on corner", on_corner, on_corner, 2 * corner + 0.02},
        {"corner on face", on_corner, Mat3::Identity(), 0.5 + corner + 0.02},
        {"edge on face", on_edge, Mat3::Identity(), 0.5 + edge + 0.02},
        {"crossed edges", on_edge, Mat3(Eigen::AngleAxisd(EIGEN_PI / 2, Vec3::UnitY()) * on_edge), 2 * edge + 0.02}};
    for (const Drop& drop : drops) {
        for (const double h : {0.01, 0.025, 0.04}) {
            CAPTURE(drop.name);
            CAPTURE(h);
            WorldBuilder builder;
            builder.add_deformable("upper", translated(rotated(cube, drop.upper), {0, drop.height, 0}),
                                   {MaterialLaw::neo_hookean, 1e6, 0.4, 1000});
            builder.add_obstacle("lower", rotated(generate_box({1, 1, 1}, {1, 1, 1}, Fill::surface), drop.lower));
            builder.set_gravity({0, -9.81, 0});
            auto [world, state] = builder.build();
            ipc::Ipc ipc(ipc::Options{});
            int contacts = 0;
            const State end =
                run_steps(ipc, world, state, h, static_cast<int>(0.4 / h),
                          [&](const State&, const StepResult& result) { contacts += result.report.contacts; });
            CHECK(contacts > 0);
            check_clean(world, end);
        }
    }
}
