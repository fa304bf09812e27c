// What goes into one step and what comes out of it.
#pragma once

#include "stiction/report/step_report.hpp"
#include "stiction/world/contact_force.hpp"
#include "stiction/world/state.hpp"
#include "stiction/world/step_watch.hpp"
#include "stiction/world/world.hpp"

#include <vector>

namespace stiction {

/// Is told every straight move from x0 to x1 (stacked, all vertices) that a method accepts.
class MoveSink {
public:
    virtual ~MoveSink() = default;
    virtual void accepted_move(const VecX& x0, const VecX& x1) = 0;
    /// Frames every attempt at a step or a piece of one; the moves of an attempt that failed lead nowhere. Told by the
    /// Simulator.
    virtual void attempt_started() {}
    virtual void attempt_failed() {}
};

/// What the world imposes on one step from state.t to state.t + h.
struct StepInput {
    double h = 0.0;
    std::vector<std::uint8_t> driven_axes;  ///< per vertex: bits of the coordinates that follow `target` (7 = all)
    VecX target;          ///< stacked: where driven coordinates should be at t + h; others: unspecified
    VecX external_force;  ///< stacked (N): gravity, body forces, point loads
    VecX anchor;          ///< the state's anchors after motions were switched on or off for this step
    std::vector<double> anchor_time;
    std::vector<double> overpressure;  ///< of the world's fillings, at t + h (Pa)
    std::vector<Index> active_motion;
    std::span<const EmbeddedVertex> carried;  ///< World::carried
    MoveSink* moves = nullptr;
    StepWatch* watch = nullptr;  ///< follows the iterations of the step, and may end it; null: nobody does
    bool list_contacts = false;  ///< whether StepResult::contacts is wanted
    bool damped = false;         ///< an integrator that may gain energy makes this step by one that damps

    bool is_driven(Index vertex) const { return driven_axes[static_cast<std::size_t>(vertex)] == 7; }
    /// To be asked in every iteration; false: the step has to end with Status::interrupted.
    bool go_on(const StepReport& so_far) const {
        return watch == nullptr || watch->go_on(so_far.iterations, so_far.residual);
    }
};

/// What a method proposes for one step.
struct StepResult {
    State state;          ///< valid only if is_accepted(report.status)
    VecX contact_force;   ///< stacked (N), on every vertex, obstacles included
    VecX friction_force;  ///< stacked (N)
    std::vector<ContactState>
        contact_state;   ///< one a vertex, obstacles included; empty from a method that does not tell
    VecX applied_force;  ///< stacked (N): what a program added to the forces of the world; empty: nothing
    /// If StepInput::list_contacts, the contacts that have a force or are nearer than the contact distance, in an order
    /// that depends on the step alone; else empty. Of an integrator with stages those of the last one, as are the
    /// forces above.
    std::vector<ContactForce> contacts;
    StepReport report;
};

/// Evaluates the world's schedules for the step [state.t, state.t + h]. Throws InputError when a formula yields a
/// non-finite target.
StepInput schedule(const World& world, const State& state, double h);
/// The same into an input that was used before, whose memory is kept, as are `moves`, `watch` and `list_contacts`.
void schedule(const World& world, const State& state, double h, StepInput& input);

/// Adds to the schedule of the step from state to `result` what a program added to it: applied forces, and the targets
/// of commanded vertices that were reached.
void follow_program(const World& world, const StepResult& result, StepInput& input);

/// Over-pressures of the world's fillings at a time (Pa).
std::vector<double> overpressures(const World& world, double t);

/// The state of a world at t = 0. `velocity` is stacked, all vertices (m/s).
State initial_state(const World& world, const VecX& velocity);

/// Makes `next` the state after a step that moved the world from `state` to x at velocities v; warm starts, step number
/// and accelerations are the caller's. Takes nothing from the heap where `next` has been such a state before. `next` is
/// not `state`.
void end_step(const State& state, const StepInput& input, const VecX& x, const VecX& v, State& next);

/// Energies (J) and momentum (kg m/s) of a state into the report. Gravity's potential is zero at the origin.
void measure(const World& world, const State& state, StepReport& report);
/// The same, where the elastic energy of solids and sheets (J) is known.
void measure(const World& world, const State& state, double elastic, StepReport& report);

}  // namespace stiction
