// The solve of one stage with barrier and lagged friction: projected Newton under CCD.
#pragma once

#include "stiction/base/timer.hpp"
#include "stiction/dynamics/barrier/potential.hpp"
#include "stiction/dynamics/barrier/refinement_rule.hpp"
#include "stiction/dynamics/barrier/stiffness.hpp"
#include "stiction/dynamics/barrier/workspace.hpp"
#include "stiction/dynamics/driven_motion.hpp"
#include "stiction/dynamics/region_detection.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace stiction {

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
    const BarrierPotential& potential() const { return potential_; }
    const Stage& stage() const { return stage_; }
    const BarrierLimits& limits() const { return limits_; }
    /// How linear systems were to be solved last.
    SystemSolver linear_solver() const { return chosen_solver_; }
    /// After an accepted run: one more solve, with the friction of its end. @return whether it was accepted too
    bool refresh_friction();
    /// Later Newton solves that are in contact end where a whole direction is at most this part of their first one, for
    /// callers that go on from there; 0: at the tolerances.
    void set_looseness(double part) { looseness_ = part; }
    /// After an accepted run: FrictionTerm::linearisation_error() of the friction at its end, for the move that this
    /// friction asks for by the last matrix. While it is large, friction has not settled.
    double friction_change();

    /// Where State::warm_start keeps the barrier stiffness divided by s^2 (J/m^4, or Pa with weights), and its bytes.
    /// With weights a mark follows the number: the one stiffness must not be taken for the other.
    static constexpr const char* warm_start_key = "barrier_stiffness";
    static constexpr char weighted_mark = 'w';
    std::string warm_start() const;
    /// Forces on all vertices (N), what sticks and slides, and the list of contacts if wanted, at the end of the stage.
    void fill_forces(StepResult& result) const;

private:
    /// What one Newton solve came to.
    struct NewtonEnd {
        Status status = Status::converged;
        double first_residual = 0.0;  ///< |p|_inf / s of the first direction (m/s)
    };

    /// Iterations that confirm a solve, and where they began.
    struct Confirmation {
        VecX x;
        ContactSet contacts;
        StiffnessGuard guard;
        double stiffness, imbalance, residual;  ///< there
        int iterations_left;
        std::vector<VecX> path;  ///< ends of the moves since, reported if they are kept
    };

    /// What the present iterations move: all unknowns, or those of a region.
    struct Domain {
        HessianAssembly* assembly;
        RegionDetection* region;  ///< null: all
    };

    bool is_weighted() const { return options_.barrier_weights != BarrierWeights::none; }
    /// Whether the stage may start from x; stops with the cause where it may not.
    bool is_feasible();
    std::vector<ContactForce> list_contacts() const;
    void move_driven();
    /// Adds the fall of a step to the predicted move of bodies that meet nothing: they begin where they end, whatever
    /// holds up others. @return their marks
    std::vector<char> fall_freely(VecX& step) const;
    void begin_assembly();
    void find_contacts();
    void lag_friction(double stiffness);
    /// Sets loaded_stiffness_.
    void keep_gaps_open(double stiffness);
    /// The stiffness that balances the barrier's gradient at the start against all others.
    double balance_at_start();
    void start_stiffness();
    NewtonEnd newton();
    void begin_newton();
    /// What follows a move: driven motion, the stopping test, confirmation, regions.
    /// @param p  the direction that was searched
    /// @return whether the solve is over; end.status tells how
    bool end_iteration(const VecX& p, const IterationTrace& trace, NewtonEnd& end);
    /// Ends a solve whose search found no move, with end.status.
    void end_unmoved(double residual, NewtonEnd& end);
    /// Ends a solve without inertia whose iterate has left the scene: no equilibrium is near. @return whether it has
    bool runs_away();
    /// After an accepted run of a static stage: solves again with refreshed friction until the stage is in balance with
    /// the friction of its end, a few times; `not_converged` where it is not then.
    void settle_static();
    /// What is left of the balance of x with the friction of x, which it takes over. imbalance() is with the lagged
    /// one.
    double imbalance_with_fresh_friction();
    /// In a static stage nothing but friction may hold what meets in it, and lagged friction knows nothing of that:
    /// takes the friction of the present iterate where too much of it has changed, a limited number of times a solve.
    void keep_up_friction();
    void begin_keeping_up();
    /// Whether a body that is driven nowhere touches nothing where the stage begins, so that it may meet something in
    /// this stage that is to hold it.
    bool is_any_loose() const;
    /// The beginning of a static stage in which something may meet: solves that are held by the inertia of longer and
    /// longer steps from the present iterate, the first of which an ordinary step could be. What contact does not
    /// decide (where boxes come to rest on each other) is where inertia left it then.
    void approach();
    /// Where a stage without inertia is to begin, which knows no velocities: the last step once more, by the part of it
    /// that what is driven goes now; nothing where it did not move, or goes back (stacked, m).
    VecX carried_along() const;
    void fill_report();
    /// Whether the solve that has ended had friction, or the next one would have.
    bool rubs_now_or_next() const;
    /// A note that a step has at most once, however often its cause comes up.
    void note_once(const char* text);
    /// Notes solvers that were given up.
    void note_fallbacks();
    /// @param iteration  of this Newton solve, from 0
    bool direction(int iteration, VecX& p);
    /// p = -H^-1 g with projected local Hessians; false when H is not positive definite.
    bool factorise(VecX& p);
    /// Bodies whose part of a direction is below a millionth of the tolerance keep still, and their part of the
    /// gradient is left out: what rounding leaves of a heavy body would decide over the search of a light one.
    void keep_still(VecX& p);
    /// The same vector, zero where bodies keep still.
    VecX without_still(VecX values) const;
    /// Takes a projected direction on towards the minimum of the quadratic model without projection, by a few conjugate
    /// gradients. Projection makes every local Hessian stiffer than it is. Where the true curvature is small or
    /// negative (soft bodies that slide and buckle in contact) projected steps are full and far too short: hundreds in
    /// a row.
    /// @return whether p is the refined one; the projected one stays where that is no descent
    bool refine(VecX& p);
    /// How much less curvature the last move of this Newton solve met than the matrix that it came from has, as a part
    /// of the latter: 0 where the slope fell as predicted (and before the first move), 1 where it did not fall.
    double softening() const;
    /// Largest multiple of a direction to search: multiple_to_minimum(). It is 1 in regions, where the last move was
    /// not of the same kind, refined or projected, and where an element would cut the longer way to less than p.
    double longest_step(const VecX& p) const;
    bool line_search(const VecX& p, IterationTrace& trace);
    /// Where a direction moves a small part of the scene alone, goes on with Newton's method there while all else
    /// stands still: systems are small, and a cut step holds up nothing else. Contacts that slip or buckle one by one
    /// take many iterations of their neighbourhood, and few of the whole (nonlinear elimination: Lanzkron, Rose,
    /// Wilkes, SIAM J. Sci. Comput. 17, 1996). The energy falls in every move; whether the stage is solved is decided
    /// outside.
    /// @param p         direction that was searched last
    /// @param residual  its |p|_inf / s (m/s)
    void solve_region(const VecX& p, double residual);
    /// Where the direction is short and only the balance is missing, and by little, moves the surroundings of the
    /// vertices that miss it.
    /// @return whether the whole has it now and the tolerance of velocity is no smaller; nothing if there is no region
    std::optional<bool> balance_region();
    /// Newton's method in a region, until `enough` says so of a direction before it is searched. @return whether it was
    bool move_region(const Region& region, const std::function<bool(const VecX& p)>& enough);
    bool iterate_in_region(const std::function<bool(const VecX& p)>& enough);
    /// Contacts at x: all, or those of the region.
    ContactSet contacts_at(const VecX& x) const;
    /// Marks of vertices that may move; empty: all.
    const std::vector<char>& moving() const;
    /// Whether a loose solve may end after an iterate whose whole direction was taken.
    bool is_close_enough(double residual, double first_residual) const;
    /// After an accepted iterate with residual `residual` (infinite when its step was cut short): nothing more to do?
    bool finished(double residual, Status& status);
    /// After a solve that seems finished: whether to go on with refined directions. A projected direction is too short
    /// a measure where the last move met much less curvature than its matrix has; the refined one is up to a hundred
    /// times as long there. Begins a confirmation, or goes on with it while more than half of the imbalance
    /// at its start is left, or the direction is above a fifth of the tolerance.
    /// @param residual  |p|_inf / s of the last direction (m/s)
    bool wants_confirmation(double residual);
    /// Tells StepInput::moves, at the end of a confirmation if one runs.
    void report_move(const VecX& from, const VecX& to);
    /// Ends a solve that is accepted, with the status and cause from before it. Goes back to where a confirmation began
    /// if that was nearer to a balance. An end that is kept may have a residual above the tolerance, if its iterations
    /// ran out.
    void accept();
    /// What is left of the balance of the present iterate: the largest entry of the gradient over that of its largest
    /// term (inertia, external forces, barrier, friction), prescribed coordinates left out.
    double imbalance() const;
    /// Speed that a direction means (m/s), to be held against tolerance(): the largest |p| / s of a coordinate, that of
    /// a smaller body as many times larger as its own tolerance is smaller.
    double speed(const VecX& p) const;
    void stop(Status status, std::string cause);
    std::string touching_cause() const;
    /// Stopping tolerance on |p|_inf / s (m/s). Where friction is lagged it is at most a tenth of eps_v: from rest, the
    /// first direction is measured by the stiffness of sticking, so its length is below eps_v whether or not the
    /// contact holds. The same cap holds where bodies with friction touch and nothing is lagged yet: they met in this
    /// solve, or the run begins so. The next solve lags friction by the normal forces of this one.
    /// @param share  of l that a body has
    double tolerance(double share = 1.0) const;
    double last_stiffness() const;

    const World& world_;
    const State& state_;
    const StepInput& input_;
    const BarrierOptions& options_;
    const Stage& stage_;
    ContactDetection& detection_;
    HessianAssembly& assembly_;
    HessianAssembly& region_assembly_;
    Domain domain_{&assembly_, nullptr};
    SystemSolver chosen_solver_ = SystemSolver::direct;
    bool region_gave_up_single_ = false;  ///< later regions begin in double precision
    StepReport& report_;
    PhaseTimers timers_;
    BarrierLimits limits_;
    StiffnessBounds bounds_;
    StiffnessGuard guard_;
    /// At this stiffness the most loaded contact of the last step sits at a fixed fraction of dhat, see
    /// start_stiffness().
    double loaded_stiffness_ = 0.0;
    BarrierPotential potential_;
    DrivenMotion driven_;
    VecX x_;  ///< present iterate
    VecX gradient_;
    struct {
        VecX direction;
        double alpha = 0.0;  ///< multiple of it that was taken
        double slope = 0.0;  ///< of the potential along it, at its start
        bool is_refined = false;
    } last_move_;
    double looseness_ = 0.0;
    bool keeps_up_ = true;
    int refreshes_left_ = 0;        ///< for keep_up_friction(), in this Newton solve
    RefinementRule refinement_{0};  ///< of this Newton solve
    bool is_refined_ = false;       ///< whether the last direction was
    std::vector<char> still_;       ///< bodies that the last direction leaves where they are; empty: none
    std::optional<Confirmation> confirmation_;
    struct {
        Status status = Status::converged;
        std::string cause;
    } before_;                      ///< the report's, before this Newton solve
    double projected_slope_ = 0.0;  ///< of the potential along the present projected direction
    double force_sum_ = 0.0;        ///< see BarrierPotential::difference
    ContactSet contacts_;
};

}  // namespace stiction
