// The parts of a barrier solve, made one by one, on a box that falls on the ground.
#pragma once

#include "stiction/barrier/region_solve.hpp"
#include "stiction/barrier/static_stage.hpp"
#include "stiction/dynamics/driven_motion.hpp"
#include "stiction/mesh/generate.hpp"

#include "support/run.hpp"

namespace stiction::test {

/// A box 1 mm above the ground that falls at 1 m/s, in a step of 10 ms; a second one far above that only falls.
struct SolveParts {
    explicit SolveParts(const BarrierOptions& chosen = {}, double inertia = 1.0) : options(chosen) {
        WorldBuilder builder;
        const BodyMaterial rubber{MaterialLaw::neo_hookean, 1e5, 0.3, 1000.0};
        builder.add_deformable("box", translated(generate_box({1, 1, 1}, {2, 2, 2}), {0, 0.501, 0}), rubber,
                               {0, -1, 0});
        builder.add_deformable("small", translated(generate_box({0.1, 0.1, 0.1}, {1, 1, 1}), {0, 5, 0}), rubber);
        builder.add_half_space("ground", {0, 0, 0}, {0, 1, 0});
        builder.set_gravity({0, -9.81, 0});
        builder.set_default_friction(0.5);
        std::tie(world, state) = builder.build();
        input = schedule(world, state, 0.01);
        stage = {1.0, 0.01, state.x, state.v, inertia};
    }
    SolveParts(const SolveParts&) = delete;

    BarrierOptions options;
    World world;
    State state;
    StepInput input;
    Stage stage;
};

/// The parts of the solve of one such stage; contacts are found, nothing rubs yet.
struct StartedParts {
    explicit StartedParts(SolveParts& given)
        : model{given.world,   given.state, given.input,
                given.options, given.stage, resolve_limits(given.options, given.world)},
          workspace(given.world, given.options),
          log(report),
          potential(given.world, given.stage, given.input.external_force, given.state.x, model.limits.dhat,
                    friction_law(given.options, model.limits), given.input.overpressure),
          stiffness(model, potential, workspace),
          stopping(model, potential, workspace.assembly),
          direction(model, potential, stopping, log),
          confirmation(model, potential, stopping, log),
          line_search(model, potential, stopping, direction, confirmation, log),
          whole(workspace.detection, workspace.assembly, model.limits.dhat),
          iterate{.x = given.state.x, .contacts = {}, .gradient = {}, .guard = stiffness.guard()} {
        workspace.assembly.begin(DofMap(given.input.driven_axes, given.world.embedded));
        workspace.assembly.choose(SystemSolver::direct);
        find_contacts();
        stiffness.start(iterate, workspace.assembly.map());
        direction.begin();
    }

    void find_contacts() {
        workspace.detection.update(iterate.x);
        iterate.contacts = whole.contacts(iterate.x);
        iterate.knows_contacts = true;
    }
    /// Of the potential, beside that of the start without contacts (kg m^2).
    double energy() const {
        const VecX& start = model.state.x;
        return potential
            .difference(start, potential.values(start, {}), iterate.x, potential.values(iterate.x, iterate.contacts),
                        0.0)
            .value;
    }
    /// Newton iterations of the whole.
    void iterate_for(int count) {
        for (int k = 0; k < count; ++k) {
            VecX p;
            IterationTrace trace;
            REQUIRE(direction.find(iterate, whole, k, false, p));
            REQUIRE(line_search.move(iterate, whole, p, trace));
        }
    }

    StageModel model;
    BarrierWorkspace workspace;
    StepReport report;
    SolveLog log;
    BarrierPotential potential;
    AdaptiveStiffness stiffness;
    StoppingRule stopping;
    NewtonDirection direction;
    Confirmation confirmation;
    LineSearch line_search;
    SearchDomain whole;
    Iterate iterate;
};

}  // namespace stiction::test
