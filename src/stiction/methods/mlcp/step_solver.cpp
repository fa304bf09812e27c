#include "stiction/methods/mlcp/step_solver.hpp"

#include "stiction/dynamics/feasible_step.hpp"
#include "stiction/methods/mlcp/duplicates.hpp"

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stiction::mlcp {
namespace {

/// SolverOptions::start_share of the first solve of a step.
constexpr double first_start_share = 0.1;
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
