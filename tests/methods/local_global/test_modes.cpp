// Fillings and motions along some axes under `local_global`: against Newton's method, and with known answers.
#include "loaded_bar.hpp"

#include "stiction/base/parallel.hpp"
#include "stiction/dynamics/incremental_potential.hpp"
#include "stiction/mesh/generate_hollow.hpp"
#include "stiction/methods/local_global/objective.hpp"

#include "support/compare.hpp"
#include "support/rigid.hpp"

using namespace stiction;
using namespace stiction::local_global;
using namespace stiction::test;

namespace {

VolumeLaw liquid(double compressibility, double overpressure = 0.0) {
    return {VolumeLawKind::nearly_incompressible, compressibility, standard_atmosphere, overpressure};
}
VolumeLaw gas(double overpressure) {
    return {VolumeLawKind::ideal_gas, 1.0 / standard_atmosphere, standard_atmosphere, overpressure};
}

Scene filled_bar(const VolumeLaw& law, bool exact_matrix = true) {
    Scene scene = loaded_bar(
        {MaterialLaw::neo_hookean, 1e5, 0.3, 1000}, {2, -3, 1}, false,
        [&](WorldBuilder& builder, const Mesh&) { builder.add_filling(0, FilledPart::tets, law, {}, exact_matrix); });
    add_jitter(scene.world, scene.state, 0.002);
    return scene;
}

/// A bar whose right end goes up, or up and back, and is free along the other axes.
Scene guided_bar(std::uint8_t axes, double speed) {
    Scene scene = loaded_bar(
        {MaterialLaw::neo_hookean, 1e5, 0.3, 1000}, {2, -3, 1}, false, [&](WorldBuilder& builder, const Mesh& mesh) {
            Motion motion =
                hold(vertices_where(mesh, [](const Vec3& x) { return x.x() > 0.149; }), {0, speed, -0.5 * speed});
            motion.name = "guide";
            motion.axes = axes;
            builder.add_motion(motion);
        });
    add_jitter(scene.world, scene.state, 0.001);
    return scene;
}

}  // namespace

TEST_CASE("local_global: gradient and differences of the objective with a filling are those of the potential") {
    const Scene scene = filled_bar(gas(3e3));
    const double h = 0.02;
    const StepInput input = schedule(scene.world, scene.state, h);
    const IncrementalPotential potential(scene.world, {1.0, h, scene.state.x, scene.state.v}, input.external_force,
                                         scene.state.x, input.overpressure);
    const ElementArrays elements(scene.world, 0.01);
    Objective objective(scene.world, elements);
    std::vector<Index> unknowns;
    for (Index v = 0; v < scene.world.vertex_count(); ++v) {
        if (!input.is_driven(v)) unknowns.push_back(v);
    }
    objective.begin(scene.state, input, unknowns);
    Evaluation a{.x = scene.state.x, .energy = {}, .filling = {}, .gradient = {}, .quadratic = {}}, b = a;
    for (const Index v : unknowns) b.x.segment<3>(3 * v) += Vec3(1e-3, -2e-3, 5e-4) + 0.01 * a.x.segment<3>(3 * v);
    objective.evaluate(a);
    objective.evaluate(b);
    REQUIRE(b.filling.energy.size() == 1);
    const VecX gradient = potential.gradient(b.x);
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
        const Vec3 expected = gradient.segment<3>(3 * unknowns[i]);
        CHECK((b.gradient.segment<3>(3 * static_cast<Eigen::Index>(i)) - expected).norm() <
              1e-12 * gradient.lpNorm<Eigen::Infinity>());
    }
    const double expected = potential.difference(a.x, potential.values(a.x), b.x, potential.values(b.x), 0.0).value;
    CHECK(objective.difference(a, b) == relative(expected, 1e-10));
}

TEST_CASE("local_global: fillings end where Newton's method ends, and their mode saves iterations") {
    for (const VolumeLaw& law : {liquid(1e-6), liquid(1e-8), gas(5e3)}) {
        CAPTURE(law.compressibility);
        CHECK(distance_from_newton(filled_bar(law), tight(), 0.02) < 1e-6);
    }
    const auto iterations = [](const Scene& scene) {
        const local_global::Options options = tight(20000);
        LocalGlobal method(options);
        StepResult result;
        method.step(scene.world, scene.state, schedule(scene.world, scene.state, 0.02), result);
        CAPTURE(result.report.cause);
        CHECK(result.report.status ==
              (result.report.iterations < options.iterations ? Status::converged : Status::not_converged));
        return result.report.iterations;
    };
    Scene empty = loaded_bar({MaterialLaw::neo_hookean, 1e5, 0.3, 1000}, {2, -3, 1});
    add_jitter(empty.world, empty.state, 0.002);
    const int with = iterations(filled_bar(liquid(1e-7))), without = iterations(filled_bar(liquid(1e-7), false)),
              bare = iterations(empty);
    CAPTURE(without);
    CHECK(with < 2 * bare);
    CHECK(with < without / 3);
}

TEST_CASE("local_global: a hollow ball full of liquid keeps its volume on the ground, an empty one does not") {
    const auto squeezed = [](bool filled) {
        WorldBuilder builder;
        const Index ball = builder.add_deformable("ball", translated(generate_hollow_ball(0.1, 0.02, 3), {0, 0.101, 0}),
                                                  {MaterialLaw::neo_hookean, 5e4, 0.3, 1000});
        builder.add_filling(ball, FilledPart::cavity, filled ? liquid(1e-8) : gas(0.0));
        builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
        builder.set_gravity({0, -4 * gravity, 0});
        builder.set_default_friction(0.5);
        const auto [world, state] = builder.build();
        local_global::Options options;
        options.iterations = 10;
        LocalGlobal method(options);
        method.check(world);
        StepResult last;
        const State end =
            run_steps(method, world, state, 0.01, 60, [&](const State&, const StepResult& result) { last = result; });
        CHECK(last.report.contacts > 3);
        return world.fillings[0].energy.zone.volume(end.x) / world.fillings[0].energy.rest_volume;
    };
    // Its own pressure is about rho g h = 3 kPa: a liquid of 1e-8 1/Pa gives way by 3e-5.
    CHECK(squeezed(true) == within(1.0, 2e-4));
    CHECK(squeezed(false) < 0.992);
}

TEST_CASE("local_global: motions along some axes end where Newton's method ends, at their targets to the bit") {
    for (const std::uint8_t axes : {std::uint8_t(2), std::uint8_t(6), std::uint8_t(1)}) {
        CAPTURE(static_cast<int>(axes));
        const Scene scene = guided_bar(axes, 0.3);
        CHECK(distance_from_newton(scene, tight(), 0.02) < 1e-6);
        LocalGlobal method(tight(5));
        StepResult result;
        const StepInput input = schedule(scene.world, scene.state, 0.02);
        method.step(scene.world, scene.state, input, result);
        int driven = 0;
        for (Index v = 0; v < scene.world.vertex_count(); ++v) {
            for (int axis = 0; axis < 3; ++axis) {
                if ((input.driven_axes[static_cast<std::size_t>(v)] >> axis & 1) == 0) continue;
                ++driven;
                CHECK(result.state.x[3 * v + axis] == input.target[3 * v + axis]);
            }
        }
        CHECK(driven == 9 * 3 + 9 * (axes == 6 ? 2 : 1));
    }
}

TEST_CASE("local_global: a block that is pushed along one axis slides on the ground under its weight") {
    // Driven along x, free along y and z: contact forces carry the weight, and friction is mu times it.
    const Mesh box = translated(generate_box({0.2, 0.1, 0.2}, {2, 1, 2}), {0, 0.0502, 0});
    WorldBuilder builder;
    builder.add_deformable("block", box, {MaterialLaw::fixed_corotated, 1e6, 0.3, 1000});
    Motion motion = hold(vertices_where(box, [](const Vec3& x) { return x.x() < -0.099; }), {0.5, 0, 0});
    motion.axes = 1;
    builder.add_motion(motion);
    builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({0, -gravity, 0});
    builder.set_default_friction(0.3);
    const auto [world, state] = builder.build();
    const auto run = [&, &world = world, &state = state](int threads) {
        set_thread_count(threads);
        local_global::Options options;
        options.iterations = 20;
        LocalGlobal method(options);
        StepResult last;
        const State end =
            run_steps(method, world, state, 0.01, 100, [&](const State&, const StepResult& result) { last = result; });
        const double weight = gravity * world.mass.head(world.bodies[0].vertex_count()).sum();
        CHECK(force_on(world, last.contact_force, 0, 1) == relative(weight, 1e-3));
        CHECK(force_on(world, last.friction_force, 0, 0) == relative(-0.3 * weight, 1e-3));
        CHECK(centre_of_mass(world, end, 0).second.x() == relative(0.5, 1e-3));
        set_thread_count(0);
        return to_bytes(end);
    };
    CHECK(run(1) == run(2));
}

TEST_CASE("local_global: rigid bodies, fillings and axes in one scene: same bits for threads and after a restart") {
    const auto run = [](int threads, bool through_bytes) {
        set_thread_count(threads);
        WorldBuilder builder;
        const Index ball = builder.add_deformable("ball", translated(generate_hollow_ball(0.1, 0.02, 3), {0, 0.11, 0}),
                                                  {MaterialLaw::neo_hookean, 5e4, 0.3, 1000});
        builder.add_filling(ball, FilledPart::cavity, liquid(1e-7, 100.0));
        builder.add_rigid("lid", translated(generate_box({0.2, 0.02, 0.2}, {2, 1, 2}), {0.01, 0.23, 0}), 2000.0);
        const Mesh block = translated(generate_box({0.1, 0.1, 0.1}, {2, 2, 2}), {0.25, 0.052, 0});
        const Index pusher = builder.add_deformable("pusher", block, {MaterialLaw::fixed_corotated, 1e6, 0.3, 1000});
        Motion motion = hold({}, {-0.5, 0, 0});
        for (const Index v : vertices_where(block, [](const Vec3& x) { return x.x() > 0.29; }))
            motion.vertices.push_back(v + builder.first_vertex(pusher));
        motion.axes = 1;
        builder.add_motion(motion);
        builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
        builder.set_gravity({0, -gravity, 0});
        builder.set_default_friction(0.4);
        auto [world, state] = builder.build();
        LocalGlobal first{local_global::Options{}}, second{local_global::Options{}};
        int contacts = 0;
        state = run_steps(first, world, state, 0.01, 15,
                          [&](const State&, const StepResult& result) { contacts += result.report.contacts; });
        if (through_bytes) state = state_from_bytes(to_bytes(state), "memory");
        state = run_steps(through_bytes ? second : first, world, state, 0.01, 15,
                          [&](const State&, const StepResult& result) { contacts += result.report.contacts; });
        CHECK(contacts > 100);
        set_thread_count(0);
        return to_bytes(state);
    };
    const std::string reference = run(1, false);
    CHECK(run(2, false) == reference);
    CHECK(run(2, true) == reference);
}

TEST_CASE("local_global: a block on rollers: vertices that are held along the normal of their contacts feel none") {
    const Mesh box = translated(generate_box({0.2, 0.1, 0.2}, {2, 1, 2}), {0, 0.05 + 1e-4, 0});
    WorldBuilder builder;
    builder.add_deformable("block", box, {MaterialLaw::fixed_corotated, 1e5, 0.3, 1000}, {0.5, 0, 0});
    Motion motion = hold(vertices_where(box, [](const Vec3& x) { return x.y() < 1e-3; }));
    motion.axes = 2;
    builder.add_motion(motion);
    builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({0, -gravity, 0});
    builder.set_default_friction(0.5);
    const auto [world, state] = builder.build();
    LocalGlobal method{local_global::Options{}};
    StepResult last;
    const State end =
        run_steps(method, world, state, 0.01, 50, [&](const State&, const StepResult& result) { last = result; });
    // Rollers carry it without friction.
    CHECK(last.report.complementarity->rows > 0);
    CHECK(last.contact_force.norm() == 0.0);
    CHECK(centre_of_mass(world, end, 0).second.x() == relative(0.5, 1e-9));
}
