// Damped Newton iteration on the momentum balance of a stage, for any kind of contact.
#pragma once

#include "stiction/base/timer.hpp"
#include "stiction/methods/implicit/jacobian_solver.hpp"
#include "stiction/nonlinear/forcing_term.hpp"
#include "stiction/report/step_report.hpp"
#include "stiction/world/step_watch.hpp"
#include "stiction/world/world.hpp"

namespace stiction::implicit {

/// When a Newton iteration ends.
struct NewtonLimits {
    double tolerance = 0.0;  ///< on |p|_inf / s (m/s)
    int iterations = 60;
    double scale = 0.0;          ///< s of the stage (s), or its stopping_scale()
    StepWatch* watch = nullptr;  ///< may interrupt it
};

/// Largest entry of a move (m), that of a smaller body over its share of the length of the largest.
double largest_over_share(const World& world, const VecX& p);

/// Finds x with r(x) = 0. With LU the search accepts on the natural monotonicity test (Deuflhard 2004, section 3.1.3)
/// |J^-1 r(x + alpha p)| <= (1 - alpha/2) |p|, which no scaling of the equations changes; with BiCGSTAB on the
/// sufficient decrease of Eisenstat and Walker in the norm of the preconditioner. Derived classes say what r and J are.
class BalanceNewton {
public:
    virtual ~BalanceNewton() = default;
    BalanceNewton(const BalanceNewton&) = delete;
    BalanceNewton& operator=(const BalanceNewton&) = delete;

    /// @return true when it converged; else stall() says why and x() means nothing. The report has the status
    /// `interrupted` if that was the reason.
    bool run();
    const std::string& stall() const { return stall_; }
    const VecX& x() const { return x_; }
    /// Adds the time it took, converged or not, to the report.
    void fill_phases() const;

protected:
    BalanceNewton(HessianAssembly& assembly, JacobianSolver& jacobian, const NewtonLimits& limits, StepReport& report,
                  VecX start)
        : assembly_(assembly), jacobian_(jacobian), limits_(limits), report_(report), x_(std::move(start)) {
        forcing_.smallest = 1e-10;
    }

    /// r at the start.
    virtual VecX first_residual() = 0;
    /// r at a trial position, which is kept for take_trial().
    virtual VecX trial_residual(const VecX& trial) = 0;
    /// The last trial has become x().
    virtual void take_trial() = 0;
    /// Largest fraction of p (at most 1) that may be tried.
    virtual double step_bound(const VecX& p) = 0;
    /// Fills the assembly with the symmetric part of the Jacobian that it can hold or, as the stand-in that
    /// preconditions, with something positive definite.
    virtual void assemble(bool stand_in) = 0;
    /// Adds what the symmetric part lacks to the Jacobian.
    virtual void add_rest(JacobianSolver& jacobian) = 0;
    /// Stiffness and contacts of the present position.
    virtual void describe(IterationTrace& trace) const = 0;
    /// |p| that the tolerance is on (m): its largest entry.
    virtual double length_of(const VecX& p) const;

    HessianAssembly& assembly_;
    JacobianSolver& jacobian_;
    const NewtonLimits limits_;
    StepReport& report_;
    VecX x_;
    mutable PhaseTimers timers_;

private:
    bool factorise();
    bool precondition();
    /// After the last iteration: one more whole move by its Jacobian, if that lessens the residual. It takes a solve
    /// and no factorisation, and leaves far less of the balance's error. Neither the trace nor the reported residual
    /// tell of it.
    void move_once_more();
    /// @param measure  of p
    /// @param alpha    taken part of p; 0 if none was
    /// @return whether x() moved
    bool line_search(const VecX& p, double measure, double& alpha);
    /// Moves by alpha p where that is acceptable. @return whether it was
    bool try_move(const VecX& p, double measure, double alpha);
    /// Whether p is at the rounding of positions: it cannot be told from its neighbours.
    bool is_negligible(const VecX& p) const;
    bool accepts(const VecX& r, const VecX& p, double measure, double alpha);
    bool stalled(std::string why);

    ForcingTerm forcing_;
    double sigma_ = 0.0;  ///< of the present direction
    VecX r_;              ///< at x_
    std::string stall_;
};

}  // namespace stiction::implicit
