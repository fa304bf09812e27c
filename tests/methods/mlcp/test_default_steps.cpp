// Steps of `mlcp` with its default options, at large steps and small ones and in small worlds and wide ones: friction,
// weight, gaps, and what is told about them.
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/mlcp/method.hpp"

#include "support/block_on_slope.hpp"
#include "support/compare.hpp"
#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

using namespace stiction;
using namespace stiction::mlcp;
using namespace stiction::test;

namespace {

/// A block of 4 kg. `far`: m to something else, which makes the world wide, and lengths are of the
/// world then. `gap`: under the block (m).
Scene block_on_slope(double tangent, double mu, const Vec3& velocity, double far = 0.0, double gap = 1e-6,
                     double modulus = 1e6) {
    const BodyMaterial soft{MaterialLaw::fixed_corotated, modulus, 0.3, 1000};
    return test::block_on_slope(
        {.tangent = tangent, .mu = mu, .material = soft, .gap = gap, .velocity = velocity}, [&](WorldBuilder& builder) {
            if (far == 0.0) return;
            const Mesh slab = translated(generate_box({0.1, 0.1, 0.1}, {1, 1, 1}), {far, 1, 0});
            Motion held;
            held.name = "held";
            const std::size_t first = generate_box({0.2, 0.1, 0.2}, {2, 1, 2}).vertices.size();  // behind the block's
            for (std::size_t v = 0; v < slab.vertices.size(); ++v)
                held.vertices.push_back(static_cast<Index>(first + v));
            held.trajectory = std::make_shared<HoldTrajectory>();
            builder.add_deformable("slab", slab, soft);
            builder.add_motion(held);
            builder.measure_by_scene();
        });
}

State run_default(const Scene& scene, double h, int steps,
                  const std::function<void(const State&, const StepResult&)>& each = {}) {
    Mlcp method({});
    return run_steps(method, scene.world, scene.state, h, steps, each);
}

double speed(const Scene& scene, const State& state) {
    return centre_of_mass(scene.world, state, 0).second.x();
}

}  // namespace

TEST_CASE("mlcp: friction slows a block at any step size and in a wide world") {
    for (const double far : {0.0, 17.0}) {
        const Scene scene = block_on_slope(0.0, 0.4, {1, 0, 0}, far);
        for (const double h : {1e-2, 1e-3, 1e-4}) {
            const int steps = static_cast<int>(std::lround(0.1 / h));
            INFO("h ", h, " far ", far);
            CHECK(1.0 - speed(scene, run_default(scene, h, steps)) == relative(0.4 * gravity * 0.1, 0.02));
        }
    }
}

TEST_CASE("mlcp: friction that can hold a block does, at small steps too") {
    for (const double h : {1e-2, 1e-3, 1e-4}) {
        const Scene scene = block_on_slope(0.5, 0.8, Vec3::Zero());
        INFO("h ", h);
        CHECK(std::abs(speed(scene, run_default(scene, h, static_cast<int>(std::lround(0.1 / h))))) < 2e-3);
    }
}

TEST_CASE("mlcp: a block on a slope, soft or stiff, slides or stands as Coulomb says to 1e-4 in mu") {
    // Solved to a distance, friction would hold the stiff ones to 0.02 in mu below the slope.
    constexpr double tangent = 0.5, difference = 1e-3, time = 0.2;
    const double weight = gravity * std::cos(std::atan(tangent));
    for (const double modulus : {1e6, 1e8, 1e9}) {
        for (const double h : {1e-2, 1e-3}) {
            for (const double below : {difference, -difference}) {
                INFO("E ", modulus, " h ", h, " tan(theta) - mu ", below);
                const Scene scene = block_on_slope(tangent, tangent - below, Vec3::Zero(), 0.0, 1.5e-6, modulus);
                const int steps = static_cast<int>(std::lround(time / h));
                double middle = 0.0;
                int step = 0;
                const State end = run_default(scene, h, 2 * steps, [&](const State& state, const StepResult&) {
                    if (++step == steps) middle = speed(scene, state);
                });
                const double change = (speed(scene, end) - middle) / (weight * time);
                // One that does not slide loses the speed that it has from its fall onto the slope, if any.
                const double wanted = below > 0.0 ? below : -std::min(-below, middle / (weight * time));
                CHECK(std::abs(change - wanted) < 1e-4);
            }
        }
    }
}

TEST_CASE("mlcp: what is fast falls as well") {
    WorldBuilder builder;
    const BodyMaterial soft{MaterialLaw::fixed_corotated, 1e6, 0.3, 1000};
    builder.add_deformable("thrown", generate_box({0.1, 0.1, 0.1}, {2, 2, 2}), soft, {30, 0, 0});
    builder.set_gravity({0, -gravity, 0});
    auto [world, state] = builder.build();
    for (const double h : {1e-3, 1e-4, 1e-5}) {
        Mlcp method({});
        const State end = run_steps(method, world, state, h, 100);
        INFO("h ", h);
        CHECK(centre_of_mass(world, end, 0).second.y() == relative(-gravity * 100 * h, 1e-3));
    }
}

TEST_CASE("mlcp: a gap that is too small opens to half of eps_2, without a kick") {
    for (const double h : {1e-3, 1e-5}) {
        INFO("h ", h);
        // At these steps eps_2 is 6 g h^2, less than its share of a world that is 17 m wide: opening by half of it in a
        // step makes the feet 3 g h fast. Without that limit it would be 1.5 times as much at 1 ms, 300 times at 10 us.
        const double eps_2 = 6.0 * gravity * h * h, start = eps_2 / 60.0;
        const Scene scene = block_on_slope(0.0, 0.4, Vec3::Zero(), 17.0, start);
        CHECK(scene.world.diagonal > 17.0);
        double fastest = 0.0;
        int step = 0;
        run_default(scene, h, 20, [&](const State& state, const StepResult& result) {
            CHECK(result.report.complementarity->distance_tolerance == relative(eps_2, 1e-12));
            if (++step == 1) CHECK(result.report.min_gap == relative(0.5 * eps_2, 1e-2));
            for (Index v = 0; v < scene.world.bodies[0].vertex_count(); ++v) {
                if (scene.world.initial_positions[3 * v + 1] < 0.01) fastest = std::max(fastest, state.v[3 * v + 1]);
            }
        });
        CHECK(fastest == relative((0.5 * eps_2 - start) / h, 1e-2));
    }
}

TEST_CASE("mlcp: where all bodies are at rest but for rounding, a contact that pushes is solved") {
    WorldBuilder builder;
    const BodyMaterial soft{MaterialLaw::fixed_corotated, 1e7, 0.3, 1000};
    constexpr double gap = 1e-8, rounding = 1e-16;
    builder.add_deformable("pushed", translated(generate_box({0.1, 0.1, 0.1}, {8, 8, 8}), {0, 0.05 + gap, 0}), soft,
                           {rounding, 0, 0});
    builder.add_deformable("far", translated(generate_box({0.1, 0.1, 0.1}, {8, 8, 8}), {1, 0.5, 0}), soft,
                           {0, rounding, 0});
    builder.add_half_space("floor", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity(Vec3::Zero());
    auto [world, state] = builder.build();
    constexpr double h = 1e-3;
    Mlcp method({});
    int step = 0;
    const State end = run_steps(method, world, state, h, 3, [&](const State&, const StepResult& result) {
        CHECK(result.report.status == Status::converged);
        CHECK(result.report.iterations < 200);
        if (++step > 1) return;
        const double half = 0.5 * result.report.complementarity->distance_tolerance;
        CHECK(gap < 0.1 * half);
        CHECK(result.report.min_gap == relative(half, 1e-2));
    });
    CHECK(centre_of_mass(world, end, 1).second.norm() < 10 * rounding);
}

TEST_CASE("mlcp: no contact of a rigid body that turns pushes from beyond the tolerance") {
    WorldBuilder builder;
    const Mat3 tilt = Eigen::AngleAxisd(0.4, Vec3(1, 0.2, 0.7).normalized()).toRotationMatrix();
    builder.add_rigid("box", translated(rotated(generate_box({0.2, 0.1, 0.2}, {1, 1, 1}), tilt), {0, 0.2, 0}), 1000,
                      {0, -4, 0});
    builder.add_half_space("floor", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({0, -gravity, 0});
    builder.set_default_friction(0.4);
    auto [world, state] = builder.build();
    for (const double h : {1e-2, 1e-3}) {
        Mlcp method({});
        int pushes = 0;
        run_steps(method, world, state, h, static_cast<int>(std::lround(0.2 / h)),
                  [&](const State& now, const StepResult& result) {
                      for (Index v = 0; v < world.bodies[0].vertex_count(); ++v) {
                          if (!(result.contact_force[3 * v + 1] > 1e-6)) continue;
                          ++pushes;
                          CHECK(now.x[3 * v + 1] < result.report.complementarity->distance_tolerance);
                      }
                  });
        CHECK(pushes > 3);
    }
}

TEST_CASE("mlcp: kinetic friction acts in the first step on a belt that moves") {
    WorldBuilder builder;
    builder.add_deformable("block", translated(generate_box({0.2, 0.1, 0.2}, {2, 1, 2}), {0, 0.05 + 1e-6, 0}),
                           {MaterialLaw::fixed_corotated, 1e6, 0.3, 1000});
    Mesh plate = translated(generate_box({2, 0.1, 2}, {1, 1, 1}), {0, -0.05, 0});
    builder.add_obstacle("belt", plate);
    Motion motion;
    motion.name = "belt";
    for (Index v = 0; v < 8; ++v)
        motion.vertices.push_back(static_cast<Index>(generate_box({0.2, 0.1, 0.2}, {2, 1, 2}).vertices.size()) + v);
    auto trajectory = std::make_shared<RigidTrajectory>();
    trajectory->velocity = {1, 0, 0};
    motion.trajectory = trajectory;
    builder.add_motion(motion);
    builder.set_gravity({0, -gravity, 0});
    builder.set_default_friction(0.5, 0.1);
    auto [world, state] = builder.build();
    Mlcp method({});
    const State end = run_steps(method, world, state, 1e-2, 1);
    CHECK(centre_of_mass(world, end, 0).second.x() < 1.05 * 0.1 * gravity * 1e-2);
}

TEST_CASE("mlcp: a light body keeps its own balance of momentum beside one a thousand times as heavy") {
    WorldBuilder builder;
    const BodyMaterial soft{MaterialLaw::fixed_corotated, 1e6, 0.3, 1000};
    const Mesh cube = generate_box({0.1, 0.1, 0.1}, {2, 2, 2});
    builder.add_deformable("heavy", translated(cube, {0, 0.050001, 0}), soft);
    BodyMaterial light = soft;
    light.density = 1.0;
    light.youngs_modulus = 1e3;
    builder.add_deformable("falling", translated(cube, {0.5, 2.0, 0}), light);
    builder.add_deformable("sliding", translated(cube, {-0.5, 0.050001, 0}), light, {1.0, 0, 0});
    builder.add_half_space("floor", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({0, -gravity, 0});
    builder.set_default_friction(0.2);
    auto [world, state] = builder.build();
    const Scene scene{std::move(world), std::move(state)};
    constexpr double h = 0.005;
    constexpr int steps = 40;
    const State end = run_default(scene, h, steps);
    const double falls = centre_of_mass(scene.world, end, 1).second.y();
    CHECK(falls == relative(-gravity * h * steps, 0.01));
    const double slows = centre_of_mass(scene.world, end, 2).second.x() - 1.0;
    CHECK(slows == relative(-0.2 * gravity * h * steps, 0.01));
}

TEST_CASE("mlcp: a block of many nodes slows as it should beside a heavy rigid body that flies") {
    // A share by mass in the tolerance of all, which is that of a fast body, once let its friction err by 1 %.
    WorldBuilder builder;
    builder.add_deformable("sliding", translated(generate_box({0.1, 0.1, 0.1}, {6, 6, 6}), {0, 0.050001, 0}),
                           {MaterialLaw::fixed_corotated, 1e7, 0.3, 1000}, {1, 0, 0});
    builder.add_rigid("flying", translated(generate_box({1, 1, 1}, {1, 1, 1}), {0, 3, 3}), 1000, {0, 0, 10});
    builder.add_half_space("floor", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({0, -gravity, 0});
    builder.set_default_friction(0.2);
    auto [world, state] = builder.build();
    const Scene scene{std::move(world), std::move(state)};
    constexpr double h = 1e-3;
    constexpr int steps = 100;
    const State end = run_default(scene, h, steps);
    CHECK(1.0 - speed(scene, end) == relative(0.2 * gravity * h * steps, 2e-3));
}
