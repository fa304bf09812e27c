// Momentum balance of a stage with contact by penalty, for Newton's method.
#pragma once

#include "stiction/dynamics/incremental_potential.hpp"
#include "stiction/methods/implicit/newton.hpp"
#include "stiction/methods/implicit/penalty/contact.hpp"

namespace stiction::implicit {

/// r is the gradient of inertia, elasticity, damping and fillings minus s^2 times contact and friction forces, both of
/// the present positions (Larionov et al. 2022, equation 23 with equations 3 and 14).
class PenaltyBalance final : public BalanceNewton {
public:
    /// @param potential  of the stage
    /// @param force      what contacts push and rub with
    /// @param by_body    the tolerance is on entries over the share of l that a body has
    /// @param start      stacked; driven vertices are where they should be at the end
    PenaltyBalance(const World& world, const IncrementalPotential& potential, const PenaltyForce& force,
                   const NewtonLimits& limits, bool by_body, PenaltyDetection& detection, HessianAssembly& assembly,
                   JacobianSolver& jacobian, StepReport& report, VecX start);

    const PenaltyContacts& contacts() const { return contacts_; }
    /// Forces on all vertices (N) at x, and what sticks and slides: of a contact its vertex and those of the surface
    /// around it. The contacts where `listed`.
    void fill_forces(bool listed, StepResult& result) const;
    void fill_report() const;

private:
    VecX first_residual() override;
    VecX trial_residual(const VecX& trial) override;
    void take_trial() override { contacts_ = std::move(trial_contacts_); }
    double step_bound(const VecX& p) override;
    void assemble(bool stand_in) override;
    void add_rest(JacobianSolver& jacobian) override;
    void describe(IterationTrace& trace) const override;
    double length_of(const VecX& p) const override;
    VecX residual(const VecX& x, const PenaltyContacts& contacts) const;
    /// Sums of both forces over all contacts (N), stacked over all vertices.
    PenaltyContactForces forces(const VecX& x, const PenaltyContacts& contacts) const;
    ContactState contact_state(const PenaltyContact& contact) const;
    std::vector<ContactState> contact_states() const;
    std::vector<ContactForce> list_contacts() const;
    /// One matrix a contact.
    template <class Matrix>
    std::vector<Eigen::MatrixXd> local_matrices(const Matrix& matrix) const;
    /// Makes room in the pattern for all contacts.
    void cover();

    const World& world_;
    const IncrementalPotential& potential_;
    const PenaltyForce force_;
    const bool by_body_;
    PenaltyDetection& detection_;
    PenaltyContacts contacts_, trial_contacts_;
};

}  // namespace stiction::implicit
