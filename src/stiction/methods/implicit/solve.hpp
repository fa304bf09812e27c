// Newton's method on the whole momentum balance of one stage.
#pragma once

#include "stiction/contact/implicit_friction.hpp"
#include "stiction/dynamics/barrier_solve.hpp"
#include "stiction/linalg/general_block_system.hpp"
#include "stiction/methods/implicit/options.hpp"

namespace stiction {

/// Finds x with r(x) = 0, r the gradient of the incremental potential without friction plus friction with nothing lagged, from the
/// solution of a lagged solve. Iterates stay feasible; the search accepts on the natural monotonicity test (Deuflhard 2004, section 3.1.3)
/// |J^-1 r(x + alpha p)| <= (1 - alpha/2) |p|, which no scaling of the equations changes.
class ImplicitSolve {
public:
    /// @param lagged  finished and accepted; gives start, stiffness, unknowns
    ImplicitSolve(const World& world, const BarrierSolve& lagged, const ImplicitOptions& options, BarrierWorkspace& workspace, GeneralBlockSystem& jacobian,
                  StepReport& report);

    /// @return true when it converged; else stall() says why and x() means nothing
    bool run();
    const std::string& stall() const { return stall_; }
    const VecX& x() const { return x_; }
    /// Tells every accepted move of a run that converged.
    void report_moves(MoveSink* sink) const;
    /// Forces on all vertices (N) at x.
    void fill_forces(StepResult& result) const;
    void fill_report() const;

private:
    VecX residual(const VecX& x, const ContactSet& contacts) const;
    VecX friction_residual(const VecX& x, const ContactSet& contacts) const;
    /// The law with the coefficients of the pair; nothing where the pair does not rub.
    std::optional<ImplicitFriction> friction_of(const Contact& contact) const;
    bool factorise();
    bool direction(const VecX& r, VecX& p);
    bool line_search(const VecX& p, double& alpha);
    bool stalled(std::string why);

    const World& world_;
    const BarrierSolve& lagged_;
    const ImplicitOptions& options_;
    BarrierWorkspace& workspace_;
    GeneralBlockSystem& jacobian_;
    LowRankUpdate rank_one_;  ///< beside the factored Jacobian
    StepReport& report_;
    IncrementalPotential potential_;  ///< everything but friction
    double tolerance_;
    VecX x_;
    ContactSet contacts_;
    std::vector<VecX> path_;  ///< accepted iterates, the start first
    std::string stall_;
    mutable PhaseTimers timers_;
};

}  // namespace stiction
