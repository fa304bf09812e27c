// Newton's method on the whole momentum balance of one stage.
#pragma once

#include "stiction/contact/implicit_friction.hpp"
#include "stiction/dynamics/barrier_solve.hpp"
#include "stiction/methods/implicit/jacobian_solver.hpp"
#include "stiction/nonlinear/forcing_term.hpp"

namespace stiction {

/// Finds x with r(x) = 0, r the gradient of the incremental potential without friction plus friction with nothing lagged, from the
/// solution of a lagged solve. Iterates stay feasible. With LU the search accepts on the natural monotonicity test (Deuflhard 2004, section 3.1.3)
/// |J^-1 r(x + alpha p)| <= (1 - alpha/2) |p|, which no scaling of the equations changes; with BiCGSTAB on the sufficient decrease of
/// Eisenstat and Walker in the norm of the preconditioner.
class ImplicitSolve {
public:
    /// @param lagged      finished and accepted; gives start, stiffness, unknowns
    /// @param keeps_path  whether report_moves() will be called
    ImplicitSolve(const World& world, const BarrierSolve& lagged, const ImplicitOptions& options, BarrierWorkspace& workspace, JacobianSolver& jacobian, bool keeps_path,
                  StepReport& report);

    /// @return true when it converged; else stall() says why and x() means nothing
    bool run();
    const std::string& stall() const { return stall_; }
    const VecX& x() const { return x_; }
    /// Tells every accepted move of a run that converged.
    void report_moves(MoveSink* sink) const;
    /// Forces on all vertices (N) at x, and what sticks and slides.
    void fill_forces(StepResult& result) const;
    void fill_report() const;
    /// The time it took, converged or not.
    void fill_phases() const;

private:
    VecX residual(const VecX& x, const ContactSet& contacts) const;
    VecX friction_residual(const VecX& x, const ContactSet& contacts) const;
    /// The law with the coefficients of the pair; nothing where the pair does not rub.
    std::optional<ImplicitFriction> friction_of(const Contact& contact) const;
    bool factorise();
    /// Factors a positive definite stand-in for the Jacobian: projected Hessians, and friction lagged at the present positions.
    bool precondition();
    /// The symmetric part of the Jacobian into the assembly.
    void assemble(bool project);
    bool line_search(const VecX& p, double measure, double& alpha);
    bool accepts(const VecX& r, const VecX& p, double measure, double alpha);
    bool stalled(std::string why);

    const World& world_;
    const BarrierSolve& lagged_;
    const ImplicitOptions& options_;
    BarrierWorkspace& workspace_;
    JacobianSolver& jacobian_;
    bool keeps_path_;
    StepReport& report_;
    IncrementalPotential potential_;  ///< everything but friction
    double tolerance_;
    ForcingTerm forcing_;
    double sigma_ = 0.0;  ///< of the present direction
    VecX x_;
    ContactSet contacts_;
    std::vector<VecX> path_;  ///< accepted iterates, the start first
    std::string stall_;
    mutable PhaseTimers timers_;
};

}  // namespace stiction
