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
// The three parts of an iteration are in solve.cpp, which also has the line search that the paper does without; the
// beginning and the end of a step are in step_start.cpp and step_end.cpp.
#include "stiction/methods/local_global/step.hpp"

#include "stiction/dynamics/feasible_step.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiction::local_global {

void Step::run() {
    if (!factorise() || !goes_on() || !predict() || !detect_collisions()) return;
    if (!iterate() || !integrate()) return;
    report_contact();
    judge();
    for (const auto& [phase, ms] : timers_.milliseconds()) report_.phases_ms[phase] += ms;
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

}  // namespace stiction::local_global
