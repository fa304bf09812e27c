// The barrier-aware projected Newton solve of one stage with lagged friction.
#pragma once

#include "stiction/base/timer.hpp"
#include "stiction/dynamics/barrier_options.hpp"
#include "stiction/dynamics/barrier_stiffness.hpp"
#include "stiction/dynamics/driven_motion.hpp"

namespace stiction {

/// Absolute values of the options for one world.
struct BarrierLimits {
    double dhat = 0.0;                ///< m
    double friction_velocity = 0.0;   ///< m/s
    double velocity_tolerance = 0.0;  ///< m/s
    double kinetic_velocity = 0.0;    ///< m/s
};
BarrierLimits resolve_limits(const BarrierOptions& options, const World& world);

/// Trees and matrix of one world, kept from step to step; nothing in it decides a result.
struct BarrierWorkspace {
    BarrierWorkspace(const World& w, const BarrierOptions& options);
    bool is_of(const World& w) const { return world == &w && identity == w.identity; }

    const World* world;
    std::shared_ptr<const char> identity;
    ContactDetection detection;
    HessianAssembly assembly;
};

/// One stage's solve (Li et al. 2020, Algorithm 1), from a feasible start. Parts are functions and timers of the same
/// name: driven, contacts, friction, assembly, solve, ccd, line_search.
class BarrierSolve {
public:
    BarrierSolve(const World& world, const State& state, const StepInput& input, const BarrierOptions& options,
                 const Stage& stage, BarrierWorkspace& workspace, StepReport& report);

    /// Runs the whole stage from state.x; the report says how it ended. Work is added to what the report holds.
    void run();
    const VecX& x() const { return x_; }
    const ContactSet& contacts() const { return contacts_; }
    const IncrementalPotential& potential() const { return potential_; }
    const Stage& stage() const { return stage_; }
    const BarrierLimits& limits() const { return limits_; }
    /// After an accepted run: one more solve, with the friction of its end. @return whether it was accepted too
    bool refresh_friction();

    /// Where State::warm_start keeps the barrier stiffness divided by s^2 (J/m^4), and its bytes.
    static constexpr const char* warm_start_key = "barrier_stiffness";
    std::string warm_start() const;
    /// Forces on all vertices (N) and what sticks and slides, at the end of the stage.
    void fill_forces(StepResult& result) const;

private:
    /// What one Newton solve came to.
    struct NewtonEnd {
        Status status = Status::converged;
        double first_residual = 0.0;  ///< |p|_inf / s of the first direction (m/s)
    };

    void move_driven();
    void find_contacts();
    void lag_friction(double stiffness);
    /// Stiffness at which the most loaded contact of the last step would sit at a fixed fraction of dhat, see
    /// start_stiffness().
    void keep_gaps_open(double stiffness);
    void start_stiffness();
    NewtonEnd newton();
    void fill_report();
    /// @param iteration  of this Newton solve, from 0
    bool direction(int iteration, VecX& p);
    /// p = -H^-1 g with local Hessians projected or not; false when H is not positive definite.
    bool factorise(bool project, VecX& p);
    /// Takes a projected direction on towards the minimum of the quadratic model without projection. Where the true
    /// curvature is small or negative (soft bodies that slide and buckle in contact) projected steps are full, good,
    /// and far too short: hundreds in a row.
    void refine(VecX& p);
    bool line_search(const VecX& p, IterationTrace& trace);
    /// After an accepted iterate with residual `residual` (infinite when its step was cut short): nothing more to do?
    bool finished(double residual, Status& status);
    void stop(Status status, std::string cause);
    std::string touching_cause() const;
    /// Stopping tolerance on |p|_inf / s (m/s). While something rubs it is at most a tenth of eps_v: from rest, the
    /// first direction is measured by the stiffness of sticking, so its length is below eps_v whether or not the
    /// contact holds.
    double tolerance() const;
    double last_stiffness() const;

    const World& world_;
    const State& state_;
    const StepInput& input_;
    const BarrierOptions& options_;
    const Stage& stage_;
    ContactDetection& detection_;
    HessianAssembly& assembly_;
    StepReport& report_;
    PhaseTimers timers_;
    BarrierLimits limits_;
    StiffnessBounds bounds_;
    StiffnessGuard guard_;
    double loaded_stiffness_ = 0.0;
    bool last_step_was_full_ = false;
    int full_steps_ = 0;  ///< full steps since the last shortened one, or since Hessians without projection failed
    int unprojected_after_ = 1;  ///< full steps before Hessians go unprojected
    IncrementalPotential potential_;
    DrivenMotion driven_;
    VecX x_, x_last_;  ///< present and last iterate
    VecX gradient_;
    double force_sum_ = 0.0;  ///< see IncrementalPotential::difference
    ContactSet contacts_;
};

}  // namespace stiction
