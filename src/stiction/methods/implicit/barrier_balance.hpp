// Momentum balance of a stage with the barrier as contact, for Newton's method.
#pragma once

#include "stiction/barrier/solve.hpp"
#include "stiction/contact/implicit_friction.hpp"
#include "stiction/methods/implicit/newton.hpp"

namespace stiction::implicit {

/// r is the gradient of incremental potential and barrier, plus friction with nothing lagged. The iteration starts from
/// the solution of a lagged solve. Iterates stay feasible.
class BarrierBalance final : public BalanceNewton {
public:
    /// @param lagged      finished and accepted; gives start, stiffness, unknowns
    /// @param keeps_path  whether report_moves() will be called
    BarrierBalance(const World& world, const BarrierSolve& lagged, const Options& options, BarrierWorkspace& workspace,
                   JacobianSolver& jacobian, const StepInput& input, StepReport& report);

    /// Tells every accepted move of a run that converged.
    void report_moves(MoveSink* sink) const;
    /// Forces on all vertices (N) at x, and what sticks and slides; the contacts where `listed`.
    void fill_forces(bool listed, StepResult& result) const;
    void fill_report() const;

private:
    VecX first_residual() override { return residual(x_, contacts_); }
    VecX trial_residual(const VecX& trial) override;
    void take_trial() override;
    double step_bound(const VecX& p) override;
    /// The stand-in: projected Hessians, and friction lagged at the present positions.
    void assemble(bool stand_in) override;
    /// Friction.
    void add_rest(JacobianSolver& jacobian) override;
    double length_of(const VecX& p) const override;
    void describe(IterationTrace& trace) const override;
    VecX residual(const VecX& x, const ContactSet& contacts) const;
    VecX friction_residual(const VecX& x, const ContactSet& contacts) const;
    std::vector<ContactForce> list_contacts() const;
    /// The law with the coefficients of the pair; nothing where the pair does not rub.
    std::optional<ImplicitFriction> friction_of(const Contact& contact) const;

    const World& world_;
    const BarrierSolve& lagged_;
    const Options& options_;
    BarrierWorkspace& workspace_;
    bool keeps_path_;
    const IncrementalPotential& potential_;
    const BarrierTerm barrier_;
    const FrictionLaw friction_law_;  ///< for slips in metres
    ContactSet contacts_, trial_contacts_;
    std::vector<VecX> path_;  ///< accepted iterates, the start first
};

}  // namespace stiction::implicit
