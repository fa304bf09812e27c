// The loop of a barrier solve (Li et al. 2020, Algorithm 1): Newton iterations and lagged friction.
#include "stiction/dynamics/barrier/solve.hpp"

#include "stiction/dynamics/rod_edges.hpp"
#include "stiction/linalg/vector_ops.hpp"
#include "stiction/nonlinear/stopping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace stiction {
namespace {

/// What a solve that gets nowhere in contact comes from where the stiffness cannot adapt; empty otherwise.
std::string fixed_stiffness_cause(const BarrierOptions& options, const ContactSet& contacts) {
    if (options.barrier_stiffness == 0.0 || contacts.contacts.empty()) return "";
    return fmt::format(
        "; the cause is a fixed barrier_stiffness = {:g} {}, which does not suit {} contacts, the nearest {:.3g} m "
        "apart: 0 lets it adapt",
        options.barrier_stiffness, barrier_stiffness_unit(options.barrier_weights), contacts.contacts.size(),
        contacts.min_gap);
}

}  // namespace

void BarrierSolve::run() {
    if (!is_feasible()) return;
    const bool approaches = stage_.is_static() && is_any_loose();
    lag_friction(last_stiffness());
    keep_gaps_open(last_stiffness());
    move_driven();
    start_stiffness();
    if (approaches) approach();
    if (report_.status == Status::interrupted) return fill_report();
    const bool until_converged = options_.friction_iterations == 0;
    const int solves = until_converged ? options_.max_friction_iterations : options_.friction_iterations;
    for (int solve = 0; solve < solves; ++solve) {
        const bool rubbed = !potential_.friction().empty();
        if (solve > 0) lag_friction(potential_.stiffness());
        // Nothing rubbed in the last solve and nothing does at its end.
        if (solve > 0 && !rubbed && potential_.friction().empty()) break;
        const NewtonEnd end = newton();
        if (!is_accepted(end.status)) break;
        // Equation 17 in units of velocity: with refreshed friction the first direction is already short.
        if (until_converged && solve > 0 && end.first_residual < tolerance()) break;
        if (until_converged && solve + 1 == solves && rubs_now_or_next()) {
            stop(Status::friction_not_converged,
                 solve == 0
                     ? "friction was not refreshed: max_friction_iterations 1 leaves no solve to compare with"
                     : fmt::format("lagged friction changed by {:.3g} m/s in refresh {}", end.first_residual, solve));
        }
    }
    if (stage_.is_static() && looseness_ == 0.0) settle_static();
    if (is_accepted(report_.status) && driven_.largest_error(x_) > 0.0) {
        report_.notes.push_back(
            fmt::format("driven motion ended short of its target by less than 0.1%: by {:.2g} m at most",
                        driven_.largest_error(x_)));
    }
    fill_report();
}

bool BarrierSolve::rubs_now_or_next() const {
    return !potential_.friction().empty() || !potential_.lag_friction(x_, contacts_, potential_.stiffness()).empty();
}

void BarrierSolve::note_once(const char* text) {
    if (std::ranges::find(report_.notes, text) == report_.notes.end()) report_.notes.push_back(text);
}

void BarrierSolve::note_fallbacks() {
    if (assembly_.gave_up(SystemSolver::multigrid))
        note_once("multigrid reached its iteration limit: a factor took over");
    if (assembly_.gave_up(SystemSolver::mixed) || region_gave_up_single_)
        note_once("single precision did not suffice for a factor: double took over");
}

void BarrierSolve::fill_report() {
    note_fallbacks();
    for (const auto& [phase, ms] : timers_.milliseconds()) report_.phases_ms[phase] += ms;
    timers_.clear();
    report_.contacts = static_cast<int>(contacts_.contacts.size());
    report_.min_gap = contacts_.min_gap;
}

bool BarrierSolve::refresh_friction() {
    detection_.update(x_);  // another solve may have looked elsewhere since
    lag_friction(potential_.stiffness());
    const bool accepted = is_accepted(newton().status);
    fill_report();
    return accepted;
}

double BarrierSolve::friction_change() {
    const FrictionTerm fresh{potential_.friction_law(), potential_.lag_friction(x_, contacts_, potential_.stiffness())};
    const VecX unbalanced = potential_.incremental().gradient(x_) +
                            potential_.stiffness() * potential_.barrier_gradient_sum(x_, contacts_) +
                            fresh.gradient(x_, potential_.slip_origin());
    VecX b, step, move;
    assembly_.map().restrict_gradient(unbalanced, b);
    b = -b;
    assembly_.apply_factor(b, step);
    assembly_.map().expand_step(step, move);
    return fresh.linearisation_error(x_, potential_.slip_origin(), move);
}

BarrierSolve::NewtonEnd BarrierSolve::newton() {
    begin_newton();
    NewtonEnd end;
    VecX p;
    for (int iteration = 0; iteration < options_.max_iterations; ++iteration) {
        if (!input_.go_on(report_)) {
            stop(end.status = Status::interrupted, "");
            return end;
        }
        find_contacts();
        if (guard_.shrinking(contacts_) && options_.barrier_stiffness == 0.0) {
            potential_.set_stiffness(std::min(2.0 * potential_.stiffness(), bounds_.upper));
            last_move_ = {};  // of another potential
        }
        if (!direction(iteration, p)) {
            if (confirmation_) {
                accept();
                return end;
            }
            const std::string broken = broken_rod(world_, x_);
            const std::string& failure = broken.empty() ? assembly_.failure() : broken;
            stop(end.status = Status::linear_solve_failed,
                 failure.empty() ? "the search direction is not finite" : failure);
            return end;
        }
        const double residual = speed(p);
        if (iteration == 0) end.first_residual = residual;
        report_.residual = residual;
        ++report_.iterations;
        IterationTrace trace;
        trace.residual = residual;
        trace.stiffness = potential_.stiffness();
        trace.contacts = static_cast<int>(contacts_.contacts.size());
        const bool moved = line_search(p, trace);
        report_.trace.push_back(trace);
        if (!moved) end_unmoved(residual, end);
        if (moved && runs_away()) {
            end.status = report_.status;
            return end;
        }
        if (!moved || end_iteration(p, trace, end)) return end;
        keep_up_friction();
    }
    if (confirmation_) {
        accept();
        return end;
    }
    stop(end.status = Status::iteration_limit,
         fmt::format("{} Newton iterations, |p|/h = {:.3g} m/s, wanted {:.3g}{}", options_.max_iterations,
                     report_.residual, tolerance(), fixed_stiffness_cause(options_, contacts_)));
    return end;
}

void BarrierSolve::begin_newton() {
    before_ = {report_.status, report_.cause};
    potential_.forget_slip_directions();
    potential_.predicted_forces().forget();
    last_move_ = {};
    refinement_ = RefinementRule(options_.refine_after);
    begin_keeping_up();
    confirmation_.reset();
}

double BarrierSolve::softening() const {
    if (!(last_move_.slope < 0.0)) return 0.0;
    const double slope_left = dot(last_move_.direction, gradient_) / last_move_.slope;
    return (slope_left - (1.0 - last_move_.alpha)) / last_move_.alpha;
}

double BarrierSolve::longest_step(const VecX& p) const {
    // In regions it costs as much as it saves.
    if (domain_.region || is_refined_ != last_move_.is_refined) return 1.0;
    const double longest = multiple_to_minimum(softening());
    // Strain limits bound a way by its chord, which lies higher over a longer one.
    const bool is_cut = longest > 1.0 && longest * element_step_bound(world_, x_, longest * p) < 1.0;
    return is_cut ? 1.0 : longest;
}

bool BarrierSolve::direction(int iteration, VecX& p) {
    {
        const ScopedTimer timer(timers_, "assembly");
        force_sum_ = 0.0;
        gradient_ = potential_.gradient(x_, contacts_, &force_sum_, moving());
        const auto missing = [&](const Contact& contact) { return !domain_.assembly->covers(contact.vertices); };
        const auto missing_friction = [&](const LaggedFriction& contact) {
            return !domain_.assembly->covers(contact.pair.key.vertices);
        };
        if (std::ranges::any_of(contacts_.contacts, missing) ||
            std::ranges::any_of(potential_.friction(), missing_friction)) {
            auto stencils = domain_.region ? domain_.region->near(x_) : detection_.near(x_, detection_.reach());
            for (const LaggedFriction& contact : potential_.friction()) stencils.push_back(contact.pair.key.vertices);
            domain_.assembly->extend(stencils);
        }
    }
    if (last_move_.slope < 0.0) {
        potential_.predicted_forces().add_new(x_, contacts_, potential_.stiffness(),
                                              {last_move_.direction, last_move_.alpha});
    }
    is_refined_ = false;
    if (factorise(p)) {
        keep_still(p);
        projected_slope_ = dot(p, gradient_);
        const bool pays = refinement_.wants(iteration, softening());
        if (pays || (confirmation_ && !domain_.region)) is_refined_ = refine(p);
        return true;
    }
    still_.clear();
    // Rounding can make a nearly singular positive semi-definite sum indefinite: more inertia cures that and keeps a
    // descent direction.
    for (double shift = 1.0; shift <= 1e6; shift *= 100.0) {
        domain_.assembly->add_shift(shift);
        const ScopedTimer timer(timers_, "solve");
        ++report_.linear_solves;
        if (!domain_.assembly->solve(gradient_, p)) continue;
        note_once("factorisation shifted by inertia");
        return true;
    }
    return false;
}

void BarrierSolve::keep_still(VecX& p) {
    constexpr double negligible = 1e-6;  // of the tolerance
    still_.assign(world_.bodies.size(), 0);
    bool is_any_moving = false;
    for (std::size_t b = 0; b < still_.size(); ++b) {
        const Body& body = world_.bodies[b];
        if (body.is_obstacle()) continue;
        const double own = infinity_norm(p.segment(3 * body.first_vertex, 3 * body.vertex_count()));
        still_[b] = own < negligible * tolerance(body.contact_length / world_.length) * stage_.stopping_scale();
        is_any_moving = is_any_moving || !still_[b];
    }
    if (!is_any_moving) still_.clear();
    p = without_still(std::move(p));
    gradient_ = without_still(std::move(gradient_));
}

VecX BarrierSolve::without_still(VecX values) const {
    for (std::size_t b = 0; b < still_.size(); ++b) {
        const Body& body = world_.bodies[b];
        if (still_[b]) values.segment(3 * body.first_vertex, 3 * body.vertex_count()).setZero();
    }
    return values;
}

bool BarrierSolve::factorise(VecX& p) {
    domain_.assembly->set_positions(x_);
    {
        const ScopedTimer timer(timers_, "assembly");
        potential_.assemble(x_, contacts_, true, *domain_.assembly);
    }
    const ScopedTimer timer(timers_, "solve");
    ++report_.linear_solves;
    return domain_.assembly->solve(gradient_, p);
}

bool BarrierSolve::refine(VecX& p) {
    VecX refined;
    {
        const ScopedTimer timer(timers_, "assembly");
        potential_.assemble(x_, contacts_, false, *domain_.assembly);
    }
    const ScopedTimer timer(timers_, "solve");
    domain_.assembly->refine(gradient_, refined);
    if (!refined.allFinite() || !(dot(refined, gradient_) < 0.0)) return false;
    p = refined;
    return true;
}

bool BarrierSolve::line_search(const VecX& p, IterationTrace& trace) {
    double longest = 1.0;
    StepBound bound;
    {
        const ScopedTimer timer(timers_, "ccd");
        longest = longest_step(p);
        const VecX furthest = longest * p;
        bound = domain_.region ? domain_.region->step_bound(world_, x_, furthest, options_.ccd_slack)
                               : feasible_step_bound(world_, detection_, x_, furthest, options_.ccd_slack);
    }
    report_.ccd_queries += bound.ccd_queries;
    trace.step_bound = longest * bound.fraction;
    if (bound.fraction == 0.0) {
        stop(Status::line_search_stalled,
             fmt::format("no move could be certified: {}{}", describe_stencil(world_, bound.stencil),
                         fixed_stiffness_cause(options_, contacts_)));
        return false;
    }
    const ScopedTimer timer(timers_, "line_search");
    const BarrierPotentialValues start = potential_.values(x_, contacts_, moving());
    VecX trial;
    ContactSet trial_contacts;
    const auto difference = [&](double alpha) {
        trial = x_ + alpha * p;
        trial_contacts = contacts_at(trial);
        return potential_.difference(x_, start, trial, potential_.values(trial, trial_contacts, moving()), force_sum_);
    };
    const auto measure = [&](const VecX& gradient) {
        VecX free;
        domain_.assembly->map().restrict_gradient(without_still(gradient), free);
        return GradientMeasure{dot(p, gradient), norm(free)};
    };
    const auto gradient = [&](double) {
        return measure(potential_.gradient(trial, trial_contacts, nullptr, moving()));
    };
    const LineSearchResult found = backtracking_search(trace.step_bound, difference, measure(gradient_), gradient);
    report_.line_search += found.trials;
    trace.line_search = found.trials;
    trace.step_length = found.alpha;
    trace.objective = found.difference;
    if (found.accepted_by == LineSearchResult::AcceptedBy::none) {
        stop(Status::line_search_stalled, fmt::format("no decrease in {} trials, |p|/h = {:.3g} m/s{}", found.trials,
                                                      speed(p), fixed_stiffness_cause(options_, contacts_)));
        return false;
    }
    report_move(x_, trial);
    // The whole direction tells more than the part that was taken: short steps in a row look settled, and are not.
    const VecX whole = std::max(1.0, found.alpha) * p;
    potential_.update_slip_directions(x_, whole, moving());
    potential_.predicted_forces().update(x_, contacts_, potential_.stiffness(), {whole, std::min(1.0, found.alpha)});
    last_move_ = {p, found.alpha, dot(p, gradient_), is_refined_};
    refinement_.moved(found.difference, projected_slope_);
    x_ = trial;
    contacts_ = std::move(trial_contacts);
    return true;
}

}  // namespace stiction
