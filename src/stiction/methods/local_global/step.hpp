// One step of the method `local_global`.
#pragma once

#include "stiction/methods/local_global/bilateral.hpp"
#include "stiction/methods/local_global/contact_pairs.hpp"
#include "stiction/methods/local_global/solve.hpp"

#include <memory>

namespace stiction {

/// Scratch of a world: arrays of elements, and the factored matrix. Nothing that a result depends on.
struct LocalGlobalWorkspace {
    LocalGlobalWorkspace(const World& world, const LocalGlobalOptions& options);

    /// The system of a step of this size; that of the last such step, if it is one of the last two that were made.
    const GlobalSystem& system(const World& world, const LocalGlobalOptions& options, const StepInput& input);

    std::shared_ptr<const char> identity;  ///< of the world
    ElementArrays elements;
    Objective objective;
    LocalGlobalSolve solve;
    ContactPairs pairs;
    BilateralConstraints bilateral;
    StepConstraints constraints;
    std::unique_ptr<ContactDetection> way;  ///< of certified steps
    VecX guess, prediction, end, end_velocity;
    PhaseTimers timers;
    int factorisations = 0;

private:
    std::unique_ptr<GlobalSystem> systems_[2];  ///< the one used last comes first
};

class LocalGlobalStep {
public:
    LocalGlobalStep(const World& world, const State& state, const StepInput& input, const LocalGlobalOptions& options,
                    LocalGlobalWorkspace& workspace, StepResult& result)
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

private:
    static const std::string warm_start_key, bilateral_key;

    bool start(const GlobalSystem& system);
    bool certify(VecX& x);
    void find_contacts(const GlobalSystem& system);
    void iterate();
    const std::string& last_forces(const std::string& key) const;
    void carry_over_warm_starts();
    void report_contact();
    void finish();

    const World& world_;
    const State& state_;
    const StepInput& input_;
    const LocalGlobalOptions& options_;
    LocalGlobalWorkspace& workspace_;
    StepResult& result_;
    StepReport& report_;
    PhaseTimers& timers_;
    double begun_ = now_seconds();  ///< s
};

}  // namespace stiction
