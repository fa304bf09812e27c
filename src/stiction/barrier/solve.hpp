// The solve of one stage with barrier and lagged friction: projected Newton under CCD.
#pragma once

#include "stiction/barrier/adaptive_stiffness.hpp"
#include "stiction/barrier/region_solve.hpp"
#include "stiction/barrier/static_stage.hpp"
#include "stiction/dynamics/driven_motion.hpp"

#include <string>
#include <vector>

namespace stiction {

/// One stage's solve (Li et al. 2020, Algorithm 1), from a feasible start. Phases of the report have the names of their
/// parts: driven, contacts, friction, assembly, solve, ccd, line_search.
class BarrierSolve {
public:
    /// Everything is kept by reference.
    BarrierSolve(const World& world, const State& state, const StepInput& input, const BarrierOptions& options,
                 const Stage& stage, BarrierWorkspace& workspace, StepReport& report);

    BarrierSolve(const BarrierSolve&) = delete;  // its parts refer to each other
    BarrierSolve& operator=(const BarrierSolve&) = delete;

    /// Runs the whole stage from state.x; the report says how it ended. Work is added to what the report holds.
    void run();
    /// After an accepted run: one more solve, with the friction of its end. @return whether it was accepted too
    bool refresh_friction();
    /// StoppingRule::set_looseness() of later solves.
    void set_looseness(double part) { stopping_.set_looseness(part); }
    /// After an accepted run: FrictionTerm::linearisation_error() of the friction at its end, for the move that this
    /// friction asks for by the last matrix. While it is large, friction has not settled.
    double friction_change();

    const VecX& x() const { return iterate_.x; }
    const ContactSet& contacts() const { return iterate_.contacts; }
    const BarrierPotential& potential() const { return potential_; }
    const Stage& stage() const { return model_.stage; }
    const BarrierLimits& limits() const { return model_.limits; }
    /// How linear systems were to be solved last.
    SystemSolver linear_solver() const { return chosen_solver_; }
    /// For State::warm_start, under AdaptiveStiffness::warm_start_key.
    std::string warm_start() const { return stiffness_.warm_start(); }
    /// Forces on all vertices (N), what sticks and slides, and the list of contacts if wanted, at the end of the stage.
    void fill_forces(StepResult& result) const;

private:
    /// What one Newton solve came to.
    struct NewtonEnd {
        Status status = Status::converged;
        double first_residual = 0.0;  ///< |p|_inf / s of the first direction (m/s)
    };

    /// Whether the stage may start from x; stops with the cause where it may not.
    bool is_feasible();
    std::string touching_cause() const;
    void begin_assembly();
    void move_driven();
    /// Adds the fall of a step to the predicted move of bodies that meet nothing: they begin where they end, whatever
    /// holds up others. @return their marks
    std::vector<char> fall_freely(VecX& step) const;
    void find_contacts();
    void lag_friction(double stiffness);
    /// Solves with lagged friction, as often as the options ask for.
    void solve_and_refresh();
    /// Whether the solve that has ended had friction, or the next one would have.
    bool rubs_now_or_next() const;

    NewtonEnd newton();
    void begin_newton();
    /// Ends a solve without a direction. @return its status
    Status end_without_direction();
    /// Ends a solve whose search found no move. @return its status
    Status end_unmoved(double residual);
    /// What follows a move: driven motion, the stopping test, confirmation, regions.
    /// @param p  the direction that was searched
    /// @return whether the solve is over; end.status tells how
    bool end_iteration(const VecX& p, const IterationTrace& trace, NewtonEnd& end);
    /// After an accepted iterate with residual `residual` (infinite when its step was cut short): nothing more to do?
    bool is_finished(double residual, Status& status);
    /// The part of is_finished() while something pulls.
    bool finish_driven(double residual, Status& status);
    /// Ends a solve that is accepted, with the status and cause from before it.
    void accept();
    /// The potential or its unknowns are others now.
    void change_pull();

    void fill_report();
    /// Notes solvers that were given up.
    void note_fallbacks();

    const StageModel model_;
    ContactDetection& detection_;
    HessianAssembly& assembly_;
    SystemSolver chosen_solver_ = SystemSolver::direct;
    SolveLog log_;
    BarrierPotential potential_;
    DrivenMotion driven_;
    AdaptiveStiffness stiffness_;
    Iterate iterate_;
    StoppingRule stopping_;
    NewtonDirection direction_;
    Confirmation confirmation_;
    LineSearch line_search_;
    RegionSolve regions_;
    StaticStage static_;
};

}  // namespace stiction
