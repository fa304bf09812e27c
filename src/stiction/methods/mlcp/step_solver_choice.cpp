// Which solver has a contact problem, and which one takes over.
#include "stiction/methods/mlcp/step_solver.hpp"

#include <algorithm>

namespace stiction::mlcp {
namespace {

/// Steps that begin with the augmented Lagrangian after it took over. What made conjugate residuals slow stays, as a
/// rule.
constexpr int direct_steps = 16;
/// Contacts whose forces may be the unknowns of the augmented Lagrangian.
constexpr std::size_t most_contacts = 250;
/// With so few forces as unknowns cost less than a few hundred more iterations of conjugate residuals.
constexpr std::size_t very_few_contacts = 64;
/// With so few, forces cost less than a quarter of these iterations.
constexpr std::size_t fewest_contacts = 32;
/// Nodes up to which a factor of A costs no more than about fifty iterations of conjugate residuals. It costs
/// proportionally more with more nodes: its work grows with their square, that of an iteration with their number.
constexpr int few_nodes = 500;
/// Contacts times nodes: ContactResponses keeps 72 bytes for each.
constexpr std::size_t most_entries = 3'000'000;
/// Of conjugate residuals with all their help, where the augmented Lagrangian did not converge.
constexpr int last_iterations = 2000;
/// Of State::warm_start: as many bytes as such steps are left, `with_few` where only with few contacts.
const std::string direct_steps_key = "mlcp_direct_steps";
constexpr char with_few = 'f', with_any = 'x';

}  // namespace

/// Goes back to the solution before a solve that failed.
void StepSolver::restore(const ContactSolution& start) {
    solution_ = start;
    elastic_residual_.resize(0);
}

/// Whether forces may be the unknowns of the augmented Lagrangian.
bool StepSolver::forces_fit() const {
    const std::size_t count = problem_.contacts.size(), nodes = static_cast<std::size_t>(problem_.matrix->nodes());
    return problem_.matrix->elastic_nodes() > 0 && count <= most_contacts && count * nodes <= most_entries;
}

/// Whether they are the better ones: a solve with A for each row takes less than the factors of Newton's method over
/// velocities.
bool StepSolver::few_contacts() const {
    return forces_fit() && 30 * problem_.contacts.size() <= static_cast<std::size_t>(problem_.matrix->nodes());
}

/// Where Newton's method comes to no end, it gets a try over the other unknowns. Over forces Coulomb's law is solved
/// with all of its unknowns; over velocities a convex problem, as there is without friction, is solved for certain.
SolverReport StepSolver::solve_directly(const ConstraintMatrix& constraints) {
    // A start within the tolerances stays as it is. At those of early solves it would stay so for all of their rounds.
    set_tolerance_factor(1.0);
    const bool few = few_contacts();
    const ContactSolution start = solution_;
    const auto solve = [&](Unknowns unknowns) {
        // Only the preconditioner's estimates of compliance are used.
        return solve_by(SolverKind::augmented_lagrangian, constraints, PreconditionerKind::full, solver_options(),
                        unknowns);
    };
    const SolverReport solved = solve(few ? Unknowns::forces : Unknowns::velocities);
    const bool ended = solved.end == SolverEnd::converged || solved.end == SolverEnd::interrupted;
    if (ended || !is_accepted(report_.status) || !(few || forces_fit()) || exhausted()) return solved;
    restore(start);
    return solve(few ? Unknowns::velocities : Unknowns::forces);
}

/// Conjugate residuals for at most so many iterations, unless Options::factorise_after is 0: they have no help then.
SolverReport StepSolver::solve_first(const ConstraintMatrix& constraints, int most_iterations) {
    SolverOptions first = solver_options();
    if (options_.factorise_after > 0) {
        first.max_iterations = std::min(most_iterations, first.max_iterations);
        first.fallback_iterations = 0;
        first.max_settled_changes /= 4;
    }
    return solve_by(SolverKind::cr, constraints, options_.preconditioner, first);
}

/// A solve that converges slowly with the preconditioner of the options goes on with a Cholesky factor of A.
bool StepSolver::solve_with_residuals(const ConstraintMatrix& constraints) {
    if (options_.preconditioner != PreconditionerKind::factorised && options_.factorise_after > 0) {
        const SolverReport solved = solve_first(constraints, options_.factorise_after);
        if (solved.end == SolverEnd::converged || solved.end == SolverEnd::interrupted) return accept(solved);
        if (solved.end == SolverEnd::iteration_limit) {
            if (exhausted()) return false;
            report_.notes.push_back("contact problem preconditioned with a factor of A");
            return accept(solve_by(SolverKind::cr, constraints, PreconditionerKind::factorised, solver_options()));
        }
    }
    return accept(solve_by(SolverKind::cr, constraints, options_.preconditioner, solver_options()));
}

/// Iterations of conjugate residuals that cost as much as a solve by the augmented Lagrangian, which over velocities
/// takes about ten factors. With so many before it, both together cost at most twice the cheaper one.
int StepSolver::worth_of_direct_solve() const {
    if (few_contacts()) return options_.factorise_after;
    const double factors = std::max(1.0, problem_.matrix->nodes() / static_cast<double>(few_nodes));
    return static_cast<int>(std::min(factors * options_.factorise_after, 1e9));
}

/// Conjugate residuals need many iterations where bodies are stiff and rows redundant; the augmented Lagrangian needs
/// few then. What it does not solve either, conjugate residuals get with all their help, for a while: the rest is left
/// to shorter steps.
bool StepSolver::solve_automatically(const ConstraintMatrix& constraints) {
    const bool rigid = problem_.matrix->elastic_nodes() == 0;
    // With very few contacts the augmented Lagrangian is cheap, so conjugate residuals have their iterations once a
    // step.
    const bool once = few_contacts() && problem_.contacts.size() <= very_few_contacts && !direct_failed_ &&
                      options_.factorise_after > 0;
    const bool quarter = once && problem_.contacts.size() <= fewest_contacts;
    const int allowed = quarter ? (options_.factorise_after + 3) / 4 : worth_of_direct_solve();
    // Where a solve costs thousands of iterations, those that converge by themselves are not worth one.
    const bool lasting = few_contacts() || problem_.matrix->nodes() <= few_nodes;
    const int left = allowed - (once ? spent_ : 0);
    // Where earlier solves of the step had part of their iterations, many contacts may still be theirs.
    const bool had_less = once && spent_ > 0;
    const bool kept = direct_steps_ > 0 && lasting && (once || !only_few_);
    const bool direct = !direct_failed_ && (rigid || kept || (took_over_ && lasting) || (once && left <= 0));
    const ContactSolution start = solution_;
    if (!direct) {
        const SolverReport first = solve_first(constraints, left);
        if (first.end == SolverEnd::converged || first.end == SolverEnd::interrupted || options_.factorise_after == 0)
            return accept(first);
        if (exhausted()) return false;
        restore(start);
    }
    if (!direct_failed_) {
        const SolverReport solved = solve_directly(constraints);
        if (solved.end == SolverEnd::converged || solved.end == SolverEnd::interrupted) {
            if (!took_over_ && !rigid && !kept) only_few_ = had_less;
            took_over_ = took_over_ || (lasting && !(rigid || kept));
            if (!rigid) report_.notes.push_back("contact problem solved by the augmented Lagrangian");
            return accept(solved);
        }
        direct_failed_ = true;
        if (exhausted()) return false;
        restore(start);
    }
    report_.notes.push_back("contact problem preconditioned with a factor of A");
    SolverOptions last = solver_options();
    last.max_iterations = std::min(last.max_iterations, last_iterations);
    return accept(solve_by(SolverKind::cr, constraints, PreconditionerKind::factorised, last));
}

void StepSolver::take_direct_steps(const State& state) {
    const auto entry = state.warm_start.find(direct_steps_key);
    direct_steps_ = entry == state.warm_start.end() ? 0 : static_cast<int>(entry->second.size());
    only_few_ = direct_steps_ > 0 && entry->second.front() == with_few;
}

void StepSolver::store_direct_steps(State& state) const {
    const int left = direct_failed_ ? 0 : took_over_ ? direct_steps : direct_steps_ - 1;
    state.warm_start.erase(direct_steps_key);
    if (left > 0)
        state.warm_start[direct_steps_key] =
            std::string(static_cast<std::size_t>(left), only_few_ ? with_few : with_any);
}

}  // namespace stiction::mlcp
