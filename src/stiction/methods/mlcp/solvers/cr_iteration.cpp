#include "stiction/methods/mlcp/solvers/cr_iteration.hpp"

#include "stiction/linalg/vector_ops.hpp"

#include <algorithm>
#include <cmath>

namespace stiction::mlcp {
namespace {

/// Times that products with A in single precision may lead to a residual which A itself does not confirm.
constexpr int patience_with_rounding = 3;

double saddle_dot(const SaddleVector& x, const SaddleVector& y) {
    return dot(x.v, y.v) + dot(x.c, y.c);
}
/// The same, or NaN where the two parts cancel to rounding and the sum is no divisor.
double saddle_dot_or_nan(const SaddleVector& x, const SaddleVector& y) {
    constexpr double rounding = 1e-13;
    const double v = dot(x.v, y.v), c = dot(x.c, y.c);
    return std::abs(v + c) > rounding * (std::abs(v) + std::abs(c)) ? v + c : std::numeric_limits<double>::quiet_NaN();
}
void axpy(double a, const SaddleVector& x, SaddleVector& y) {
    y.v += a * x.v;
    y.c += a * x.c;
}

}  // namespace

CrIteration::CrIteration(const SolverTask& task, ContactSolution& solution)
    : problem_(task.problem),
      constraints_(task.constraints),
      preconditioner_(task.preconditioner),
      options_(task.options),
      given_residual_(task.elastic_residual),
      solution_(solution),
      momentum_scale_(task.problem.scale()),
      row_tolerance_(task.options.row_share * task.options.distance_tolerance),
      switches_(task.constraints.size(), 0) {
    use_diagonal_ = options_.variants.minres;  // it needs a positive definite one
    y_.v = solution_.v;
    take_contacts();
}

void CrIteration::take_contacts() {
    best_ratio_ = std::numeric_limits<double>::infinity();
    best_iteration_ = report_.iterations;
    y_.c.setZero(3 * static_cast<Eigen::Index>(constraints_.size()));
    rows_.resize(constraints_.size());
    for (std::size_t k = 0; k < constraints_.size(); ++k) {
        const ContactUnknowns& unknowns = solution_.contacts[k];
        rows_[k] = active_rows(constraints_.contacts()[k], unknowns);
        if (rows_[k].count > 0) y_.c[3 * static_cast<Eigen::Index>(k)] = -unknowns.normal;
        if (rows_[k].count > 1) y_.c.segment<2>(3 * static_cast<Eigen::Index>(k) + 1) = unknowns.sticking;
    }
}

void CrIteration::store_contacts() {
    for (std::size_t k = 0; k < constraints_.size(); ++k) {
        ContactUnknowns& unknowns = solution_.contacts[k];
        if (rows_[k].count > 0) unknowns.normal = -y_.c[3 * static_cast<Eigen::Index>(k)];
        if (rows_[k].count > 1) unknowns.sticking = y_.c.segment<2>(3 * static_cast<Eigen::Index>(k) + 1);
    }
}

/// The product with A, or with A in single precision.
void CrIteration::multiply_elastic(const VecX& v, VecX& product, bool exact) {
    ++report_.products;
    if (exact) {
        problem_.matrix->multiply(v, product);
    } else {
        problem_.matrix->multiply_rounded(v, product);
    }
}

void CrIteration::multiply(const SaddleVector& x, SaddleVector& out) {
    multiply_elastic(x.v, out.v, exact_);
    constraints_.add_transposed(x.c, out.v);
    constraints_.multiply(x.v, rows_, out.c);
    add_compliance(rows_, -1.0, x.c, out.c);
}

/// m of b - A v - L^T m: multipliers of the active rows, and the friction that is given.
VecX CrIteration::multipliers() const {
    VecX m = y_.c;
    for (std::size_t k = 0; k < constraints_.size(); ++k)
        m.segment<2>(3 * static_cast<Eigen::Index>(k) + 1) += solution_.contacts[k].sliding;
    return m;
}

/// Lines 19 to 21: r = d - B y of the present active set. No product with A is needed: r.v changes by what the
/// multipliers have changed in the last evaluation of contacts.
void CrIteration::restart() {
    const VecX now = multipliers();
    constraints_.add_transposed(multipliers_ - now, r_.v);
    multipliers_ = now;
    constraints_.multiply(y_.v, rows_, r_.c);
    r_.c = -r_.c;
    for (std::size_t k = 0; k < constraints_.size(); ++k) {
        r_.c.segment<3>(3 * static_cast<Eigen::Index>(k)) += on_active(rows_[k], problem_.contacts[k].target);
    }
    add_compliance(rows_, 1.0, y_.c, r_.c);
    directed_ = false;
    minimal_.reset();
    since_evaluation_ = 0;
    measure_residual();
    ratio_at_restart_ = residual_ratio();
    ++report_.restarts;
}

/// The first direction after a restart. It is made when it is needed: contacts often change before.
void CrIteration::direct() {
    if (directed_) return;
    precondition(r_, z_);
    multiply(z_, Bz_);
    zBz_ = saddle_dot_or_nan(z_, Bz_);
    directed_ = first_ = true;
}

void CrIteration::record(bool restarted) {
    if (!options_.record_residuals) return;
    report_.residuals.push_back({momentum_error_ / options_.tolerance, row_error_ / row_tolerance_, restarted});
}

/// The same iteration by MINRES. Contacts are evaluated as often.
bool CrIteration::advance_by_minimal_residuals() {
    const auto multiply_by = [&](const SaddleVector& x, SaddleVector& out) { multiply(x, out); };
    const auto precondition_by = [&](const SaddleVector& x, SaddleVector& out) { precondition(x, out); };
    if (!minimal_) minimal_.emplace(r_, precondition_by);
    if (!minimal_->advance(multiply_by, precondition_by, y_, r_)) return false;
    measure_residual();
    ++report_.iterations;
    ++since_evaluation_;
    const bool changed = evaluation_is_due() && evaluate_while_iterating();
    if (changed) restart();
    record(changed);
    return true;
}

/// Lines 9 to 17, one iteration. False: the recurrences break down.
bool CrIteration::advance() {
    if (options_.variants.minres) return advance_by_minimal_residuals();
    direct();
    if (first_) std::swap(Bp_, Bz_);
    precondition(Bp_, PBp_);
    const double length = saddle_dot_or_nan(Bp_, PBp_);
    const double alpha = zBz_ / length;
    if (!std::isfinite(alpha) || alpha == 0.0) return false;
    move(alpha);
    measure_residual();
    ++report_.iterations;
    ++since_evaluation_;
    const bool changed = alpha > 0.0 && evaluation_is_due() && evaluate_while_iterating();
    if (changed) restart();
    record(changed);
    if (changed) return true;
    const double before = zBz_;
    multiply(z_, Bz_);
    zBz_ = saddle_dot_or_nan(z_, Bz_);
    const double beta = zBz_ / before;
    if (!std::isfinite(beta)) return false;
    turn(beta);
    return true;
}

/// y += alpha p, and what follows from it, in one pass. The first p is z.
void CrIteration::move(double alpha) {
    p_.v.resize(z_.v.size());
    for_blocks(y_.v.size(), [&](Eigen::Index at, Eigen::Index size) {
        if (first_) p_.v.segment(at, size) = z_.v.segment(at, size);
        y_.v.segment(at, size) += alpha * p_.v.segment(at, size);
        r_.v.segment(at, size) -= alpha * Bp_.v.segment(at, size);
        z_.v.segment(at, size) -= alpha * PBp_.v.segment(at, size);
    });
    if (first_) p_.c = z_.c;
    first_ = false;
    y_.c += alpha * p_.c;
    r_.c -= alpha * Bp_.c;
    z_.c -= alpha * PBp_.c;
}

/// p = z + beta p, and B p.
void CrIteration::turn(double beta) {
    for_blocks(y_.v.size(), [&](Eigen::Index at, Eigen::Index size) {
        p_.v.segment(at, size) = z_.v.segment(at, size) + beta * p_.v.segment(at, size);
        Bp_.v.segment(at, size) = Bz_.v.segment(at, size) + beta * Bp_.v.segment(at, size);
    });
    p_.c = z_.c + beta * p_.c;
    Bp_.c = Bz_.c + beta * Bp_.c;
}

/// Moves along p to the minimum of r . D r, and leaves r as it is. False: there is hardly anything to gain.
bool CrIteration::descend(const SaddleVector& p) {
    constexpr double least_gain = 1e-6;
    SaddleVector Bp, DBp, Dr;
    multiply(p, Bp);
    preconditioner_.apply_diagonal(Bp, rows_, DBp);
    preconditioner_.apply_diagonal(r_, rows_, Dr);
    const double along = saddle_dot(r_, DBp), length = saddle_dot(Bp, DBp);
    if (!(along * along > least_gain * length * saddle_dot(r_, Dr))) return false;  // true for NaN
    axpy(along / length, p, y_);
    ++report_.iterations;
    return true;
}

/// After a breakdown of the recurrences, where a product with an indefinite matrix vanishes though r does not: one step
/// of descent along z, or along the gradient. False: neither descends, so the iterate is a least-squares solution.
bool CrIteration::restart_by_descent() {
    direct();
    if (descend(z_)) return true;
    SaddleVector Dr, BDr, gradient;
    preconditioner_.apply_diagonal(r_, rows_, Dr);
    multiply(Dr, BDr);
    preconditioner_.apply_diagonal(BDr, rows_, gradient);
    return descend(gradient);
}

void CrIteration::measure_residual() {
    momentum_error_ = problem_.momentum_error(r_.v);
    row_error_ = constraints_.largest(r_.c);
}

/// Residual over tolerance: at most 1 where the equations of the active set are solved.
double CrIteration::residual_ratio() const {
    return std::max(momentum_error_ / options_.tolerance, row_error_ / row_tolerance_);
}

void CrIteration::precondition(const SaddleVector& r, SaddleVector& z) const {
    if (use_diagonal_) {
        preconditioner_.apply_diagonal(r, rows_, z);
    } else {
        preconditioner_.apply(r, rows_, z);
    }
}

/// Whether the residual has stopped decreasing. An indefinite preconditioner allows that where rows nearly contradict
/// each other.
bool CrIteration::stagnates() {
    constexpr double gain = 0.9;
    const double patience = 200.0 + 2.0 * std::sqrt(static_cast<double>(y_.v.size() + y_.c.size()));
    const double ratio = residual_ratio();
    if (ratio < gain * best_ratio_) {
        best_ratio_ = ratio;
        best_iteration_ = report_.iterations;
    }
    return report_.iterations - best_iteration_ > patience;
}

/// Whether the momentum balance has converged and the rows have not for many iterations. Rows that nearly contradict
/// each other do that: their multipliers drift for a long time before one changes its sign.
bool CrIteration::rows_contradict() {
    constexpr double gain = 0.9, settled = 0.3;
    const double ratio = residual_ratio();
    if (ratio <= 1.0 || momentum_error_ > settled * ratio * options_.tolerance) return false;
    if (ratio < gain * best_row_ratio_) {
        best_row_ratio_ = ratio;
        best_row_iteration_ = report_.iterations;
    }
    return report_.iterations - best_row_iteration_ > row_patience_;
}

/// Switches contacts whose rows have the largest residuals, and restarts.
void CrIteration::release_contradictory_rows() {
    if (evaluate(Progress::contradictory)) restart();
    row_patience_ *= 1.5;
    best_row_ratio_ = std::numeric_limits<double>::infinity();
    best_row_iteration_ = report_.iterations;
}

/// Of the tolerances.
double CrIteration::share_now() const {
    return report_.iterations == 0 ? options_.start_share : 1.0;
}

bool CrIteration::is_solved() const {
    return momentum_error_ <= share_now() * options_.tolerance && row_error_ <= row_tolerance_;
}

/// Section 4.3: the gradient of |r| vanishes, though r does not.
bool CrIteration::is_least_squares() {
    constexpr double fraction = 1e-2, relative = 1e-5;
    if (options_.variants.minres) return false;  // it has no B z, so a breakdown tells
    direct();
    if (constraints_.largest(Bz_.c) > fraction * row_tolerance_ ||
        norm(Bz_.v) > fraction * options_.tolerance * momentum_scale_)
        return false;
    // With an ill-conditioned A the gradient is small long before it vanishes.
    SaddleVector Dr, DBz;
    preconditioner_.apply_diagonal(r_, rows_, Dr);
    preconditioner_.apply_diagonal(Bz_, rows_, DBz);
    return saddle_dot(Bz_, DBz) <= relative * relative * saddle_dot(r_, Dr);
}

/// At a solution of the active set: evaluates the contacts. True: nothing changes, and the solve is over.
bool CrIteration::finish_active_set(Progress progress) {
    if (!evaluate(progress)) {
        if (progress == Progress::settled && cut_friction()) {
            restart();
            return false;
        }
        report_.end = progress == Progress::contradictory ? SolverEnd::over_constrained : SolverEnd::converged;
        return true;
    }
    if (++report_.settled_changes > options_.max_settled_changes) {
        report_.end = SolverEnd::cycling;
        return true;
    }
    restart();
    return false;
}

/// Recomputes r = d - B y without the rounding of the recurrence.
void CrIteration::recompute_residual(const bool exact) {
    multiply_elastic(y_.v, r_.v, exact);
    r_.v = problem_.rhs - r_.v;
    multipliers_.setZero(y_.c.size());
    restart();
}

/// The first residual.
void CrIteration::begin() {
    if (given_residual_ == nullptr) return recompute_residual(exact_);
    r_.v = *given_residual_;
    multipliers_.setZero(y_.c.size());
    restart();
}

/// b - A v, from a residual that was computed or confirmed last.
VecX CrIteration::elastic_residual() const {
    VecX result = r_.v;
    constraints_.add_transposed(multipliers_, result);
    return result;
}

/// Goes on with the positive definite preconditioner, with which the residual decreases monotonically. If it already
/// has that one, switches contacts whose rows contradict each other.
void CrIteration::handle_stagnation() {
    recompute_residual();
    if (!use_diagonal_) {
        use_diagonal_ = true;
    } else if (evaluate(Progress::contradictory)) {
        ++report_.settled_changes;
    }
    best_ratio_ = std::numeric_limits<double>::infinity();
    best_iteration_ = report_.iterations;
    restart();
}

/// Asked now and then: an iteration is short.
bool CrIteration::interrupted() const {
    constexpr int stride = 16;
    if (options_.watch == nullptr || report_.iterations % stride != 0) return false;
    return options_.interrupted(report_.iterations, momentum_error_);
}

SolverReport CrIteration::run() {
    begin();
    if (solves_laws() && (options_.start_share < 1.0 || !is_solved()) && solve_contacts()) restart();
    while (true) {
        if (is_solved() || is_least_squares()) {
            if (options_.confirm || !is_solved()) recompute_residual();
            if (!is_solved()) exact_ = ++unconfirmed_ >= patience_with_rounding;
            if (is_solved() ? finish_active_set(Progress::settled)
                            : is_least_squares() && finish_active_set(Progress::contradictory))
                break;
        }
        if (report_.iterations >= options_.max_iterations) break;
        if (interrupted()) {
            report_.end = SolverEnd::interrupted;
            break;
        }
        if (rows_contradict()) release_contradictory_rows();
        if (stagnates()) handle_stagnation();
        if (advance()) continue;
        if (!y_.v.allFinite() || !y_.c.allFinite()) {
            report_.end = SolverEnd::breakdown;
            break;
        }
        recompute_residual();
        if (is_solved()) continue;
        if (restart_by_descent()) {
            recompute_residual();
        } else if (finish_active_set(Progress::contradictory)) {
            break;
        }
    }
    store_contacts();
    solution_.v = y_.v;
    report_.residual = momentum_error_;
    if (report_.end == SolverEnd::converged) report_.elastic_residual = elastic_residual();
    return std::move(report_);
}

}  // namespace stiction::mlcp
