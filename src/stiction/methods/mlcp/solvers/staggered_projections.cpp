#include "stiction/methods/mlcp/solvers/staggered_projections.hpp"

#include "stiction/linalg/vector_ops.hpp"
#include "stiction/methods/mlcp/solvers/switching.hpp"

#include <algorithm>
#include <cmath>

namespace stiction::mlcp {
namespace {

enum class Part { normal, friction };

/// One of the two problems: A v + L^T m = b, and L v = c on the free rows. Its unknowns are v and the multipliers m of
/// the free rows; the multipliers of the other problem and of sliding contacts are given. Solved by conjugate residuals
/// with the positive definite diagonal preconditioner.
class Projection {
public:
    Projection(const SolverTask& task, SwitchContacts when, SolverReport& report, ContactSolution& solution)
        : task_(task), when_(when), report_(report), solution_(solution), scale_(task.problem.scale()) {}

    /// False: not solved, see report.end.
    bool run(Part part);

private:
    std::size_t size() const { return task_.problem.contacts.size(); }
    void take_solution();
    void store_solution();
    void restart();
    void restrict_to_free_rows(VecX& c) const;
    void multiply(const SaddleVector& x, SaddleVector& y) const;
    void precondition(const SaddleVector& r, SaddleVector& z) const;
    bool advance();
    bool descend();
    bool evaluate(Progress progress);
    ContactChange evaluate_normal(std::size_t k, double motion, bool settled);
    bool is_solved() const;
    bool evaluation_is_due() const;

    const SolverTask& task_;
    const SwitchContacts when_;
    SolverReport& report_;
    ContactSolution& solution_;
    const double scale_;
    Part part_ = Part::normal;
    SaddleVector y_, r_, z_, p_, Bz_, Bp_, PBp_;
    VecX given_;      ///< multipliers that are given
    ActiveSet rows_;  ///< the free rows: normals in the one problem, tangents in the other
    double zBz_ = 0.0;
    int since_evaluation_ = 0, settled_changes_ = 0;
};

/// Unknowns and given multipliers in the present modes.
void Projection::take_solution() {
    const auto rows = 3 * static_cast<Eigen::Index>(size());
    y_.v = solution_.v;
    y_.c.setZero(rows);
    given_.setZero(rows);
    rows_.assign(size(), {});
    for (std::size_t k = 0; k < size(); ++k) {
        const ContactUnknowns& unknowns = solution_.contacts[k];
        if (unknowns.mode == ContactMode::open) continue;
        const auto at = 3 * static_cast<Eigen::Index>(k);
        rows_[k] = part_ == Part::normal ? ActiveRows{.count = 1} : active_rows(task_.problem.contacts[k], unknowns);
        if (part_ == Part::friction && rows_[k].count == 1) rows_[k] = {};
        (part_ == Part::normal ? y_.c : given_)[at] = -unknowns.normal;
        given_.segment<2>(at + 1) = unknowns.sliding;
        (part_ == Part::normal ? given_ : y_.c).segment<2>(at + 1) += unknowns.sticking;
    }
}

void Projection::store_solution() {
    solution_.v = y_.v;
    for (std::size_t k = 0; k < size(); ++k) {
        if (rows_[k].count == 0) continue;
        const auto at = 3 * static_cast<Eigen::Index>(k);
        if (part_ == Part::normal) {
            solution_.contacts[k].normal = -y_.c[at];
        } else {
            solution_.contacts[k].sticking = y_.c.segment<2>(at + 1);
        }
    }
}

void Projection::restrict_to_free_rows(VecX& c) const {
    for (std::size_t k = 0; k < size(); ++k) {
        const auto at = 3 * static_cast<Eigen::Index>(k);
        c.segment<3>(at) = on_active(rows_[k], c.segment<3>(at));
        if (part_ == Part::friction) c[at] = 0.0;
    }
}

void Projection::multiply(const SaddleVector& x, SaddleVector& y) const {
    task_.problem.matrix->multiply(x.v, y.v);
    ++report_.products;
    task_.constraints.add_transposed(x.c, y.v);
    task_.constraints.multiply(x.v, rows_, y.c);
    add_compliance(rows_, -1.0, x.c, y.c);
    restrict_to_free_rows(y.c);
}

void Projection::precondition(const SaddleVector& r, SaddleVector& z) const {
    task_.preconditioner.apply_diagonal(r, rows_, z);
    restrict_to_free_rows(z.c);
}

void Projection::restart() {
    SaddleVector By;
    multiply(y_, By);
    r_.v = task_.problem.rhs - By.v;
    const VecX minus = -given_;
    task_.constraints.add_transposed(minus, r_.v);
    r_.c = -By.c;
    for (std::size_t k = 0; k < size(); ++k) {
        r_.c.segment<3>(3 * static_cast<Eigen::Index>(k)) += task_.problem.contacts[k].target;
    }
    restrict_to_free_rows(r_.c);
    precondition(r_, z_);
    multiply(z_, Bz_);
    p_ = z_;
    Bp_ = Bz_;
    zBz_ = dot(z_.v, Bz_.v) + dot(z_.c, Bz_.c);
    since_evaluation_ = 0;
}

bool Projection::is_solved() const {
    constexpr double part = 0.5;  // of the tolerances, which leaves some for the other problem
    return norm(r_.v) <= part * task_.options.tolerance * scale_ &&
           task_.constraints.largest(r_.c) <= part * task_.options.distance_tolerance;
}

/// One iteration of conjugate residuals. False: the recurrences break down.
bool Projection::advance() {
    constexpr double rounding = 1e-13;
    precondition(Bp_, PBp_);
    const double length = dot(Bp_.v, PBp_.v) + dot(Bp_.c, PBp_.c);
    const double alpha = zBz_ / length;
    if (!std::isfinite(alpha) || alpha == 0.0) return false;
    y_.v += alpha * p_.v;
    y_.c += alpha * p_.c;
    r_.v -= alpha * Bp_.v;
    r_.c -= alpha * Bp_.c;
    z_.v -= alpha * PBp_.v;
    z_.c -= alpha * PBp_.c;
    ++report_.iterations;
    ++since_evaluation_;
    if (when_ == SwitchContacts::while_iterating && evaluation_is_due() && evaluate(Progress::iterating)) {
        restart();
        return true;
    }
    const double before = zBz_;
    multiply(z_, Bz_);
    const double of_v = dot(z_.v, Bz_.v), of_c = dot(z_.c, Bz_.c);
    zBz_ = of_v + of_c;
    if (std::abs(zBz_) <= rounding * (std::abs(of_v) + std::abs(of_c))) return false;
    const double beta = zBz_ / before;
    p_.v = z_.v + beta * p_.v;
    p_.c = z_.c + beta * p_.c;
    Bp_.v = Bz_.v + beta * Bp_.v;
    Bp_.c = Bz_.c + beta * Bp_.c;
    return true;
}

/// Minimises r . P r along its gradient P B P r. False: there is hardly anything to gain, so the iterate is a
/// least-squares solution.
bool Projection::descend() {
    constexpr double least_gain = 1e-6;
    SaddleVector Pr, BPr, g, Bg, PBg;
    precondition(r_, Pr);
    multiply(Pr, BPr);
    precondition(BPr, g);
    multiply(g, Bg);
    precondition(Bg, PBg);
    const double along = dot(r_.v, PBg.v) + dot(r_.c, PBg.c), length = dot(Bg.v, PBg.v) + dot(Bg.c, PBg.c);
    if (!(along * along > least_gain * length * (dot(r_.v, Pr.v) + dot(r_.c, Pr.c)))) return false;
    y_.v += (along / length) * g.v;
    y_.c += (along / length) * g.c;
    ++report_.iterations;
    return true;
}

bool Projection::evaluation_is_due() const {
    const double distance = task_.constraints.largest(r_.c) / task_.options.distance_tolerance;
    const double logarithm = std::log(std::max({norm(r_.v) / (task_.options.tolerance * scale_), distance, 1.0}));
    return since_evaluation_ >= std::max(1, static_cast<int>(logarithm * logarithm / 3.0));
}

ContactChange Projection::evaluate_normal(std::size_t k, double motion, bool settled) {
    const double tolerance = task_.problem.contacts[k].share * task_.options.distance_tolerance,
                 compliance = task_.preconditioner.compliance()[k][0];
    ContactUnknowns& unknowns = solution_.contacts[k];
    if (unknowns.mode == ContactMode::open) {
        if (motion >= -tolerance) return ContactChange::none;
        unknowns = ContactUnknowns{};
        unknowns.mode = task_.problem.contacts[k].friction > 0.0 ? ContactMode::sticking : ContactMode::sliding;
        return ContactChange::mode;
    }
    if (compliance * unknowns.normal >= -tolerance || (!settled && motion < 0.0)) return ContactChange::none;
    unknowns = ContactUnknowns{};
    return ContactChange::mode;
}

bool Projection::evaluate(Progress progress) {
    store_solution();
    since_evaluation_ = 0;
    bool changed = false;
    const SwitchingRules rules{.tolerance = task_.options.distance_tolerance,
                               .row_tolerance = task_.options.distance_tolerance};
    for (std::size_t k = 0; k < size(); ++k) {
        const ContactConstraint& contact = task_.problem.contacts[k];
        Vec3 motion = relative_motion(contact, y_.v);
        ContactChange change = ContactChange::none;
        if (part_ == Part::normal) {
            change = evaluate_normal(k, motion[0], progress != Progress::iterating);
        } else if (solution_.contacts[k].mode != ContactMode::open && contact.friction > 0.0) {
            motion[0] = 0.0;  // the normal force is given
            change = evaluate_contact(contact, motion, task_.preconditioner.compliance()[k], progress, rules,
                                      solution_.contacts[k]);
        }
        changed = changed || change != ContactChange::none;
        if (change == ContactChange::mode) ++report_.mode_switches;
    }
    if (changed) take_solution();
    return changed;
}

bool Projection::run(Part part) {
    constexpr int stride = 16;  // iterations between questions to the watch: one is short
    part_ = part;
    take_solution();
    restart();
    while (true) {
        Progress progress = Progress::iterating;
        if (is_solved()) {
            restart();
            if (is_solved()) progress = Progress::settled;
        } else if (report_.iterations >= task_.options.max_iterations) {
            store_solution();
            report_.end = SolverEnd::iteration_limit;
            return false;
        } else if (report_.iterations % stride == 0 &&
                   task_.options.interrupted(report_.iterations, norm(r_.v) / scale_)) {
            report_.end = SolverEnd::interrupted;
            return false;
        } else if (!advance()) {
            restart();
            if (!y_.v.allFinite()) {
                report_.end = SolverEnd::breakdown;
                return false;
            }
            if (is_solved()) continue;
            if (descend()) {
                restart();
            } else {
                progress = Progress::contradictory;
            }
        }
        if (progress == Progress::iterating) continue;
        if (!evaluate(progress)) {
            store_solution();
            if (progress == Progress::settled) return true;
            report_.end = SolverEnd::over_constrained;
            return false;
        }
        if (++settled_changes_ > task_.options.max_settled_changes) {
            report_.end = SolverEnd::cycling;
            return false;
        }
        restart();
    }
}

/// Contacts without friction slide; a warm start may have them stick.
void free_frictionless(const ContactProblem& problem, ContactSolution& solution) {
    for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
        ContactUnknowns& unknowns = solution.contacts[k];
        if (problem.contacts[k].friction > 0.0 || unknowns.mode == ContactMode::open) continue;
        unknowns.mode = ContactMode::sliding;
        unknowns.sticking = unknowns.sliding = Vec2::Zero();
    }
}

/// Resets the moving average of the normal force, so that sliding friction follows the normal force at once.
void reset_average(const ContactProblem& problem, ContactSolution& solution) {
    for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
        ContactUnknowns& unknowns = solution.contacts[k];
        if (unknowns.mode == ContactMode::open || problem.contacts[k].friction == 0.0) continue;
        unknowns.last_normal = std::max(unknowns.normal, 0.0);
    }
}

}  // namespace

SolverReport solve_with_staggered_projections(const SolverTask& task, SwitchContacts when, ContactSolution& solution) {
    SolverReport report;
    free_frictionless(task.problem, solution);
    while (true) {
        Projection projection(task, when, report, solution);
        const int before = report.iterations;
        if (!projection.run(Part::normal)) break;
        reset_average(task.problem, solution);
        if (!projection.run(Part::friction)) break;
        if (is_solution(task, solution, report)) {
            report.end = SolverEnd::converged;
            return report;
        }
        // Both problems are solved, and their pair is no solution.
        if (report.iterations == before) {
            report.end = SolverEnd::cycling;
            return report;
        }
    }
    const SolverEnd end = report.end;
    is_solution(task, solution, report);
    report.end = end;
    return report;
}

}  // namespace stiction::mlcp
