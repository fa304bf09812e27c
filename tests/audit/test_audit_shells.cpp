// What the audit recomputes of sheets: balance of forces with membranes, bending and damping, energies, intersections.
#include "stiction/audit/audit.hpp"
#include "stiction/audit/residuals.hpp"
#include "stiction/methods/ipc/method.hpp"

#include "audit/worlds.hpp"
#include "support/compare.hpp"
#include <doctest/doctest.h>

#include <cmath>

using namespace stiction;
using namespace stiction::test;
using namespace stiction::testing;

namespace {

constexpr double dhat = 2e-3;

/// A damped cloth that falls on the edge of a block, rubs and folds.
std::pair<World, State> draped() {
    WorldBuilder builder;
    ShellMaterial material;
    material.youngs_modulus = 2e4;
    material.poissons_ratio = 0.3;
    material.areal_density = 0.2;
    material.bending_stiffness = 2e-5;
    material.mass_damping = 1.0;
    builder.add_shell("cloth", moved(generate_cloth(0.5, 0.5, 8, 8), {0.1, 0.003, 0.05}), material);
    builder.add_obstacle("slab", moved(generate_box({0.3, 0.3, 0.3}, {1, 1, 1}, Fill::surface), {0, -0.15, 0}));
    builder.set_gravity({0, -9.81, 0});
    builder.set_default_friction(0.3);
    return builder.build();
}

}  // namespace

TEST_CASE("audit: the steps of a draped cloth balance, gain no energy and cross nothing; a wrong force is seen") {
    auto [world, state] = draped();
    ipc::Options options;
    options.dhat = dhat;
    options.velocity_tolerance = 1e-9;
    options.friction_iterations = 0;
    ipc::Ipc ipc(options);
    audit::StepAuditOptions audit_options;
    audit_options.dhat = dhat;
    int touching = 0;
    StepResult result;
    for (int i = 0; i < 25; ++i) {
        const StepInput input = schedule(world, state, 0.01);
        ipc.step(world, state, input, result);
        INFO(i, " ", to_string(result.report.status), " ", result.report.cause);
        REQUIRE(is_accepted(result.report.status));
        const audit::StepAudit step = audit::audit_step(world, state, input, result, audit_options);
        CHECK(step.worst_imbalance < 1e-4 * step.force_scale);
        CHECK(step.forces_without_contact == 0);
        CHECK(step.pulling == 0);
        CHECK(step.friction_power <= 0.0);
        CHECK(audit::audit_state(world, result.state.x).ok());
        touching += step.contact_vertices > 0;
        if (i == 20) {
            StepResult wrong = result;
            wrong.state.x[3 * 40 + 1] += 1e-6;  // bends and stretches what is around
            CHECK(audit::audit_step(world, state, input, wrong, audit_options).worst_imbalance >
                  10 * step.worst_imbalance);
        }
        state = result.state;
    }
    CHECK(touching > 15);
}

TEST_CASE("audit: the pressure of a filling is part of the balance") {
    WorldBuilder builder;
    ShellMaterial material;
    material.youngs_modulus = 1e6;
    material.poissons_ratio = 0.3;
    material.areal_density = 1.0;
    const Index balloon = builder.add_shell("balloon", generate_icosphere(0.1, 2), material);
    builder.add_filling(balloon, FilledPart::surface, {VolumeLawKind::ideal_gas, 1.0, 1e5, 0.0},
                        {{0.0, 0.0}, {0.05, 500.0}});
    auto [world, state] = builder.build();
    ipc::Options options;
    options.velocity_tolerance = 1e-9;
    ipc::Ipc ipc(options);
    StepResult result;
    for (int i = 0; i < 10; ++i) {
        StepInput input = schedule(world, state, 0.01);
        CHECK(input.overpressure[0] == relative(std::min(500.0, 100.0 * (i + 1)), 1e-13));
        ipc.step(world, state, input, result);
        REQUIRE(is_accepted(result.report.status));
        const audit::StepAudit step = audit::audit_step(world, state, input, result, {});
        CHECK(step.worst_imbalance < 1e-4 * step.force_scale);
        CHECK(step.energy_gain < 1e-9);
        input.overpressure[0] += 1.0;
        CHECK(audit::audit_step(world, state, input, result, {}).worst_imbalance > 10 * step.worst_imbalance);
        state = result.state;
    }
}

TEST_CASE("audit: a corner of the cloth pushed through the cloth is an intersection") {
    auto [world, state] = draped();
    CHECK(audit::audit_state(world, state.x).ok());
    state.x.segment<3>(0) =
        Vec3(0.1 + 0.013, -0.01, 0.05 + 0.007);  // the triangles at the corner go down through the middle
    state.x.segment<3>(3) = Vec3(0.1 + 0.013, 0.05, 0.05 + 0.007);
    const auto report = audit::audit_state(world, state.x);
    CHECK(!report.intersections.empty());
}
