// Algorithm 1 of Li et al. 2020: Newton iterations, and friction lagged between the solves.
#include "stiction/barrier/solve.hpp"

#include "stiction/dynamics/rod_edges.hpp"

#include <fmt/format.h>

#include <limits>

namespace stiction {

void BarrierSolve::run() {
    // Before line 1: a feasible start, friction by the forces of the last step, driven vertices as far as they come.
    if (!is_feasible()) return;
    const bool approaches = model_.stage.is_static() && static_.is_any_loose(iterate_.contacts);
    lag_friction(stiffness_.last());
    stiffness_.measure_loads(iterate_.contacts, stiffness_.last());
    move_driven();
    find_contacts();
    stiffness_.start(iterate_, assembly_.map());

    // Algorithm 1, as often as friction is refreshed (section 5).
    const auto newton_is_accepted = [this] { return is_accepted(newton().status); };
    if (approaches) static_.approach(iterate_, newton_is_accepted);
    if (log_.report().status == Status::interrupted) return fill_report();
    solve_and_refresh();
    if (model_.stage.is_static() && !stopping_.is_loose()) {
        static_.settle(iterate_, stopping_, newton_is_accepted, [this] {
            detection_.update(iterate_.x);
            iterate_.knows_contacts = false;
            find_contacts();
            lag_friction(potential_.stiffness());
        });
    }

    // What is left of prescribed motion, and the report.
    const double short_of_target = driven_.largest_error(iterate_.x);
    if (is_accepted(log_.report().status) && short_of_target > 0.0) {
        log_.report().notes.push_back(fmt::format(
            "driven motion ended short of its target by less than 0.1%: by {:.2g} m at most", short_of_target));
    }
    fill_report();
}

void BarrierSolve::solve_and_refresh() {
    const BarrierOptions& options = model_.options;
    const bool until_converged = options.friction_iterations == 0;
    const int solves = until_converged ? options.max_friction_iterations : options.friction_iterations;
    for (int solve = 0; solve < solves; ++solve) {
        const bool rubbed = !potential_.friction().empty();
        if (solve > 0) lag_friction(potential_.stiffness());
        // Nothing rubbed in the last solve and nothing does at its end.
        if (solve > 0 && !rubbed && potential_.friction().empty()) break;
        const NewtonEnd end = newton();
        if (!is_accepted(end.status)) break;
        // Equation 17 in units of velocity: with refreshed friction the first direction is already short.
        if (until_converged && solve > 0 && end.first_residual < stopping_.tolerance(iterate_.contacts)) break;
        if (until_converged && solve + 1 == solves && rubs_now_or_next()) {
            log_.stop(
                Status::friction_not_converged,
                solve == 0
                    ? "friction was not refreshed: max_friction_iterations 1 leaves no solve to compare with"
                    : fmt::format("lagged friction changed by {:.3g} m/s in refresh {}", end.first_residual, solve));
        }
    }
}

bool BarrierSolve::rubs_now_or_next() const {
    return !potential_.friction().empty() ||
           !potential_.lag_friction(iterate_.x, iterate_.contacts, potential_.stiffness()).empty();
}

bool BarrierSolve::refresh_friction() {
    detection_.update(iterate_.x);  // another solve may have looked elsewhere since
    lag_friction(potential_.stiffness());
    const bool accepted = is_accepted(newton().status);
    fill_report();
    return accepted;
}

double BarrierSolve::friction_change() {
    const VecX& x = iterate_.x;
    const FrictionTerm fresh{potential_.friction_law(),
                             potential_.lag_friction(x, iterate_.contacts, potential_.stiffness())};
    const VecX unbalanced = potential_.incremental().gradient(x) +
                            potential_.stiffness() * potential_.barrier_gradient_sum(x, iterate_.contacts) +
                            fresh.gradient(x, potential_.slip_origin());
    VecX b, step, move;
    assembly_.map().restrict_gradient(unbalanced, b);
    b = -b;
    assembly_.newton().apply_factor(b, step);
    assembly_.map().expand_step(step, move);
    return fresh.linearisation_error(x, potential_.slip_origin(), move);
}

BarrierSolve::NewtonEnd BarrierSolve::newton() {
    const SearchDomain whole(detection_, assembly_, model_.limits.dhat);
    StepReport& report = log_.report();
    begin_newton();
    NewtonEnd end;
    VecX p;
    for (int iteration = 0; iteration < model_.options.max_iterations; ++iteration) {
        if (!model_.input.go_on(report)) {
            log_.stop(end.status = Status::interrupted, "");
            return end;
        }
        // Lines 3 and 13: the contacts, and a stiffness that keeps their gaps open.
        find_contacts();
        if (stiffness_.grow(iterate_)) direction_.forget_move();

        // Lines 7 and 8: the projected Newton direction.
        if (!direction_.find(iterate_, whole, iteration, confirmation_.runs(), p)) {
            end.status = end_without_direction();
            return end;
        }
        IterationTrace trace;
        report.residual = trace.residual = stopping_.speed(p, iterate_.contacts);
        trace.stiffness = potential_.stiffness();
        trace.contacts = static_cast<int>(iterate_.contacts.contacts.size());
        if (iteration == 0) end.first_residual = trace.residual;
        ++report.iterations;

        // Lines 11 to 15: along it as far as CCD certifies and the potential falls.
        const bool moved = line_search_.move(iterate_, whole, p, trace);
        report.trace.push_back(trace);
        if (!moved) {
            end.status = end_unmoved(trace.residual);
            return end;
        }
        if (const auto flight = stopping_.flight(iterate_.x)) {
            log_.stop(end.status = Status::diverged, *flight);
            return end;
        }

        // Line 19: short enough, in balance, and driven vertices on their targets?
        if (end_iteration(p, trace, end)) return end;
        if (static_.keep_up_friction(iterate_)) direction_.forget_move();
    }
    if (confirmation_.runs()) {
        accept();
        return end;
    }
    log_.stop(end.status = Status::iteration_limit,
              fmt::format("{} Newton iterations, |p|/h = {:.3g} m/s, wanted {:.3g}{}", model_.options.max_iterations,
                          report.residual, stopping_.tolerance(iterate_.contacts),
                          fixed_stiffness_cause(model_.options, iterate_.contacts)));
    return end;
}

void BarrierSolve::begin_newton() {
    log_.remember();
    direction_.begin();
    static_.begin_newton(stopping_.is_loose());
    confirmation_.forget();
}

Status BarrierSolve::end_without_direction() {
    if (confirmation_.runs()) {
        accept();
        return Status::converged;
    }
    const std::string broken = broken_rod(model_.world, iterate_.x);
    const std::string& failure = broken.empty() ? assembly_.newton().failure() : broken;
    log_.stop(Status::linear_solve_failed, failure.empty() ? "the search direction is not finite" : failure);
    return Status::linear_solve_failed;
}

Status BarrierSolve::end_unmoved(double residual) {
    // A direction below the tolerance that cannot be searched is a solution to working precision.
    const bool is_short = residual < stopping_.tolerance(iterate_.contacts) && !driven_.pulling();
    if (!confirmation_.runs() && !is_short) return Status::line_search_stalled;
    accept();
    return Status::converged;
}

bool BarrierSolve::end_iteration(const VecX& p, const IterationTrace& trace, NewtonEnd& end) {
    // The move that was made, or the one that the direction asked for.
    const double residual = trace.residual * std::max(1.0, trace.step_length);
    if (trace.step_length > 0.99 && !driven_.pulling() &&
        stopping_.is_close_enough(iterate_, residual, end.first_residual)) {
        accept();
        return true;
    }

    // Of a shortened step, what was left out still has to be gone.
    const double tolerance = stopping_.tolerance(iterate_.contacts);
    const bool whole_step = trace.step_length > 0.99 || residual < 0.1 * tolerance;
    const bool was_pulling = driven_.pulling();
    const bool done = is_finished(whole_step ? residual : std::numeric_limits<double>::infinity(), end.status);
    if (done && !is_accepted(end.status)) return true;
    if ((done && !confirmation_.wants_more(iterate_, direction_, residual)) || confirmation_.runs_out()) {
        accept();
        return true;
    }
    if (done || driven_.pulling()) return false;

    // The rest may be the matter of a region: of what lacks balance, or of what moved.
    const SearchDomain whole(detection_, assembly_, model_.limits.dhat);
    const bool lacks_balance =
        whole_step && residual < stopping_.tolerance(iterate_.contacts) && !confirmation_.runs() && !was_pulling;
    const std::optional<bool> balanced = lacks_balance ? regions_.balance(iterate_, whole) : std::nullopt;
    if (!balanced) regions_.solve(iterate_, whole, p, residual);
    return balanced.value_or(false);
}

bool BarrierSolve::is_finished(double residual, Status& status) {
    if (driven_.pulling()) return finish_driven(residual, status);
    return residual < stopping_.tolerance(iterate_.contacts) && stopping_.is_balanced(iterate_, residual);
}

bool BarrierSolve::finish_driven(double residual, Status& status) {
    const ScopedTimer timer(log_.timers(), "driven");
    VecX x = iterate_.x;
    if (driven_.try_finish(detection_, x, model_.options.ccd_slack, log_.report().ccd_queries)) {
        iterate_.move(std::move(x));
        change_pull();
        note_fallbacks();
        begin_assembly();
        return false;
    }
    iterate_.knows_contacts = false;
    if (!(residual < stopping_.tolerance(iterate_.contacts))) return false;
    if (driven_.strengthen(iterate_.x)) {
        change_pull();
        return false;
    }
    log_.stop(status = Status::targets_not_reached, driven_.shortfall(iterate_.x));
    return true;
}

void BarrierSolve::change_pull() {
    driven_.apply(potential_.incremental());
    direction_.forget_move();
}

void BarrierSolve::accept() {
    if (confirmation_.end(iterate_)) detection_.update(iterate_.x);
    log_.return_to_start();
}

}  // namespace stiction
