// Scenes and checks of steps whose iterations run by the algorithm for a GPU, against those of the CPU.
#pragma once

#include "stiction/mesh/generate.hpp"
#include "stiction/methods/local_global/device/choose_device.hpp"
#include "stiction/methods/local_global/method.hpp"

#include "support/block_on_slope.hpp"
#include <Eigen/Geometry>

#include <algorithm>
#include <functional>
#include <random>

namespace stiction::test {

using namespace local_global;

inline local_global::Options on(DeviceKind device) {
    local_global::Options options;
    options.device = device;
    options.contact.delassus = DelassusKind::formed;
    options.iterations = 6;
    return options;
}

/// How far steps by two ways part (m), from each state of a run on the CPU.
struct Parting {
    double largest = 0.0;  ///< of all steps
    double median = 0.0;
    double nudged = 0.0;  ///< the largest of steps on the CPU from positions that differ in the last bit
    bool touched = false;
};

inline double distance(const State& a, const State& b) {
    return (a.x - b.x).cwiseAbs().maxCoeff();
}

/// The state with positions off by up to two units in the last place.
inline State nudged(State state, int seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    std::uniform_int_distribution<int> units(-2, 2);
    for (Eigen::Index i = 0; i < state.x.size(); ++i) state.x[i] *= 1.0 + 2.2e-16 * units(random);
    return state;
}

/// Two whole runs would part: at a tie between sticking and sliding, rounding decides. So steps are compared one by
/// one, and with what rounding does to a step on the CPU.
inline Parting parting(
    const Scene& scene, const local_global::Options& on_cpu, const local_global::Options& emulated, int steps,
    const std::function<double(int)>& step_size = [](int) { return 0.01; }) {
    LocalGlobal reference(on_cpu), again(on_cpu), method(emulated);
    method.check(scene.world);
    State before = scene.state;
    StepResult ours, other;
    Parting result;
    std::vector<double> distances;
    StepResult expected;
    for (int k = 0; k < steps; ++k) {
        const double h = step_size(k);
        const StepInput input = schedule(scene.world, before, h);
        reference.step(scene.world, before, input, expected);
        REQUIRE(is_accepted(expected.report.status));
        result.touched = result.touched || expected.report.contacts > 0;
        method.step(scene.world, before, input, ours);
        REQUIRE(is_accepted(ours.report.status));
        CHECK(ours.report.iterations == expected.report.iterations);
        distances.push_back(distance(ours.state, expected.state));
        for (int seed = 0; seed < 3; ++seed) {
            const State start = nudged(before, seed);
            again.step(scene.world, start, schedule(scene.world, start, h), other);
            result.nudged = std::max(result.nudged, distance(other.state, expected.state));
        }
        before = expected.state;
    }
    std::sort(distances.begin(), distances.end());
    result.largest = distances.back();
    result.median = distances[distances.size() / 2];
    return result;
}

/// @param scale  size of the scene (m)
inline void check_parting(const Parting& result, double scale) {
    CHECK(result.touched);
    CHECK(result.median < 1e-9 * scale);
    CHECK(result.largest < 30.0 * result.nudged);
    CHECK(result.nudged < 1e-4 * scale);
}

/// @param held_until  end of a motion that holds four vertices of the upper cube (s)
inline Scene two_cubes_on_a_slope(double held_until = 0.0) {
    WorldBuilder builder;
    // Tilted: between faces that lie flat on each other forces are not unique.
    double angle = 0.3;
    for (const double height : {0.07, 0.2}) {
        const Mat3 turn = Eigen::AngleAxisd(angle, Vec3(1, 0.2, 0.7).normalized()).toRotationMatrix();
        builder.add_deformable("cube " + std::to_string(height),
                               translated(rotated(generate_box({0.1, 0.1, 0.1}, {3, 3, 3}), turn), {0, height, 0}),
                               {MaterialLaw::fixed_corotated, 1e5, 0.4, 1000}, {0, -1, 0});
        angle = -0.4;
    }
    if (held_until > 0.0) {
        Motion held;
        held.name = "held";
        held.vertices = {64, 65, 66, 67};
        held.end = held_until;
        held.trajectory = std::make_shared<RigidTrajectory>();
        builder.add_motion(std::move(held));
    }
    builder.add_half_space("slope", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({3, -9, 1});
    builder.set_default_friction(0.3);
    auto [world, state] = builder.build();
    return {std::move(world), std::move(state)};
}

inline Scene cloth_on_a_box() {
    WorldBuilder builder;
    builder.add_obstacle("box", generate_box({0.1, 0.1, 0.1}, {1, 1, 1}));
    ShellMaterial material{.law = MembraneLaw::fixed_corotated, .youngs_modulus = 2e4, .areal_density = 0.2};
    builder.add_shell("cloth", translated(generate_cloth(0.3, 0.3, 9, 9), {0.013, 0.052, 0.007}), material);
    builder.set_gravity({0, -gravity, 0});
    builder.set_default_friction(0.4);
    auto [world, state] = builder.build();
    return {std::move(world), std::move(state)};
}

/// Frames with contact, cloth, attachments and a cable.
inline void check_bodies_in_contact(DeviceKind device) {
    check_parting(parting(two_cubes_on_a_slope(), on(DeviceKind::cpu), on(device), 25), 0.2);
}
inline void check_cloth_in_contact(DeviceKind device) {
    check_parting(parting(cloth_on_a_box(), on(DeviceKind::cpu), on(device), 15), 0.3);
}
inline void check_attachments_and_cable(DeviceKind device) {
    const Scene scene = two_cubes_on_a_slope();
    local_global::Options on_cpu = on(DeviceKind::cpu), on_device = on(device);
    const std::string first = scene.world.bodies[0].name, second = scene.world.bodies[1].name;
    for (local_global::Options* options : {&on_cpu, &on_device}) {
        options->attachments = {{.body = second, .to = first, .centre = {0, 0.14, 0}, .radius = 0.05}};
        options->cables = {{.body = first,
                            .points = {{-0.02, 0.07, 0}, {0, 0.075, 0}, {0.02, 0.07, 0}},
                            .length = {{0.0, 1.0}, {0.2, 0.8}}}};
    }
    check_parting(parting(scene, on_cpu, on_device, 25), 0.2);
}
/// The upper cube is held by some vertices for a while; two step sizes take turns.
inline void check_changing_steps(DeviceKind device) {
    Scene scene = two_cubes_on_a_slope(0.12);
    check_parting(parting(scene, on(DeviceKind::cpu), on(device), 20, [](int k) { return k % 3 == 1 ? 0.004 : 0.01; }),
                  0.2);
}
/// The same bits from run to run.
inline void check_bits(DeviceKind device) {
    const Scene scene = two_cubes_on_a_slope();
    std::vector<VecX> ends;
    for (int run = 0; run < 2; ++run) {
        LocalGlobal method(on(device));
        ends.push_back(run_steps(method, scene.world, scene.state, 0.01, 12).x);
    }
    CHECK(ends[0] == ends[1]);
}

}  // namespace stiction::test
