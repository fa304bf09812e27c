#include "stiction/methods/mlcp/step_solver.hpp"

#include "stiction/dynamics/feasible_step.hpp"
#include "stiction/methods/mlcp/duplicates.hpp"

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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
/// SolverOptions::start_share of the first solve of a step.
constexpr double first_start_share = 0.1;
/// Of State::warm_start: as many bytes as such steps are left, `with_few` where only with few contacts.
const std::string direct_steps_key = "mlcp_direct_steps";
constexpr char with_few = 'f', with_any = 'x';

}  // namespace

StepSolver::StepSolver(const Options& options, const Limits& limits, VelocityProblem& velocities,
                       StepContacts& contacts, StepReport& report, StepWatch* watch)
    : options_(options), limits_(limits), velocities_(velocities), contacts_(contacts), report_(report), watch_(watch) {
    ComplementarityReport& contact = report_.complementarity.emplace();
    contact.momentum_tolerance = options.tolerance;
    contact.distance_tolerance = limits.distance;
    solution_.v = velocities.predicted_velocity();
    update_end_positions();
}

const VecX& StepSolver::update_end_positions() {
    x_end_ = velocities_.positions(solution_.v);
    return x_end_;
}

bool StepSolver::linearise(const VecX& x) {
    const ScopedTimer timer(timers_, "assembly");
    report_errors();
    velocities_.linearise(x);
    ++report_.complementarity->elastic_linearisations;
    if (velocities_.projects_fillings()) {
        const std::string note = "stiffness of fillings projected: it would take the inertia of their walls away";
        if (std::ranges::find(report_.notes, note) == report_.notes.end()) report_.notes.push_back(note);
    }
    responses_.clear();
    elastic_residual_.resize(0);
    inverse_diagonal_.reset();
    preconditioner_.reset();
    problem_.groups.clear();
    groups_.clear();
    problem_.matrix = &velocities_.matrix();
    problem_.rhs = velocities_.rhs();
    problem_.momentum_scale = options_.acceptance == Acceptance::published
                                  ? 0.0
                                  : velocities_.momentum_scale(least_speed(), limits_.distance_share);
    // The rivals are measured by the norm over the whole scene, as in the paper.
    const bool rival =
        options_.solver && *options_.solver != SolverKind::cr && *options_.solver != SolverKind::augmented_lagrangian;
    if (options_.acceptance == Acceptance::strict && !rival)
        problem_.bodies = velocities_.body_momenta(problem_.momentum_scale, least_speed(), limits_.distance_share);
    if (problem_.rhs.allFinite()) return true;
    fail(Status::infeasible_start,
         "forces are not finite where elasticity is linearised: an element is inverted or collapsed");
    return false;
}

bool StepSolver::solve() {
    if (exhausted() || interrupted()) return false;
    const ScopedTimer timer(timers_, "solve");
    errors_due_ = false;
    contacts_.fill(solution_.v, x_end_, problem_.contacts);
    count_duplicates(contacts_.world(), contacts_.list(), problem_.contacts);
    solution_.contacts.clear();
    for (const StepContact& contact : contacts_.list()) solution_.contacts.push_back(contact.unknowns);
    preconditioner_.reset();
    constraints_.emplace(problem_.matrix->nodes(), problem_.contacts);
    group_bodies();
    move_untouched(*constraints_);
    return solve_constraints(*constraints_);
}

/// At this speed a body moves in a step by what no error of a contact shows (m/s).
double StepSolver::least_speed() const {
    return 0.01 * limits_.distance / velocities_.h();
}

/// Groups of bodies that contacts connect balance by themselves. One group is all bodies.
void StepSolver::group_bodies() {
    if (problem_.bodies.size() < 2) return;
    std::vector<std::size_t> groups = contacts_.groups();
    const std::size_t count = *std::ranges::max_element(groups) + 1;
    if (count == 1) groups.clear();
    if (groups == groups_) return;
    groups_ = std::move(groups);
    if (count > 1) {
        velocities_.measure_groups(groups_, count, least_speed(), limits_.distance_share, problem_);
    } else {
        problem_.groups.clear();
        problem_.bodies = velocities_.body_momenta(problem_.momentum_scale, least_speed(), limits_.distance_share);
    }
}

/// Rigid bodies without contacts have their velocities at once. What iterations over all bodies find for the others
/// does not depend on them then. Where there are no others, the iterations find them.
void StepSolver::move_untouched(const ConstraintMatrix& constraints) {
    const VelocityMatrix& matrix = *problem_.matrix;
    if (matrix.elastic_nodes() == 0 && constraints.touched().empty()) return;
    for (std::size_t i = 0; i < matrix.rigid.size(); ++i) {
        const Index node = matrix.elastic_nodes() + static_cast<Index>(i);
        if (std::ranges::binary_search(constraints.touched(), node)) continue;
        const auto at = 3 * static_cast<Eigen::Index>(node);
        const Vec3 right = problem_.rhs.segment<3>(at);
        solution_.v.segment<3>(at) = matrix.rigid[i].ldlt().solve(right);
        if (elastic_residual_.size() > 0)
            elastic_residual_.segment<3>(at) = right - matrix.rigid[i] * solution_.v.segment<3>(at);
    }
}

bool StepSolver::solve_again() {
    if (exhausted() || interrupted()) return false;
    const ScopedTimer timer(timers_, "solve");
    errors_due_ = false;
    return solve_constraints(*constraints_);
}

bool StepSolver::solve_constraints(const ConstraintMatrix& constraints) {
    // The published acceptance and the pyramid are those of conjugate residuals.
    const bool published =
        options_.acceptance == Acceptance::published || options_.friction_update == FrictionUpdate::pyramid;
    if (!options_.solver && !published) return solve_automatically(constraints);
    const SolverKind solver = options_.solver.value_or(SolverKind::cr);
    if (solver == SolverKind::cr) return solve_with_residuals(constraints);
    if (solver == SolverKind::augmented_lagrangian) return accept(solve_directly(constraints));
    return accept(solve_by(solver, constraints, options_.preconditioner, solver_options()));
}

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

SolverOptions StepSolver::solver_options() const {
    SolverOptions options;
    const bool published = options_.acceptance == Acceptance::published;
    options.acceptance = options_.acceptance;
    options.friction_update = options_.friction_update;
    options.variants = options_.variants;
    options.record_residuals = record_residuals_;
    options.confirm = tolerance_factor_ <= 1.0 || !options_.variants.hand_over;
    options.tolerance = tolerance_factor_ * options_.tolerance;
    if (tolerance_factor_ > 1.0) options.friction_cuts = 0;
    if (solves_.empty()) options.start_share = first_start_share;
    // The target of a gap is the middle of (0, eps_2). With a quarter of eps_2 as the tolerance of the rows, a quarter
    // on either side is left for the error of the linearisation.
    options.distance_tolerance = tolerance_factor_ * (published ? 1.0 : 0.25) * limits_.distance;
    options.row_share = (published ? 0.35 : 1.0) / tolerance_factor_;
    const int left = std::max(options_.max_step_iterations - spent_, 1);
    options.max_iterations = std::min(options_.max_iterations, left);
    options.fallback_iterations = std::min(options_.fallback_iterations, left);
    options.watch = watch_;
    options.iterations_before = report_.iterations;
    return options;
}

/// Whether the iterations of the step are spent; the step has failed then.
bool StepSolver::exhausted() {
    if (spent_ < options_.max_step_iterations) return false;
    fail(Status::iteration_limit,
         fmt::format("{} iterations in {} solves of the step; the last contact problem has {} rows", spent_,
                     report_.linear_solves, solution_.contacts.size()));
    return true;
}

/// Whether nobody waits for the step any more; the step has failed then.
bool StepSolver::interrupted() {
    if (watch_ == nullptr || watch_->go_on(report_.iterations, report_.residual)) return false;
    fail(Status::interrupted, "");
    return true;
}

/// A_d^-1, made once a linearisation as long as the kind stays the same.
const std::shared_ptr<const InverseDiagonal>& StepSolver::inverse_diagonal(PreconditionerKind kind) {
    if (inverse_diagonal_ == nullptr || inverse_diagonal_->has_blocks() != has_blocks(kind))
        inverse_diagonal_ = std::make_shared<const InverseDiagonal>(kind, *problem_.matrix);
    return inverse_diagonal_;
}

/// C^-1, made once a set of constraints as long as the kind stays the same.
const Preconditioner& StepSolver::preconditioner(PreconditionerKind kind) {
    if (!preconditioner_ || preconditioner_kind_ != kind) {
        const auto solve = [this](const VecX& r, VecX& x) { velocities_.solve(r, x); };
        preconditioner_.emplace(kind, inverse_diagonal(kind), *constraints_, solve);
        preconditioner_kind_ = kind;
    }
    return *preconditioner_;
}

SolverReport StepSolver::solve_by(SolverKind solver, const ConstraintMatrix& constraints, PreconditionerKind kind,
                                  const SolverOptions& options, Unknowns unknowns) {
    const bool forces = unknowns == Unknowns::forces,
               factor = forces || kind == PreconditionerKind::factorised || solver == SolverKind::pgs;
    if (factor && !velocities_.factorise()) {
        fail(Status::linear_solve_failed, "A is not positive definite");
        SolverReport failed;
        failed.end = SolverEnd::breakdown;
        return failed;
    }
    const auto solve = [&](const VecX& r, VecX& x) { velocities_.solve(r, x); };
    if (solver == SolverKind::cr) velocities_.round();
    const Preconditioner& preconditioner = this->preconditioner(kind);
    if (forces) responses_.update(problem_.matrix->nodes(), problem_.contacts, solve);
    SolverReport solved =
        solve_with(solver,
                   {problem_, constraints, preconditioner, options, solve, forces ? &responses_ : nullptr,
                    elastic_residual_.size() > 0 ? &elastic_residual_ : nullptr},
                   solution_);
    elastic_residual_.swap(solved.elastic_residual);
    if (!options_.variants.hand_over) elastic_residual_.resize(0);
    solved.elastic_residual.resize(0);
    for (std::size_t k = 0; k < solution_.contacts.size(); ++k) {
        StepContact& contact = contacts_.list()[k];
        contact.unknowns = solution_.contacts[k];
        contact.tangential_compliance = 0.5 * (preconditioner.compliance()[k][1] + preconditioner.compliance()[k][2]);
        contact.sliding_coefficient = problem_.contacts[k].kinetic_ratio * problem_.contacts[k].friction;
    }
    compliance_ = preconditioner.compliance();
    errors_due_ = true;
    known_momentum_error_.reset();
    if (solver == SolverKind::cr && solved.end == SolverEnd::converged && solved.fallbacks == 0 && options.confirm)
        known_momentum_error_ = solved.residual;
    count(solved);
    return solved;
}

/// Names the pair whose rows miss their targets most.
std::string StepSolver::worst_pair() const {
    double most = 0.0;
    const StepContact* worst = nullptr;
    for (std::size_t k = 0; k < problem_.contacts.size(); ++k) {
        const Vec3 miss = relative_motion(problem_.contacts[k], solution_.v);
        const ContactMode mode = solution_.contacts[k].mode;
        double size = mode == ContactMode::open ? -miss[0] : std::abs(miss[0]);
        if (mode == ContactMode::sticking) size = std::max(size, miss.tail<2>().norm());
        if (!(size > most)) continue;
        most = size;
        worst = &contacts_.list()[k];
    }
    if (worst == nullptr) return "";
    return fmt::format("; farthest from its target, by {:.3g} m: {}", most,
                       describe_stencil(contacts_.world(), worst->pair.key.vertices));
}

/// Whether a solve has converged; if not, the step has failed.
bool StepSolver::accept(const SolverReport& solved) {
    if (solved.end == SolverEnd::converged) return true;
    if (!is_accepted(report_.status)) return false;  // the cause is known
    if (solved.end == SolverEnd::interrupted) {
        fail(Status::interrupted, "");
        return false;
    }
    if (exhausted()) return false;
    fail(Status::iteration_limit,
         fmt::format("contact problem of {} rows, {} iterations: {}{}", solution_.contacts.size(), solved.iterations,
                     describe(solved.end), worst_pair()));
    return false;
}

/// The errors of the last solve, which replace those of the one before: a step needs them once.
void StepSolver::report_errors() {
    if (!errors_due_) return;
    errors_due_ = false;
    const ScopedTimer timer(timers_, "solve");
    // Conjugate residuals end with a product with A: their residual is the error.
    ContactErrors errors = known_momentum_error_ ? row_errors(problem_, solution_, compliance_)
                                                 : contact_errors(problem_, solution_, compliance_);
    if (known_momentum_error_) errors.momentum = *known_momentum_error_;
    ComplementarityReport& total = *report_.complementarity;
    total.momentum_error = errors.momentum;
    total.normal_error = errors.normal;
    total.sticking_error = errors.sticking;
    total.sliding_error = errors.sliding;
}

void StepSolver::count(const SolverReport& solved) {
    ComplementarityReport& total = *report_.complementarity;
    total.rows = static_cast<int>(problem_.contacts.size());
    total.constraints = total.sticking = total.sliding = 0;
    for (std::size_t k = 0; k < problem_.contacts.size(); ++k) {
        if (solution_.contacts[k].mode == ContactMode::open) continue;
        total.constraints += problem_.contacts[k].friction > 0.0 ? 3 : 1;
        ++(solution_.contacts[k].mode == ContactMode::sticking ? total.sticking : total.sliding);
    }
    ++total.solves;
    solves_.push_back(solved);
    total.mode_switches += solved.mode_switches;
    total.fallbacks += solved.fallbacks;
    total.setup_seconds += solved.setup_seconds;
    if (solved.friction_is_left)
        report_.notes.push_back("friction outside its cone by more momentum than the tolerance allows");
    if (solved.fallbacks > 0) report_.notes.push_back("contact problem helped by constraint anticipation");
    report_.iterations += solved.iterations;
    spent_ += solved.iterations + solved.fallback_iterations;
    ++report_.linear_solves;
    report_.residual = solved.residual;
    IterationTrace trace;
    trace.residual = solved.residual;
    trace.contacts = static_cast<int>(solution_.contacts.size());
    trace.line_search = solved.iterations;
    report_.trace.push_back(trace);
}

void StepSolver::fail(Status status, std::string cause) {
    report_.status = status;
    report_.cause = std::move(cause);
}

void StepSolver::report_phases() {
    report_errors();
    for (const auto& [phase, ms] : timers_.milliseconds()) report_.phases_ms[phase] += ms;
}

}  // namespace stiction::mlcp
