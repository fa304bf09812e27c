// Contact thickness in whole steps: what the audit, which searches pairs in code of its own, says of distances and forces.
#include "stiction/audit/nearness.hpp"
#include "stiction/audit/residuals.hpp"
#include "stiction/mesh/generate.hpp"
#include "stiction/world/start_check.hpp"
#include "support/run.hpp"

using namespace stiction;
using namespace stiction::test;

TEST_CASE("sheets with contact thickness rest that far from what they lie on and from each other, and push only below it") {
    WorldBuilder builder;
    const double thickness = 0.01;
    ShellMaterial material;
    material.areal_density = 0.2;
    for (int layer = 0; layer < 2; ++layer) {
        const Index id = builder.add_shell(layer == 0 ? "lower" : "upper", translated(generate_cloth(0.3, 0.3, 4, 4), {0.02 * layer, 0.007 + 0.0125 * layer, 0.01 * layer}), material);
        builder.set_contact_thickness(id, thickness);
    }
    builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({0, -9.81, 0});
    builder.set_default_friction(0.3);
    auto [world, state] = builder.build();
    IpcOptions options;
    options.dhat = 1e-3;
    Ipc ipc(options);
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
    CHECK(smallest_gap == doctest::Approx(smallest).epsilon(1e-6));
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
