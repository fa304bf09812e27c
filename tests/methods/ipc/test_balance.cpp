// How well the last iterate of a step is in balance, by the audit's own recomputation.
#include "stiction/audit/residuals.hpp"
#include "stiction/mesh/generate.hpp"

#include "support/compare.hpp"
#include "support/run.hpp"

using namespace stiction;
using namespace stiction::test;

namespace {

/// Largest unbalanced force at a vertex over the largest force of its step, of a ball that strikes the ground: of its
/// steps in contact.
/// @param velocity_tolerance  Newton's (diagonals of the scene per second)
double worst_imbalance_of_impact(double balance_tolerance, double velocity_tolerance) {
    WorldBuilder builder;
    const BodyMaterial rubber{MaterialLaw::neo_hookean, 1e7, 0.4, 1000.0};
    builder.add_deformable("ball", translated(generate_ball(0.1, 6), {0, 0.102, 0}), rubber, {0.5, -3, 0});
    builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
    builder.set_gravity({0, -9.81, 0});
    builder.set_default_friction(0.3);
    auto [world, state] = builder.build();
    ipc::Options options;
    options.balance_tolerance = balance_tolerance;
    options.velocity_tolerance_relative = velocity_tolerance;
    if (velocity_tolerance > 0.1) options.friction_tolerance_factor = 0.0;
    ipc::Ipc ipc(options);
    audit::StepAuditOptions audit_options;
    audit_options.dhat = resolve_limits(options, world).dhat;
    double worst = 0.0;
    int in_contact = 0;
    StepResult result;
    for (int step = 0; step < 12; ++step) {
        const StepInput input = schedule(world, state, 0.005);
        ipc.step(world, state, input, result);
        REQUIRE(is_accepted(result.report.status));
        const audit::StepAudit audit = audit::audit_step(world, state, input, result, audit_options);
        // Without contact the tolerance of velocity decides.
        if (result.report.contacts > 0) {
            ++in_contact;
            worst = std::max(worst, audit.worst_imbalance / audit.force_scale);
        }
        state = result.state;
    }
    CHECK(in_contact >= 3);
    return worst;
}

}  // namespace

TEST_CASE("ipc: an impact ends in balance, and does not by a loose tolerance of velocities alone") {
    // The solver compares coordinates, the audit vectors at vertices.
    const ipc::Options defaults;
    const double balance = defaults.balance_tolerance, velocity = defaults.velocity_tolerance_relative;
    CHECK(worst_imbalance_of_impact(balance, velocity) < balance * std::sqrt(3.0));
    CHECK(worst_imbalance_of_impact(1e-3, velocity) < 1e-3 * std::sqrt(3.0));
    CHECK(worst_imbalance_of_impact(balance, 1.0) < balance * std::sqrt(3.0));
    CHECK(worst_imbalance_of_impact(0.0, 1.0) > 0.05);
    // Chords to predicted forces bring contacts to their forces while moves are large; with the barrier's tangents it
    // is more than 0.05.
    CHECK(worst_imbalance_of_impact(0.0, velocity) < 0.01);
}
