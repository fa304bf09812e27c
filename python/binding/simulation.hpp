// A simulation that Python advances step by step.
#pragma once

#include "stiction/scene/spec.hpp"
#include "stiction/sim/simulator.hpp"

#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace stiction::python {

/// What a step changed and Python may look at; stays as it is for as long as somebody holds it.
struct Present {
    std::shared_ptr<const State> state;
    std::shared_ptr<const StepResult> result;  ///< of the step that led here; null before the first
};

class SignalWatch;

/// A scene under way. One thread at a time: a second one gets a RuntimeError.
class Simulation {
public:
    /// Compiles the scene and checks its start. Throws InputError, StartError.
    explicit Simulation(const SceneSpec& spec);
    ~Simulation();

    /// One step. `done` is false if it could not be made: the report says why, and the state stays, as it does where a
    /// signal handler of Python raised an exception within the step.
    struct Step {
        bool done;
        StepReport report;
        std::string verdict;        ///< on the step; empty if it was not made
        std::exception_ptr raised;  ///< by a signal handler, to be raised again; null: nothing
    };
    Step step();
    Present present();
    /// Time (s) and number of steps.
    std::pair<double, Index> now() const;

    std::string state() const;
    void restore(std::string_view bytes);
    /// Takes other positions and velocities (stacked, all vertices) after the checks of a start; what integrators and
    /// methods remember of earlier steps is forgotten. Throws InputError, StartError.
    void edit(VecX x, VecX v);
    void command(Index body, const VecX& positions);
    /// Throws InputError for a body without commanded vertices.
    void check_commanded(Index body) const;
    void apply_force(VecX force);

    const World& world() const { return simulator_->world(); }
    const SceneSpec& spec() const { return spec_; }
    const Method& method() const { return simulator_->method(); }
    double step_size() const { return simulator_->options().h; }

private:
    /// Holds the simulation for one call; throws std::runtime_error while another thread or a forked child has it.
    std::unique_lock<std::mutex> hold() const;

    SceneSpec spec_;
    std::vector<std::string> body_names_;
    std::unique_ptr<SignalWatch> signals_;  ///< observes simulator_
    std::unique_ptr<Simulator> simulator_;
    std::shared_ptr<const State> shared_state_;  ///< of a simulation that has made no step yet; null: not asked for
    mutable std::mutex mutex_;
};

/// Sends the commanded vertices of a body to `positions`: one for each of them, or one for each vertex of the body.
/// Throws InputError for another number, and for a body that has none.
void command_body(Simulator& simulator, Index body, const VecX& positions);

}  // namespace stiction::python
