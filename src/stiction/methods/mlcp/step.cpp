#include "stiction/methods/mlcp/step.hpp"

#include "stiction/base/error.hpp"
#include "stiction/dynamics/feasible_step.hpp"
#include "stiction/methods/mlcp/elasticity_newton.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiction::mlcp {
namespace {

ContactSet touching_pairs(ContactDetection& detection, const VecX& x, const Limits& limits) {
    detection.scale(limits.scales());
    detection.update(x);
    return detection.contacts(x, limits.touching());
}

bool is_earlier(const Collision& a, const Collision& b) {
    return a.time < b.time;
}

StepInput with_carried_momentum(const World& world, const CarriedMomentum& carried, StepInput input) {
    input.external_force = add_carried_momentum(world, carried.due, input.h, std::move(input.external_force));
    return input;
}

}  // namespace

Workspace::Workspace(const World& world, const Options& options)
    : identity(world.identity),
      limits(resolve_limits(options, world)),
      detection(world, limits.touching()),
      neighbours(world.surface, world.vertex_count()),
      closed(closed_bodies(world.surface, world.bodies.size(), world.initial_positions)),
      assembly(world) {}

/// Lines 5 and 6: the candidates of the collision check, and the constraints of touching pairs, with what they keep
/// from the last step.
Step::Step(const World& world, const State& state, const StepInput& input, const Options& options, Workspace& workspace,
           StepResult& result)
    : world_(world),
      state_(state),
      carried_(read_carried_momentum(world, state)),
      input_(with_carried_momentum(world, carried_, input)),
      options_(options),
      workspace_(workspace),
      result_(result),
      limits_(workspace.limits.for_step(input.h, world.gravity.norm())),
      velocities_(world, state, input_, workspace.assembly, workspace.rounded),
      contacts_(world, workspace.neighbours, state, velocities_, touching_pairs(workspace.detection, state.x, limits_),
                limits_),
      solver_(options, limits_, velocities_, contacts_, result.report, input.watch),
      collisions_(workspace.detection, workspace.neighbours, workspace.closed, velocities_, state.x,
                  solver_.end_positions() - state.x) {}

void Step::run() {
    solver_.take_direct_steps(state_);
    if (solver_.linearise(state_.x)) {
        anticipate_collisions();
        const auto update = [&](int round) { return update_constraints(round); };
        const bool solved = options_.elasticity == ElasticityModel::nonlinear
                                ? ElasticityNewton(options_, limits_, velocities_, solver_).run(update)
                                : resolve();
        if (solved) finish();
    }
    solver_.report_phases();
}

/// Constraints of the collisions that the first guess of the velocities leads to. They are mostly active in this step
/// too, so having them from the start saves a solve.
void Step::anticipate_collisions() {
    const ScopedTimer timer(solver_.timers(), "collision");
    const auto collisions = collisions_.find(solver_.end_positions(), clearance());
    contacts_.add(collisions, solver_.end_positions());
    // Collisions lead to more solves, whose contacts change what the first ones find.
    const double factor =
        (options_.acceptance == Acceptance::published ? 0.5 : 1.0) * options_.variants.early_tolerance;
    if (!collisions.empty() && may_solve_early()) solver_.set_tolerance_factor(factor);
}

/// Newton's method needs every solve at its tolerances, and the rivals are measured as they are. Redundant contacts of
/// rigid bodies share their forces anew in the solve at the tolerances, which costs more than the early one saves.
bool Step::may_solve_early() const {
    return options_.solver.value_or(SolverKind::cr) == SolverKind::cr &&
           options_.friction_update == FrictionUpdate::exact && options_.elasticity == ElasticityModel::linearised &&
           !contacts_.any_rigid();
}

/// Lines 8 to 32: solve, check for collisions, update the constraints, until nothing changes.
bool Step::resolve() {
    bool again = false;
    for (int round = 0; round < options_.max_linearisations; ++round) {
        if (2 * (round + 1) > options_.max_linearisations) solver_.set_tolerance_factor(1.0);
        if (!(again ? solver_.solve_again() : solver_.solve())) return false;
        again = false;
        const ConstraintUpdate update = update_constraints(round);
        if (update == ConstraintUpdate::none && solver_.tolerance_factor() > 1.0) {
            solver_.set_tolerance_factor(1.0);
            again = !contacts_.any_rigid();
            continue;
        }
        if (update != ConstraintUpdate::changed) return update == ConstraintUpdate::none;
    }
    STICTION_CHECK(false, "the last round ends one way or the other");
    return false;
}

/// No contact force keeps these pairs apart, so the step ends with its cause at once.
bool Step::prescribed_motions_meet(const std::vector<Collision>& collisions) {
    const auto meets =
        std::find_if(collisions.begin(), collisions.end(), [](const Collision& c) { return c.prescribed; });
    if (meets == collisions.end()) return false;
    solver_.fail(Status::targets_not_reached,
                 fmt::format("prescribed motions lead into each other, at {:.3g} of the step: {}", meets->time,
                             describe_stencil(world_, meets->pair.key.vertices)));
    return true;
}

/// Lines 23 to 27. New collisions become constraints (line 25). Without any, constraints are linearised again where
/// their pairs have moved away from the linearisation (line 27); the last round leaves these as they are.
ConstraintUpdate Step::update_constraints(int round) {
    const ScopedTimer timer(solver_.timers(), "collision");
    const bool last = round + 1 == options_.max_linearisations;
    const VecX& x_end = solver_.update_end_positions();
    const auto collisions = collisions_.find(x_end, clearance());
    if (collisions.empty())
        return !last && contacts_.linearise_again(x_end) ? ConstraintUpdate::changed : ConstraintUpdate::none;
    if (prescribed_motions_meet(collisions)) return ConstraintUpdate::failed;
    contacts_.add(collisions, x_end);
    if (!last) return ConstraintUpdate::changed;
    const auto first = std::min_element(collisions.begin(), collisions.end(), is_earlier);
    solver_.fail(
        Status::iteration_limit,
        fmt::format("{} pairs still meet after {} linearisations, first at {:.3g} of the step: {}", collisions.size(),
                    options_.max_linearisations, first->time, describe_stencil(world_, first->pair.key.vertices)));
    return ConstraintUpdate::failed;
}

}  // namespace stiction::mlcp
