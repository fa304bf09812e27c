// Contact thickness in whole steps: what the audit, which searches pairs in code of its own, says of distances and
// forces.
#include "stiction/audit/nearness.hpp"
#include "stiction/audit/residuals.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/methods/implicit/method.hpp"
#include "stiction/world/start_check.hpp"

#include "support/compare.hpp"
#include "support/run.hpp"

using namespace stiction;
using namespace stiction::test;

TEST_CASE(
    "sheets with contact thickness rest that far from what they lie on and from each other, and push only below it") {
    WorldBuilder builder;
    const double thickness = 0.01;
    ShellMaterial material;
    material.areal_density = 0.2;
    for (int layer = 0; layer < 2; ++layer) {
        const Index id = builder.add_shell(
            layer == 0 ? "lower" : "upper",
            translated(generate_cloth(0.3, 0.3, 4, 4), {0.02 * layer, 0.007 + 0.0125 * layer, 0.01 * layer}), material);
        builder.set_contact_thickness(id, thickness);
    }
    builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({0, -9.81, 0});
    builder.set_default_friction(0.3);
    auto [world, state] = builder.build();
    ipc::Options options;
    options.dhat = 1e-3;
    ipc::Ipc ipc(options);
    audit::StepAuditOptions limits;
    limits.dhat = ipc.contact_distance(world);
    double smallest = 1.0, smallest_gap = 1.0;
    State before = state;
    const State end = run_steps(ipc, world, state, 0.01, 60, [&](const State& now, const StepResult& result) {
        // The slow reference: all pairs, by their distances alone.
        for (const audit::NearPair& pair : audit::find_near_pairs(world, now.x, 2.0 * thickness)) {
            const bool ground = pair.vertices[2] < 0;
            smallest = std::min(smallest, pair.distance - (ground ? 0.5 : 1.0) * thickness);
        }
        smallest_gap = std::min(smallest_gap, result.report.min_gap);
        const audit::StepAudit audit = audit::audit_step(world, before, schedule(world, before, 0.01), result, limits);
        CHECK(audit.forces_without_contact == 0);
        CHECK(audit.pulling == 0);
        before = now;
    });
    CHECK(smallest > 0.0);
    CHECK(smallest_gap == relative(smallest, 1e-6));
    for (Index v = 0; v < world.vertex_count() - 1; ++v) {
        const double rest = world.body_of_vertex[static_cast<std::size_t>(v)] == 0 ? 0.5 * thickness : 1.5 * thickness;
        CHECK(end.x[3 * v + 1] > rest);
        CHECK(end.x[3 * v + 1] < rest + 2.1 * options.dhat);
    }
    // Starts that are nearer are refused, and name the pair.
    State near = state;
    for (Index v = 25; v < 50; ++v) near.x[3 * v + 1] = 0.0165;
    const auto problems = start_problems(world, near);
    REQUIRE_FALSE(problems.empty());
    CHECK(problems.front().find("contact thickness of 0.01 m") != std::string::npos);
    CHECK(start_problems(world, state).empty());
}

TEST_CASE(
    "a folded sheet that is hit at 20 m/s by a driven plate keeps every pair its contact thickness apart, under both "
    "methods") {
    for (const bool fully_implicit : {false, true}) {
        CAPTURE(fully_implicit);
        WorldBuilder builder;
        const double thickness = 4e-3;
        ShellMaterial material;
        material.areal_density = 0.2;
        const Index sheet = builder.add_shell("sheet", translated(generate_cloth(0.2, 0.2, 6, 6), {0, 0.05, 0}),
                                              material, {0, 0.5, 0}, {0, 0, 20});
        const Index plate =
            builder.add_obstacle("plate", translated(generate_box({0.06, 0.02, 0.3}, {1, 1, 2}), {0.01, 0.2, 0}));
        builder.set_contact_thickness(sheet, thickness);
        builder.set_contact_thickness(plate, 2.0 * thickness);
        builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
        Motion motion;
        for (Index v = 0; v < builder.body(plate).vertex_count(); ++v)
            motion.vertices.push_back(builder.first_vertex(plate) + v);
        auto trajectory = std::make_shared<RigidTrajectory>();
        trajectory->velocity = {0, -20.0, 0};
        motion.trajectory = trajectory;
        motion.end = 0.0085;
        builder.add_motion(motion);
        builder.set_gravity({0, -9.81, 0});
        builder.set_default_friction(0.3);
        auto [world, state] = builder.build();
        std::unique_ptr<Method> method;
        if (fully_implicit)
            method = std::make_unique<implicit::Implicit>(implicit::Options{});
        else
            method = std::make_unique<ipc::Ipc>(ipc::Options{});
        double smallest = 1.0;
        long contacts = 0;
        run_steps(*method, world, state, 0.001, 20, [&](const State& now, const StepResult& result) {
            contacts += result.report.contacts;
            for (const audit::NearPair& pair : audit::find_near_pairs(world, now.x, 2.0 * thickness)) {
                const bool own =
                    world.body_of_vertex[static_cast<std::size_t>(pair.vertices[0])] ==
                    world.body_of_vertex[static_cast<std::size_t>(pair.vertices[pair.vertices[2] < 0   ? 1
                                                                                : pair.vertices[3] < 0 ? 2
                                                                                                       : 3])];
                const double offset = pair.vertices[2] < 0 ? 0.5 * thickness : own ? thickness : 1.5 * thickness;
                smallest = std::min(smallest, pair.distance - offset);
            }
        });
        CHECK(contacts > 100);
        CHECK(smallest > 0.0);
        CHECK(smallest < 1e-3);
    }
}
