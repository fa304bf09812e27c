// Stages of a time integrator. Each is one implicit solve, in a form that is the same for all integrators.
#pragma once

#include "stiction/world/step.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace stiction {

enum class Integrator {
    backward_euler,
    trapezoidal,   ///< Newmark's method with beta = 1/4, gamma = 1/2
    bdf2,          ///< two-step backward differentiation, constant steps
    tr_bdf2,       ///< trapezoidal rule over gamma h, then BDF2 over the rest, gamma = 2 - sqrt(2)
    sdirk2,        ///< two stages of backward Euler over alpha h, alpha = 1 - sqrt(2)/2
    quasi_static,  ///< no inertia: every step ends in equilibrium, at rest
};

/// Names of scenes, in the order of the enumerators.
const std::vector<std::string>& integrator_names();
/// Throws InternalError for any other name.
Integrator integrator_from_name(const std::string& name);

/// M (v - v_bar) = s f(q_bar + s v, v) with s = a h (Larionov et al. 2022, section 4): the unknown is q = q_bar + s v.
/// Written as a minimisation over q: 1/2 |q - q_hat|_M^2 + s^2 Psi(q), q_hat = q_bar + s v_bar + s^2 M^-1 f_ext.
struct Stage {
    double a = 1.0;        ///< integrator's coefficient
    double h = 0.0;        ///< step size (s)
    VecX q_bar;            ///< stacked (m)
    VecX v_bar;            ///< stacked (m/s)
    double inertia = 1.0;  ///< factor of M: 1, or 0 of a quasi-static stage, which ends at rest

    /// s = a h (s): the only time scale a method may use.
    double scale() const { return a * h; }
    /// Longest s (s) over which what is meant for a step of dynamics, as speeds of tolerances, makes sense as a length:
    /// in ten seconds, l/1000 a second is a hundredth of the scene.
    static constexpr double longest_dynamic = 0.1;
    /// Whether inertia has no part in the balance, or next to none: where the stage ends hardly depends on how fast it
    /// began, and nothing but contact and friction may hold a body.
    bool is_static() const { return inertia == 0.0 || scale() > longest_dynamic; }
    /// Time (s) over which a solver's stopping test takes a direction for a speed: s, within longest_dynamic. The error
    /// of position of a quasi-static stage is not made good by later steps: there at most a millisecond.
    double stopping_scale() const { return std::min(scale(), inertia > 0.0 ? longest_dynamic : 1e-3); }
    /// Time (s) over which the friction velocity is taken for the slip that sticks: s, within longest_dynamic.
    double sticking_scale() const { return std::min(scale(), longest_dynamic); }
    /// v = (q - q_bar) / s.
    VecX velocity(const VecX& q) const { return (q - q_bar) / scale(); }
    /// M^-1 f = (v - v_bar) / s: what a converged q says about the acceleration at the end of the stage.
    VecX acceleration(const VecX& q) const { return (velocity(q) - v_bar) / scale(); }
};

/// Whether this step is made by a rule that can give energy to a nonlinear body: one with a history. Backward Euler and
/// SDIRK2, whose stages are L-stable and start from the last state alone, take energy out.
bool may_gain_energy(Integrator integrator, const State& state, const StepInput& input);

/// The stages of one step, one after the other: each starts where the one before ended, so with positions that are
/// feasible where those were. Driven coordinates move at their mean speed over the step in all of them, (target - q^t)
/// / h, and have no acceleration; only backward Euler takes theirs from it. Integrators that need a history they do not
/// have (the first step; motions that were switched on or off; BDF2 after a step of another size) take one step of
/// SDIRK2, which needs none. So do they where StepInput::damped asks for it.
class StageSequence {
public:
    /// @param state, input  have to outlive the sequence
    StageSequence(Integrator integrator, const State& state, const StepInput& input);

    bool done() const { return stage_number_ == stage_count_; }
    /// What to solve next.
    const Stage& stage() const { return stage_; }
    /// Where the present stage starts: the state of the step with the positions at the end of the last stage.
    const State& start() const { return start_; }
    /// What the world imposes until the end of the present stage.
    const StepInput& input() const { return stage_input_; }
    /// The present stage ended at x. `warm_start` of `method` is handed on to the next one and to the end of the step.
    void finish(const VecX& x, const std::string& method, std::string warm_start);

    /// The state at the end of the step; valid once done(). Time and history are filled in, anchors are those of the
    /// input.
    State end_state() const;

private:
    void make_stage();
    void set_driven(double fraction);

    Integrator integrator_;  ///< the rule of this step, after the choice of a starting rule
    const bool keeps_acceleration_;
    const State& state_;
    const StepInput& input_;
    int stage_number_ = 0;
    int stage_count_ = 1;
    Stage stage_;
    State start_;
    StepInput stage_input_;
    VecX v_, acceleration_;  ///< at the end of the last finished stage
};

/// What can be recomputed of the last stage of a step.
struct LastStage {
    Stage stage;                     ///< the balance at the end of the step: from the state before where one stage does
                                     ///< the step, else from positions, velocity and acceleration after it
    VecX start;                      ///< positions at which it started (m): where its damping is frozen
    double velocity_mismatch = 0.0;  ///< of two stages: how far the first one's velocity is from what its positions
                                     ///< say, free coordinates (m/s)
};
LastStage last_stage(Integrator integrator, const State& before, const State& after, const StepInput& input);

}  // namespace stiction
