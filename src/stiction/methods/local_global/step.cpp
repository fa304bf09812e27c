// Algorithm 4 of Zeng et al. (2025), with the equations in brackets:
//
//   A = M + h^2 sum w G^T G = L L^T, S = L^-1                    factorise          (6 to 8)
//   q = q_t + h v_t, q~ = q + h^2 M^-1 f                         predict            (1)
//   collision detection: H, W = H A^-1 H^T                       detect_collisions  (3, 27)
//   repeat                                                       iterate
//       p = project(G q)                                           local step       (5)
//       (Omega W Omega + E) dlambda = (h - J A^-1 g) / h^2         contact          (22)
//       q = A^-1 (b + h^2 H^T lambda)                              global step      (23)
//   v = (q - q_t) / h                                            integrate
//
// The three parts of an iteration are in solve.cpp, which also has the line search that the paper does without.
#include "stiction/methods/local_global/step.hpp"

#include "stiction/dynamics/feasible_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace stiction::local_global {

void Step::run() {
    if (!factorise() || !goes_on() || !predict() || !detect_collisions()) return;
    if (!iterate() || !integrate()) return;
    report_contact();
    judge();
    for (const auto& [phase, ms] : timers_.milliseconds()) report_.phases_ms[phase] += ms;
}

/// The constant matrix A is factored again only where step size or driven vertices changed.
bool Step::factorise() {
    const ScopedTimer timer(timers_, "factorisation");
    const int before = workspace_.factorisations;
    try {
        system_ = &workspace_.system(world_, options_, input_);
    } catch (const NotPositiveDefinite& error) {
        report_.status = Status::linear_solve_failed;
        report_.cause = error.what();
        return false;
    }
    if (workspace_.factorisations > before && !system_->note().empty()) report_.notes.push_back(system_->note());
    return true;
}

/// The first guess is q_t + h v_t. Where its energy is not finite it is q_t. Driven vertices are at their targets.
bool Step::predict() {
    workspace_.objective.begin(state_, input_, system_->unknowns());
    guess_along(input_.h);
    if (begin_at_guess()) return true;
    guess_along(0.0);
    if (begin_at_guess()) return true;
    report_.status = Status::infeasible_start;
    report_.cause = "the energy is not finite at the start of the step: an element or a filled region is collapsed";
    return false;
}

/// The guess x_t + dt v_t of what is not driven.
void Step::guess_along(double dt) {
    VecX& guess = workspace_.guess;
    guess = input_.target;
    for (const Index v : system_->unknowns()) {
        const Eigen::Index at = 3 * static_cast<Eigen::Index>(v);
        const Vec3 free = state_.x.segment<3>(at) + dt * state_.v.segment<3>(at);
        const std::uint8_t driven = input_.driven_axes[static_cast<std::size_t>(v)];
        for (int axis = 0; axis < 3; ++axis) {
            if ((driven >> axis & 1) == 0) guess[at + axis] = free[axis];
        }
    }
}

bool Step::begin_at_guess() {
    const ScopedTimer timer(timers_, "solve");
    workspace_.rigid.straighten(workspace_.guess);
    carry(world_.embedded, workspace_.guess);
    return workspace_.solver->start(*system_, workspace_.guess);
}

/// Once a step: contacts near the motion to the end of the first global step without constraints; H and W.
bool Step::detect_collisions() {
    Constraints& constraints = workspace_.constraints;
    {
        const ScopedTimer timer(timers_, "solve");
        workspace_.solver->predict(workspace_.prediction);
        carry(world_.embedded, workspace_.prediction);
    }
    if (!find_constraints()) return false;
    if (!constraints.any()) return true;
    if (is_incomplete(options_.global_step)) {
        report_.status = Status::not_supported;
        report_.cause = fmt::format(
            "something touches, and contact needs local_global.global_step 'complete' or "
            "'lbfgs', not '{}'",
            global_step_names()[static_cast<std::size_t>(options_.global_step)]);
        return false;
    }
    const ScopedTimer timer(timers_, "delassus");
    workspace_.solver->constrain_with(constraints);
    return true;
}

/// Vertices that fly apart meet everything on their way.
bool Step::find_constraints() {
    const ScopedTimer timer(timers_, "contacts");
    try {
        workspace_.constraints.find(*system_, state_, input_, workspace_.guess, workspace_.prediction);
    } catch (const TooManyPairs&) {
        report_.status = Status::diverged;
        report_.cause =
            "vertices fly through each other, and more pairs come near each other in this step than fit the memory: "
            "smaller steps, more iterations or softer contact may help";
        return false;
    }
    const ContactPair* meets = workspace_.constraints.prescribed_crossing();
    if (meets == nullptr) return true;
    report_.status = Status::targets_not_reached;
    report_.cause =
        fmt::format("prescribed motions lead into each other: {}", describe_stencil(world_, meets->key.vertices));
    return false;
}

/// False where the step was interrupted; it has failed then.
bool Step::goes_on() {
    if (input_.go_on(report_)) return true;
    report_.status = Status::interrupted;
    return false;
}

/// False where the step was interrupted.
bool Step::iterate() {
    const ScopedTimer timer(timers_, "solve");
    StepSolver& solve = *workspace_.solver;
    while (report_.iterations < options_.iterations) {
        if (!goes_on()) return false;
        const bool decreased = solve.iterate();
        ++report_.iterations;
        report_.residual = solve.change() / input_.h;
        report_.trace.push_back(
            {.objective = solve.decrease(), .residual = report_.residual, .step_length = solve.step_length()});
        if (decreased) workspace_.constraints.accept_forces();
        stalled_ = false;
        if (decreased ? finished() : !drop_forces()) break;
    }
    solve.finish();
    report_.linear_solves = solve.global_steps();
    // An iteration whose direction is not finite makes no evaluation on the CPU.
    report_.line_search = std::max(solve.evaluations() - 1 - report_.iterations, 0);
    return true;
}

/// After an iteration that decreased the objective.
bool Step::finished() {
    if (report_.residual < options_.tolerance) return true;
    if (options_.budget_ms <= 0.0 || 1e3 * (now_seconds() - begun_) <= options_.budget_ms) return false;
    if (report_.iterations < options_.iterations) report_.notes.push_back("time budget reached");
    return true;
}

/// After an iteration whose line search failed: drops the contact forces, once a step. False where nothing is left to
/// try.
bool Step::drop_forces() {
    // So small a change, as a fraction of the distance that surfaces keep, is rounding: the forces are good.
    constexpr double negligible_change = 1e-6;
    settled_ = workspace_.solver->change() <= negligible_change * workspace_.constraints.thickness();
    if (settled_) return false;
    stalled_ = true;
    workspace_.constraints.drop_forces();
    if (workspace_.constraints.any()) workspace_.solver->forces_dropped();
    const bool again = workspace_.constraints.any() && !forces_dropped_;
    report_.notes.push_back(again ? "line search stalled: contact forces started anew" : "line search stalled");
    forces_dropped_ = true;
    return again;
}

bool Step::integrate() {
    VecX& x = workspace_.end;
    x = workspace_.solver->x();
    if (!stays_in_scene(x)) return false;
    carry(world_.embedded, x);
    bool shortened = false;
    if (options_.certify) {
        const ScopedTimer timer(timers_, "ccd");
        const std::optional<double> made = workspace_.certified_move.shorten(state_, input_, x, report_);
        if (!made) return false;
        shortened = *made < 1.0;
    }
    if (input_.moves != nullptr) input_.moves->accepted_move(state_.x, x);
    const bool extrapolated = count_extrapolated(workspace_.elements, x.data()) > 0;
    elastic_ = energy_at(x, extrapolated || shortened);
    if (extrapolated)
        report_.notes.push_back("elements of a barrier law beyond the volume ratio where it is continued");
    workspace_.end_velocity = (x - state_.x) / input_.h;
    end_step(state_, input_, x, workspace_.end_velocity, result_.state);
    result_.state.acceleration.resize(0);
    return true;
}

/// Contact that cannot hold may throw vertices far away within the fixed number of iterations. The next search for
/// pairs would then take all memory.
bool Step::stays_in_scene(const VecX& x) {
    constexpr double most_diagonals = 100.0;
    const double limit = most_diagonals * world_.diagonal;
    if (limit == 0.0) return true;
    for (const Index v : system_->unknowns()) {
        const Eigen::Index at = 3 * static_cast<Eigen::Index>(v);
        const Vec3 free = state_.x.segment<3>(at) + input_.h * state_.v.segment<3>(at);
        const double off = (x.segment<3>(at) - free).norm();
        if (off <= limit) continue;
        report_.status = Status::diverged;
        report_.cause = fmt::format(
            "vertex {} ends {:.3g} m off its free motion, more than {:.0f} times the size of the "
            "bodies: smaller steps, more iterations or softer contact may help",
            v, off, most_diagonals);
        return false;
    }
    return true;
}

/// The line search has evaluated the elements at the end of the iterations. The energy is computed anew where the step
/// ends elsewhere, or where the iterations continue a law that the world does not.
double Step::energy_at(const VecX& x, bool elsewhere) const {
    if (elsewhere) return stiction::elastic_energy(world_, x);
    double bending = 0.0;
    for (const SheetGroup& group : world_.sheets) {
        if (std::holds_alternative<IsometricBending>(group.elements)) bending += sheet_energy(group.elements, x);
    }
    return workspace_.solver->elastic() + bending;
}

void Step::report_contact() {
    Constraints::carry_over_warm_starts(state_, result_.state);
    workspace_.constraints.report(input_.list_contacts, result_);
    report_.balance.loads = workspace_.constraints.bilateral_work(system_->unknowns(), input_, state_.x, result_);
    const ScopedTimer timer(timers_, "contacts");
    report_.min_gap = workspace_.constraints.smallest_gap(result_.state.x);
}

/// The step is taken whatever its iterations have reached; it is converged where the conditions of contact hold to the
/// tolerance, nothing overlaps, and the iterations ended as they should.
void Step::judge() {
    const ContactOutcome& contact = report_.contact;
    const double tolerance = workspace_.constraints.tolerance();
    const auto name = [&](int body) { return world_.bodies[static_cast<std::size_t>(body)].name; };
    std::string cause;
    const auto add = [&](const std::string& text) { cause += (cause.empty() ? "" : "; ") + text; };
    if (stalled_) add("the line search stalled");
    if (contact.overlaps > 0)
        add(fmt::format("{} contacts overlap, '{}' and '{}' by {:.3g} m", contact.overlaps, name(contact.bodies[0]),
                        name(contact.bodies[1]), contact.deepest));
    if (!(contact.residual <= tolerance))
        add(fmt::format("the conditions of contact are missed by {:.3g} m, {:.3g} m at most", contact.residual,
                        tolerance));
    if (options_.tolerance > 0.0 && !(report_.residual < options_.tolerance) && !stalled_ && !settled_)
        add(fmt::format("positions still change by {:.3g} m/s in an iteration", report_.residual));
    if (cause.empty()) return;
    report_.status = Status::not_converged;
    report_.cause = std::move(cause);
}

}  // namespace stiction::local_global
