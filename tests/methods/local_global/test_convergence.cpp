// A step of `local_global` is taken whatever its iterations have reached. Its status and numbers say whether it is a
// solution.
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/local_global/method.hpp"

#include "support/block_on_slope.hpp"

#include <algorithm>

using namespace stiction;
using namespace stiction::local_global;
using namespace stiction::test;

namespace {

/// Two rigid boxes of 0.1 m, one upon the other, on a floor.
Scene stack(double lower_density, double upper_density) {
    WorldBuilder builder;
    const Mesh box = generate_box({0.1, 0.1, 0.1}, {2, 1, 2});
    builder.add_rigid("lower", translated(box, {0, 0.0505, 0}), lower_density);
    builder.add_rigid("upper", translated(box, {0, 0.1515, 0}), upper_density);
    builder.add_half_space("floor", {0, 0, 0}, {0, 1, 0});
    builder.set_default_friction(0.4);
    builder.set_gravity({0, -gravity, 0});
    auto [world, state] = builder.build();
    return {std::move(world), std::move(state)};
}

/// A box that is driven as a whole.
Scene driven(const Mesh& box, std::shared_ptr<const Trajectory> trajectory,
             const std::function<void(WorldBuilder&)>& more) {
    WorldBuilder builder;
    builder.add_deformable("paddle", box, {MaterialLaw::neo_hookean, 1e6, 0.3, 1000});
    Motion motion;
    motion.name = "drive";
    for (Index v = 0; v < static_cast<Index>(box.vertices.size()); ++v) motion.vertices.push_back(v);
    motion.trajectory = std::move(trajectory);
    builder.add_motion(motion);
    more(builder);
    auto [world, state] = builder.build();
    return {std::move(world), std::move(state)};
}

double lowest(const State& state, Index vertices) {
    double y = state.x[1];
    for (Index v = 1; v < vertices; ++v) y = std::min(y, state.x[3 * v + 1]);
    return y;
}

}  // namespace

TEST_CASE("local_global: 10 t on 1 kg is told where the steps are no solution, 1 kg on 1 kg is one") {
    for (const double ratio : {1.0, 1e4}) {
        CAPTURE(ratio);
        const Scene scene = stack(1000.0, 1000.0 * ratio);
        LocalGlobal method({});
        State state = scene.state;
        StepResult result;
        int unsolved = 0, first_unsolved = 0, first_wrong = 0;
        for (int step = 1; step <= 100; ++step) {
            method.step(scene.world, state, schedule(scene.world, state, 0.005), result);
            REQUIRE(is_accepted(result.report.status));
            const ContactOutcome& contact = result.report.contact;
            if (result.report.status != Status::converged) {
                CHECK(result.report.status == Status::not_converged);
                CHECK_FALSE(result.report.cause.empty());
                ++unsolved;
                if (first_unsolved == 0) first_unsolved = step;
            } else {
                CHECK(contact.overlaps == 0);
                CHECK(contact.residual <= 0.5 * contact_thickness({}, scene.world.diagonal));
            }
            if (contact.overlaps > 0) {
                CHECK(contact.deepest > 0.0);
                CHECK(contact.bodies[0] >= 0);
                CHECK(contact.bodies[1] >= 0);
                CHECK(contact.bodies[0] != contact.bodies[1]);
            }
            CHECK(contact.clamped >= 0.0);
            CHECK(contact.clamped <= 1.0);
            state = result.state;
            // At rest the lower box is 0.05 m above the floor, and nothing pushes it aside.
            const auto middle = centre_of_mass(scene.world, state, 0).first;
            const double off = std::max(std::abs(middle.y() - 0.0505), std::hypot(middle.x(), middle.z()));
            if (first_wrong == 0 && off > 1e-3) first_wrong = step;
        }
        MESSAGE("mass ratio ", ratio, ": ", unsolved, " of 100 steps unsolved, from step ", first_unsolved,
                "; off by a millimetre from step ", first_wrong);
        if (ratio == 1.0) {
            CHECK(unsolved == 0);
            CHECK(first_wrong == 0);
        } else {
            CHECK(first_unsolved > 0);
            CHECK((first_wrong == 0 || first_unsolved <= first_wrong));
        }
    }
}

TEST_CASE("local_global: a driven body that would go through the floor, or into an obstacle, misses its targets") {
    const Mesh box = translated(generate_box({0.3, 0.02, 0.1}, {6, 1, 2}), {0.15, 0.1, 0});
    for (const bool plane : {true, false}) {
        CAPTURE(plane);
        auto turn = std::make_shared<RigidTrajectory>();
        turn->axis = Vec3(0, 0, -1);
        turn->angular_velocity = 2.0;
        turn->centre = Vec3(0, 0.1, 0);
        const Scene scene = driven(box, turn, [&](WorldBuilder& builder) {
            if (plane)
                builder.add_half_space("floor", {0, 0, 0}, {0, 1, 0});
            else
                builder.add_obstacle("table",
                                     translated(generate_box({1, 0.2, 1}, {3, 1, 3}, Fill::surface), {0, -0.1, 0}));
        });
        LocalGlobal method({});
        State state = scene.state;
        StepResult result;
        int step = 0;
        for (; step < 60; ++step) {
            method.step(scene.world, state, schedule(scene.world, state, 0.01), result);
            if (!is_accepted(result.report.status)) break;
            CHECK(result.report.contact.overlaps == 0);
            state = result.state;
        }
        CHECK(step > 10);
        CHECK(step < 30);
        CHECK(lowest(state, scene.world.bodies[0].vertex_count()) > -1e-4);
        CHECK(result.report.status == Status::targets_not_reached);
        CHECK(result.report.cause.find("prescribed motions lead into each other") != std::string::npos);
        CHECK(result.report.cause.find("paddle") != std::string::npos);
        CHECK(result.report.cause.find(plane ? "floor" : "table") != std::string::npos);
    }
}

TEST_CASE("local_global: a driven body that slides over an obstacle, along it and past its edge, reaches its targets") {
    auto slide = std::make_shared<RigidTrajectory>();
    slide->velocity = Vec3(1.0, 0, 0.1);
    for (const double gap : {0.0, 1e-5, 1e-3}) {
        CAPTURE(gap);
        const Scene scene = driven(
            translated(generate_box({0.1, 0.1, 0.1}, {2, 2, 2}), {0, 0.05 + gap, 0}), slide, [](WorldBuilder& builder) {
                builder.add_obstacle("table",
                                     translated(generate_box({0.2, 0.2, 0.3}, {3, 1, 3}, Fill::surface), {0, -0.1, 0}));
                builder.add_half_space("low", {0, -0.1, 0}, {0, 1, 0});
            });
        LocalGlobal method({});
        const State end = run_steps(method, scene.world, scene.state, 0.01, 30);
        CHECK(end.x[0] - scene.state.x[0] == relative(0.3, 1e-9));
    }
}

TEST_CASE("local_global: a start that overlaps is told, with the pair, until it is gone") {
    const double h = 0.005;
    Scene scene = stack(1000.0, 1000.0);
    const double thickness = contact_thickness({}, scene.world.diagonal);
    const Body& upper = scene.world.bodies[1];
    const double down = 0.001 + 3.0 * thickness;
    for (Index v = upper.first_vertex; v < upper.first_vertex + upper.vertex_count(); ++v)
        scene.state.x[3 * v + 1] -= down;
    LocalGlobal method({});
    StepResult result;
    method.step(scene.world, scene.state, schedule(scene.world, scene.state, h), result);
    CHECK(result.report.status == Status::not_converged);
    CHECK(result.report.cause.find("'lower' and 'upper'") != std::string::npos);
    CHECK(result.report.contact.overlaps > 0);
    CHECK(result.report.contact.deepest > 0.0);
    CHECK(result.report.contact.deepest < 3.0 * thickness + 1e-6);
    int step = 1;
    for (; step < 100 && result.report.status != Status::converged; ++step) {
        const State before = result.state;
        method.step(scene.world, before, schedule(scene.world, before, h), result);
    }
    CHECK(step < 50);
    CHECK(result.report.contact.overlaps == 0);
}

TEST_CASE("local_global: a tolerance that the iterations do not reach is told") {
    WorldBuilder builder;
    builder.add_deformable("cube", generate_box({0.1, 0.1, 0.1}, {2, 2, 2}), {MaterialLaw::neo_hookean, 1e5, 0.3, 1000},
                           {}, {20, 0, 10});
    auto [world, state] = builder.build();
    for (const int iterations : {1, 200}) {
        local_global::Options options;
        options.iterations = iterations;
        options.tolerance = 1e-6;
        LocalGlobal method(options);
        StepResult result;
        method.step(world, state, schedule(world, state, 0.01), result);
        CHECK(result.report.status == (iterations == 1 ? Status::not_converged : Status::converged));
        CHECK((result.report.cause.find("m/s") != std::string::npos) == (iterations == 1));
    }
}
