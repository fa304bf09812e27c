// What every contact solver is given, and what it reports.
#pragma once

#include "stiction/methods/mlcp/solvers/contact_responses.hpp"
#include "stiction/methods/mlcp/solvers/preconditioner.hpp"
#include "stiction/world/step_watch.hpp"

#include <string>
#include <vector>

namespace stiction::mlcp {

/// When the contacts of a solved active set are accepted.
enum class Acceptance {
    strict,     ///< friction is the projection of Coulomb's law, and no contact pulls, to within the tolerance
    published,  ///< Verschoor and Jalba 2019, Algorithm 2: the tests made while iterating find nothing to change
};

/// How conjugate residuals find contact states and the friction of sliding contacts.
enum class FrictionUpdate {
    exact,      ///< Coulomb's law of every contact is solved at each evaluation; at convergence as `newton`
    newton,     ///< size by Anderson acceleration, direction by a Newton step
    published,  ///< Verschoor and Jalba 2019, Algorithm 3
    pyramid,    ///< a rival: a friction pyramid in place of the cone; size by Anderson acceleration
};

/// What bench/results/mlcp_ablation.md switches off in conjugate residuals, one by one; no scene sets it.
struct Variants {
    bool back_off = true;  ///< contacts that switch often, and friction that reaches no fixed point, wait longer
    /// Factor on eps_1 and on the changes of contacts that count, for solves that add contacts to those of the start.
    /// Half of it under the published acceptance, whose changes that count are four times as large.
    double early_tolerance = 10.0;
    double restart_growth = 0.2;  ///< `exact`: iterations that an evaluation waits for each one before it
    int evaluations = 20;         ///< `exact`: of a solve, at most; later ones are those of `newton`
    int sweeps = 30;              ///< `exact`: of an evaluation over the contacts, at most
    bool carry_momentum = true;   ///< steps make up for the momentum that earlier ones left unbalanced
    bool minres = false;          ///< MINRES in place of conjugate residuals, with the preconditioner `diagonal`
    bool hand_over = true;        ///< b - A v of a solve is that of the next, and early solves end without a new one
};

/// The residual after an iteration.
struct ResidualSample {
    double momentum = 0.0;   ///< of the momentum balance, over eps_1
    double rows = 0.0;       ///< largest of the active rows, over their tolerance
    bool restarted = false;  ///< contacts changed after this iteration
};

/// When a contact solver stops.
struct SolverOptions {
    double tolerance = 5e-5;  ///< eps_1 (-): residual of the momentum balance over ContactProblem::scale()
    /// eps_2 (m): smaller changes of contacts are postponed. A contact has its share of it.
    double distance_tolerance = 5e-6;
    /// Share of eps_1, and for cr of eps_2, within which a start is a solution. Below 1 where the start continues the
    /// last change of the velocities: an error that is within the tolerances would stay the same from step to step.
    double start_share = 1.0;
    double row_share = 1.0;  ///< residual of the active rows that cr allows, over distance_tolerance
    int max_iterations = 20000;
    /// The equations of one active set may be solved this often before the solver reports a cycle of active sets.
    int max_settled_changes = 400;
    /// Conjugate residuals alone. They get a quarter of max_iterations and of max_settled_changes. If they have not
    /// converged then, constraint anticipation takes at most this many iterations; conjugate residuals go on from what
    /// it leaves. 0: no such fallback.
    int fallback_iterations = 1000;
    Acceptance acceptance = Acceptance::strict;
    FrictionUpdate friction_update = FrictionUpdate::exact;
    Variants variants;
    /// Whether cr ends with a residual that is computed anew with A. If not, that of the recurrences, whose products
    /// are in single precision, ends it.
    bool confirm = true;
    /// How often cr may cut friction to its cones at the end, where the momentum that this changes is not within
    /// `tolerance`; under the strict acceptance. Each cut loads the contacts that still stick. 0: friction stays.
    int friction_cuts = 8;
    bool record_residuals = false;  ///< fills SolverReport::residuals; cr only
    StepWatch* watch = nullptr;     ///< follows the iterations, and may interrupt the solve; null: nobody does
    int iterations_before = 0;      ///< of earlier solves of the step, for the watch

    /// Whether the solve has to end with SolverEnd::interrupted.
    /// @param residual  SolverReport::residual so far
    bool interrupted(int iterations, double residual) const {
        return watch != nullptr && !watch->go_on(iterations_before + iterations, residual);
    }
};

/// How a solve ended.
enum class SolverEnd {
    converged,
    over_constrained,  ///< the active rows contradict each other; the result is a least-squares solution
    iteration_limit,
    cycling,      ///< see SolverOptions::max_settled_changes; or a rival stopped without a solution
    breakdown,    ///< no search direction is left, or a number is not finite
    interrupted,  ///< by SolverOptions::watch
    stagnation,   ///< the augmented Lagrangian: the errors of contacts do not decrease any more
};

/// The end in words, for the cause of a failed step.
std::string describe(SolverEnd end);

/// How a contact solver ended, and what that took.
struct SolverReport {
    SolverEnd end = SolverEnd::iteration_limit;
    /// Counted as Verschoor and Jalba (2019) count:
    ///     cr, sp_active_set, sp   products with the saddle-point matrix
    ///     ica                     conjugate gradients of the first velocity, and outer iterations
    ///     pgs                     sweeps over all contacts
    /// and augmented_lagrangian by its factorisations, of A + L^T D L or of matrices of the size of W
    int iterations = 0;
    /// What the iterations of all solvers compare by: products with A. A solve with a factor of A counts as one, so
    /// does a sweep of Gauss-Seidel over its nodes, and for pgs a sweep over the contacts, a product with W. The set-up
    /// of pgs is not among them. augmented_lagrangian: those of its checks alone.
    int products = 0;
    /// cr (`exact`) and ica: contacts solved with the diagonal of A in place of A, over the number of contacts.
    double sweeps = 0.0;
    int mode_switches = 0;          ///< cr, sp_active_set and sp: contacts that opened, closed, stuck or began to slide
    int evaluations = 0;            ///< cr: evaluations of all contacts
    int restarts = 0;               ///< cr: of the recurrences
    int settled_changes = 0;        ///< cr: active sets that were solved and then changed
    bool friction_is_left = false;  ///< cr: after all cuts friction is outside its cones by more than the tolerance
    int fallbacks = 0;              ///< cr: times that constraint anticipation took over
    int fallback_iterations = 0;    ///< cr: iterations of constraint anticipation; not among `iterations`
    double residual = 0.0;          ///< of the momentum balance, over ContactProblem::scale()
    double setup_seconds = 0.0;     ///< pgs: time to form the Delassus operator. No decision depends on it
    std::vector<ResidualSample> residuals;  ///< after every iteration, where they are recorded
    VecX elastic_residual;  ///< cr: b - A v (kg m/s) at the end, for SolverTask::elastic_residual; others: empty
};

/// A contact problem as its solvers see it. Everything but `solve` is kept by reference.
struct SolverTask {
    const ContactProblem& problem;
    const ConstraintMatrix& constraints;   ///< of the problem's contacts
    const Preconditioner& preconditioner;  ///< cr uses it; sp and sp_active_set use its diagonal part, ica and pgs its
                                           ///< compliance
    const SolverOptions& options;
    Preconditioner::Solve solve = {};  ///< x = A^-1 r over all nodes; pgs needs it, and responses do
    /// Of the problem's contacts: the augmented Lagrangian is minimised over their forces then. Null: over velocities.
    const ContactResponses* responses = nullptr;
    /// b - A v (kg m/s) at the velocities that the solve starts from; null: cr computes it.
    const VecX* elastic_residual = nullptr;
};

/// The test of convergence of the rivals; sets report.residual. The momentum error of contact_errors() must be within
/// `tolerance`; its sticking and sliding errors, and |min(gap, compliance times normal force)|, within
/// `distance_tolerance`.
bool is_solution(const SolverTask& task, const ContactSolution& solution, SolverReport& report);

/// Contact forces f (N) such that A v = b + L^T f, cut to Coulomb's cone: lambda and -gamma of every contact.
VecX cone_forces(const ContactProblem& problem, const ContactSolution& solution);

/// Sets modes and multipliers of all contacts to those of the forces f (N).
void take_forces(const ContactProblem& problem, const VecX& f, ContactSolution& solution);

}  // namespace stiction::mlcp
