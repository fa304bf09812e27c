// The contact problem of a step: assembled from the contacts, solved, and reported.
#pragma once

#include "stiction/base/timer.hpp"
#include "stiction/methods/mlcp/options.hpp"
#include "stiction/methods/mlcp/step_contacts.hpp"

#include <memory>
#include <optional>

namespace stiction::mlcp {

/// What the collision check of a solution did to the constraints of a step.
enum class ConstraintUpdate {
    none,     ///< no collision, and every linearisation holds: the solution stands
    changed,  ///< constraints were added or linearised again: solve again
    failed,   ///< the step has failed
};

/// Solves the contact problems of one step with a common limit of iterations. Every solve starts from the solution of
/// the one before.
class StepSolver {
public:
    /// @param report  its status and cause say why a step failed; `complementarity` is filled
    /// @param watch   of the step; may be null
    StepSolver(const Options& options, const Limits& limits, VelocityProblem& velocities, StepContacts& contacts,
               StepReport& report, StepWatch* watch);

    /// A and b of elasticity linearised at x (stacked, m). False: the forces there are not finite; the step has failed.
    bool linearise(const VecX& x);
    /// Linearises the contacts around the last solution, and solves. False: the step has failed.
    bool solve();
    /// Solves once more with the contacts as the last solve left them, at other tolerances. No contact is one of a
    /// rigid body, so that no constraint depends on the velocities.
    bool solve_again();

    const ContactProblem& problem() const { return problem_; }
    const ContactSolution& solution() const { return solution_; }
    /// Preconditioner::compliance() of the last solve.
    const std::vector<Vec3>& compliance() const { return compliance_; }
    /// Replaces the velocities of the solution (m/s, over the nodes).
    void set_velocities(const VecX& v) {
        solution_.v = v;
        elastic_residual_.resize(0);
        known_momentum_error_.reset();
    }
    /// Where the velocities of the solution led at the last update (stacked, m).
    const VecX& end_positions() const { return x_end_; }
    const VecX& update_end_positions();

    void record_residuals(bool record) { record_residuals_ = record; }
    const std::vector<SolverReport>& solves() const { return solves_; }
    /// Factor on eps_1, and on the changes of contacts that count, in the next solves. Rows are solved to their
    /// tolerance.
    void set_tolerance_factor(double factor) { tolerance_factor_ = factor; }
    double tolerance_factor() const { return tolerance_factor_; }

    /// `auto`: how many steps still begin with the augmented Lagrangian, since it took over in an earlier one.
    void take_direct_steps(const State& state);
    /// The same for the step after this one.
    void store_direct_steps(State& state) const;

    void fail(Status status, std::string cause);
    StepReport& report() { return report_; }
    PhaseTimers& timers() { return timers_; }
    /// Adds the times of the phases to the report.
    void report_phases();

private:
    /// Of Newton's method on the augmented Lagrangian.
    enum class Unknowns { velocities, forces };

    void group_bodies();
    double least_speed() const;
    void move_untouched(const ConstraintMatrix& constraints);
    bool solve_constraints(const ConstraintMatrix& constraints);
    const Preconditioner& preconditioner(PreconditionerKind kind);
    bool solve_automatically(const ConstraintMatrix& constraints);
    bool solve_with_residuals(const ConstraintMatrix& constraints);
    void restore(const ContactSolution& start);
    bool forces_fit() const;
    bool few_contacts() const;
    int worth_of_direct_solve() const;
    SolverReport solve_directly(const ConstraintMatrix& constraints);
    SolverReport solve_first(const ConstraintMatrix& constraints, int most_iterations);
    SolverOptions solver_options() const;
    bool exhausted();
    bool interrupted();
    SolverReport solve_by(SolverKind solver, const ConstraintMatrix& constraints, PreconditionerKind kind,
                          const SolverOptions& options, Unknowns unknowns = Unknowns::velocities);
    bool accept(const SolverReport& solved);
    std::string worst_pair() const;
    void count(const SolverReport& solved);
    void report_errors();
    const std::shared_ptr<const InverseDiagonal>& inverse_diagonal(PreconditionerKind kind);

    const Options& options_;
    const Limits& limits_;
    VelocityProblem& velocities_;
    StepContacts& contacts_;
    StepReport& report_;
    StepWatch* watch_;
    PhaseTimers timers_;
    ContactProblem problem_;
    ContactResponses responses_;
    std::shared_ptr<const InverseDiagonal> inverse_diagonal_;  ///< of the last linearisation; null: not made
    std::optional<ConstraintMatrix> constraints_;              ///< of the problem's contacts
    std::optional<Preconditioner> preconditioner_;             ///< of these; none: not made
    PreconditionerKind preconditioner_kind_{};
    ContactSolution solution_;
    std::vector<std::size_t> groups_;  ///< of the bodies, whose scales the problem has; empty: all are one
    VecX elastic_residual_;            ///< b - A v at the velocities of the solution; empty: not known
    VecX x_end_;
    std::vector<Vec3> compliance_;                ///< of the last solve
    bool errors_due_ = false;                     ///< those of the last solve are not in the report yet
    std::optional<double> known_momentum_error_;  ///< of the last solve, where the solver computed it with A
    bool record_residuals_ = false;
    std::vector<SolverReport> solves_;
    double tolerance_factor_ = 1.0;
    int spent_ = 0;               ///< iterations of all solves, of Options::max_step_iterations
    int direct_steps_ = 0;        ///< see take_direct_steps()
    bool took_over_ = false;      ///< the augmented Lagrangian, from conjugate residuals, in this step
    bool only_few_ = false;       ///< steps begin with it only where contacts are few
    bool direct_failed_ = false;  ///< it did not converge in this step
};

}  // namespace stiction::mlcp
