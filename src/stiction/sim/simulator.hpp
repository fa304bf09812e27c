// Advances a world through time: schedules, steps, retries with smaller steps, tells observers.
#pragma once

#include "stiction/dynamics/method.hpp"
#include "stiction/sim/momentum_ledger.hpp"
#include "stiction/sim/observer.hpp"
#include "stiction/sim/program_input.hpp"

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

namespace stiction {

/// How a simulator walks through time.
struct SimulatorOptions {
    double h = 0.01;       ///< size of a scene step (s), > 0
    int max_halvings = 6;  ///< the smallest sub-step is h / 2^max_halvings; 0 = never substep; at most 30
};

/// Largest number of halvings that cuts a step into at most `max_substeps` >= 1 pieces, for SimulatorOptions.
int halvings_within(int max_substeps);

/// Owns a world, its state and a method. Results depend on the state alone: a simulator started from a checkpointed
/// State yields the same bits as the one that was checkpointed.
class Simulator {
public:
    /// Throws InputError when h is not positive and finite, or max_halvings is not in [0, 30].
    Simulator(World world, State state, std::unique_ptr<Method> method, const SimulatorOptions& options);

    /// One scene step from t = n h to t = (n + 1) h, both exact products (no drift). Where something turns so far that
    /// a straight move would be further from its arc than Method::arc_sagitta, the step is made in equal pieces whose
    /// moves are not; its status is the worst of theirs, and max_halvings counts from the size of such a piece.
    /// If the method fails, the step is started again in sub-steps of h/2; whenever a sub-step fails its size is halved
    /// again, down to h / 2^max_halvings, and the rest of the step goes on at that size. A step finished this way has
    /// status `substepped` and the cause of the first failure. If even the smallest sub-step fails, the state stays at
    /// the start of the step (progress inside it is dropped), failure() keeps status and cause, and false is returned.
    /// Work counts, times, traces and notes of all attempts are summed; min_gap and residual are the worst of the
    /// accepted ones, everything else is that of the last.
    /// Once `interrupt` is true the step is given up within an iteration: false is returned, was_interrupted() is true,
    /// the state stays at the start of the step, and a repetition of the step gives the bits of one never interrupted.
    bool advance(const std::atomic<bool>* interrupt = nullptr);

    /// Steps until state().step == last_step, a step fails, an observer wants no more, or `interrupt` becomes true: the
    /// step under way is dropped then, as by advance().
    RunEnd run(Index last_step, const std::atomic<bool>* interrupt = nullptr);

    /// Where commanded vertices (Motion::commanded) go in the next step: `positions` stacked (m), one a vertex. They go
    /// straight there, also where the step is cut into pieces. Forgotten once a step is done; a step that fails keeps
    /// it. Throws InputError for a vertex that no commanded motion has, or a position that is not finite.
    void command(const std::vector<Index>& vertices, const VecX& positions) {
        program_.command(world_, state_.x, vertices, positions);
    }
    /// Forces (N), stacked, all vertices, beside those of the world in every step from now on; empty: none.
    /// Throws InputError for another size or a force that is not finite.
    void apply_force(VecX force) { program_.apply(world_, std::move(force)); }
    /// Goes on from another state of the same world. Last result and failure are forgotten.
    void restore(State state);

    /// `observer` must outlive the simulator.
    void add_observer(Observer& observer) { observers_.push_back(&observer); }
    /// Told every accepted straight move; may be null.
    void set_move_sink(MoveSink* moves) { moves_ = moves; }
    /// Whether results list their contacts (StepResult::contacts), from the next step on. Off at first; changes no
    /// motion. After sub-steps the list is that of the last one.
    void list_contacts(bool wanted) { list_contacts_ = wanted; }

    const World& world() const { return world_; }
    const State& state() const { return state_; }
    const Method& method() const { return *method_; }
    const SimulatorOptions& options() const { return options_; }
    /// Result of the last accepted scene step, its `state` equal to state(); null before the first.
    const StepResult* last_result() const { return has_result_ ? accepted_.get() : nullptr; }
    /// The same, which stays as it is for as long as it is held.
    std::shared_ptr<const StepResult> shared_result() const { return has_result_ ? accepted_ : nullptr; }
    /// Report of the step that could not be completed; null if none failed.
    const StepReport* failure() const { return has_failure_ ? &failure_ : nullptr; }
    /// Whether the last advance() was given up because of its interrupt; that is no failure().
    bool was_interrupted() const { return interrupted_; }

private:
    class Watch;
    bool attempt(const State& from, double energy, double h, Watch& watch);
    bool solve(const State& from, double energy, const StepInput& input);
    bool guard(const State& from, double energy, StepInput& input, Watch& watch);
    bool substep(long planned, StepReport& total, Watch& watch);
    bool make(Watch& watch);
    void refuse();
    void judge();
    bool all_go_on() const;

    World world_;
    State state_;
    std::unique_ptr<Method> method_;
    SimulatorOptions options_;
    std::vector<Observer*> observers_;
    MoveSink* moves_ = nullptr;
    bool list_contacts_ = false;
    std::shared_ptr<StepResult> result_ = std::make_shared<StepResult>();    // of the attempt under way
    std::shared_ptr<StepResult> accepted_ = std::make_shared<StepResult>();  // of the last accepted scene step
    ProgramInput program_;
    MomentumLedger momentum_;        // of the attempt under way
    bool turns_ = false;             // whether any motion of the world does
    double energy_ = 0.0;            // kinetic + elastic, of state_ (J)
    double unnoticed_energy_ = 0.0;  // see unnoticed_energy() (J)
    StepReport failure_;
    bool has_result_ = false;
    bool has_failure_ = false;
    bool interrupted_ = false;
};

}  // namespace stiction
