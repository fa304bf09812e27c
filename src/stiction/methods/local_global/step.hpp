// One time step of the method `local_global`.
#pragma once

#include "stiction/methods/local_global/workspace.hpp"

namespace stiction::local_global {

/// One step of Algorithm 4 of Zeng et al. (2025). Makes a `result` whose report says how the step ended.
class Step {
public:
    /// All arguments are kept by reference; result.report has to be clear.
    Step(const World& world, const State& state, const StepInput& input, const Options& options, Workspace& workspace,
         StepResult& result)
        : world_(world),
          state_(state),
          input_(input),
          options_(options),
          workspace_(workspace),
          result_(result),
          report_(result.report),
          timers_(workspace.timers) {
        timers_.clear();
    }

    void run();
    /// After run(): elastic energy at the end of the step (J).
    double elastic_energy() const { return elastic_; }

private:
    bool factorise();
    bool predict();
    void guess_along(double dt);
    bool begin_at_guess();
    bool detect_collisions();
    bool iterate();
    bool goes_on();
    bool finished();
    bool drop_forces();
    bool integrate();
    bool find_constraints();
    bool stays_in_scene(const VecX& x);
    double energy_at(const VecX& x, bool elsewhere) const;
    void report_contact();
    void judge();

    const World& world_;
    const State& state_;
    const StepInput& input_;
    const Options& options_;
    Workspace& workspace_;
    StepResult& result_;
    StepReport& report_;
    PhaseTimers& timers_;
    const GlobalSystem* system_ = nullptr;  ///< of this step
    bool stalled_ = false;                  ///< the last iteration found no decrease beyond rounding
    bool settled_ = false;                  ///< or none, because what is left is rounding
    bool forces_dropped_ = false;           ///< once in this step
    double begun_ = now_seconds();          ///< s
    double elastic_ = 0.0;                  ///< J
};

}  // namespace stiction::local_global
