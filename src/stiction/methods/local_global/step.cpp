#include "stiction/methods/local_global/step.hpp"

#include "stiction/base/error.hpp"
#include "stiction/dynamics/feasible_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace stiction {
namespace {

/// Of the distance that touching surfaces keep.
constexpr double negligible_change = 1e-6;

ContactSolverOptions solver_options(const LocalGlobalOptions& options) {
    ContactSolverOptions result = options.contact;
    result.expected_solves = options.iterations;
    return result;
}

}  // namespace

const std::string LocalGlobalStep::warm_start_key = "local_global_contacts";
const std::string LocalGlobalStep::bilateral_key = "local_global_bilateral";

LocalGlobalWorkspace::LocalGlobalWorkspace(const World& world, const LocalGlobalOptions& options)
    : identity(world.identity),
      elements(world, options.extrapolate_below),
      objective(world, elements),
      solve(objective, options),
      pairs(world, contact_thickness(options, world.diagonal)),
      bilateral(world, options),
      constraints{.rows = {}, .solver = ContactSolver(solver_options(options)), .lambda = {}, .residual = {}} {
    pairs.leave_out(bilateral.held_to_bodies());
}

const GlobalSystem& LocalGlobalWorkspace::system(const World& world, const LocalGlobalOptions& options,
                                                 const StepInput& input) {
    if (systems_[0] && systems_[0]->fits(input.h, input.driven_axes)) return *systems_[0];
    std::swap(systems_[0], systems_[1]);
    if (systems_[0] && systems_[0]->fits(input.h, input.driven_axes)) return *systems_[0];
    systems_[0] = std::make_unique<GlobalSystem>(world, elements, objective, options, input.h, input.driven_axes);
    ++factorisations;
    return *systems_[0];
}

void LocalGlobalStep::run() {
    const GlobalSystem* system = nullptr;
    try {
        const ScopedTimer timer(timers_, "factorisation");
        const int before = workspace_.factorisations;
        system = &workspace_.system(world_, options_, input_);
        if (workspace_.factorisations > before && !system->note().empty()) report_.notes.push_back(system->note());
    } catch (const NotPositiveDefinite& error) {
        report_.status = Status::linear_solve_failed;
        report_.cause = error.what();
        return;
    }
    if (!start(*system)) {
        report_.status = Status::infeasible_start;
        report_.cause = "the energy is not finite at the start of the step: an element is collapsed";
        return;
    }
    iterate();
    finish();
}

/// At the prediction x_t + h v_t, or where that has no finite energy at x_t; driven vertices at their targets.
bool LocalGlobalStep::start(const GlobalSystem& system) {
    workspace_.objective.begin(state_, input_, system.unknowns());
    VecX& guess = workspace_.guess;
    guess = input_.target;
    for (const Index v : system.unknowns())
        guess.segment<3>(3 * v) = state_.x.segment<3>(3 * v) + input_.h * state_.v.segment<3>(3 * v);
    const auto begin = [&] {
        const ScopedTimer timer(timers_, "solve");
        return workspace_.solve.start(system, guess);
    };
    if (!begin()) {
        for (const Index v : system.unknowns()) guess.segment<3>(3 * v) = state_.x.segment<3>(3 * v);
        if (!begin()) return false;
    }
    find_contacts(system);
    return true;
}

/// Once a step: pairs near the way to where the step would end without them, their rows and their Delassus operator.
void LocalGlobalStep::find_contacts(const GlobalSystem& system) {
    StepConstraints& constraints = workspace_.constraints;
    {
        const ScopedTimer timer(timers_, "solve");
        workspace_.solve.predict(workspace_.prediction);
    }
    {
        const ScopedTimer timer(timers_, "contacts");
        workspace_.pairs.find(state_, workspace_.prediction);
        workspace_.pairs.fill(system, state_, input_.target, last_forces(warm_start_key), constraints.rows,
                              constraints.lambda);
        workspace_.bilateral.fill(system, workspace_.guess, input_.target, state_.t + input_.h,
                                  last_forces(bilateral_key), constraints.rows, constraints.lambda);
    }
    constraints.residual = {};
    constraints.stalled = false;
    if (!constraints.any()) return;
    if (options_.global_step == GlobalStep::jacobi || options_.global_step == GlobalStep::chebyshev) {
        throw InputError({}, "local_global.global_step",
                         global_step_names()[static_cast<std::size_t>(options_.global_step)],
                         "'complete' or 'lbfgs' where something touches or is attached: one Jacobi iteration does not "
                         "answer to the forces of contacts");
    }
    const ScopedTimer timer(timers_, "delassus");
    constraints.solver.prepare(constraints.rows, system.inverse(), input_.h, system.masses().data());
    workspace_.solve.constrain_with(constraints);
}

const std::string& LocalGlobalStep::last_forces(const std::string& key) const {
    static const std::string none;
    const auto found = state_.warm_start.find(key);
    return found == state_.warm_start.end() ? none : found->second;
}

void LocalGlobalStep::iterate() {
    const ScopedTimer timer(timers_, "solve");
    LocalGlobalSolve& solve = workspace_.solve;
    bool restarted = false;
    while (report_.iterations < options_.iterations) {
        const bool decreased = solve.iterate();
        ++report_.iterations;
        report_.residual = solve.change() / input_.h;
        report_.trace.push_back(
            {.objective = solve.decrease(), .residual = report_.residual, .step_length = solve.step_length()});
        // What is left to go is nothing: rounding decides, and there is no stall.
        if (!decreased && solve.change() <= negligible_change * workspace_.pairs.thickness()) break;
        if (!decreased) {
            // Forces that lead nowhere are not kept.
            StepConstraints& constraints = workspace_.constraints;
            std::fill(constraints.lambda.begin(), constraints.lambda.end(), 0.0);
            constraints.stalled = constraints.any();
            if (constraints.any() && !restarted) {
                report_.notes.push_back("line search stalled: contact forces started anew");
                restarted = true;
                continue;
            }
            report_.notes.push_back("line search stalled");
            break;
        }
        workspace_.constraints.stalled = false;
        if (report_.residual < options_.tolerance) break;
        if (options_.budget_ms > 0.0 && 1e3 * (now_seconds() - begun_) > options_.budget_ms) {
            if (report_.iterations < options_.iterations) report_.notes.push_back("time budget reached");
            break;
        }
    }
    report_.linear_solves = solve.global_steps();
    report_.line_search = solve.evaluations() - 1 - report_.iterations;
}

/// Those of other methods; what report_contact() writes is left as it is.
void LocalGlobalStep::carry_over_warm_starts() {
    auto& next = result_.state.warm_start;
    std::erase_if(next, [&](const auto& entry) { return !state_.warm_start.contains(entry.first); });
    for (const auto& [key, bytes] : state_.warm_start) {
        if (key != warm_start_key && key != bilateral_key) next[key] = bytes;
    }
}

/// Forces and what is left of the contact conditions.
void LocalGlobalStep::report_contact() {
    StepConstraints& constraints = workspace_.constraints;
    std::vector<double>& forces = constraints.forces;
    forces.assign(constraints.lambda.size(), 0.0);
    if (constraints.any() && !constraints.stalled) constraints.solver.row_forces(forces.data());
    workspace_.pairs.spread(forces, result_);
    workspace_.pairs.warm_start(forces, result_.state.warm_start[warm_start_key]);
    if (!workspace_.bilateral.empty())
        workspace_.bilateral.warm_start(forces, 3 * workspace_.pairs.pairs().size(),
                                        result_.state.warm_start[bilateral_key]);
    ComplementarityReport& total = report_.complementarity.emplace();
    total.rows = static_cast<int>(workspace_.pairs.pairs().size());
    for (std::size_t k = 0; k < workspace_.pairs.pairs().size(); ++k) {
        if (!(forces[3 * k] > 0.0)) continue;
        ++report_.contacts;
        const StepContact& pair = workspace_.pairs.pairs()[k];
        total.constraints += pair.friction > 0.0 ? 3 : 1;
        ++(pair.sticks(forces.data() + 3 * k) ? total.sticking : total.sliding);
    }
    total.solves = 1;
    total.normal_error = constraints.residual.normal;
    total.sticking_error = total.sliding_error = constraints.residual.friction;
    const ScopedTimer timer(timers_, "contacts");
    report_.min_gap = workspace_.pairs.smallest_gap(result_.state.x);
}

/// Shortens the way to x where it would lead through something. False if driven vertices would not get where they are
/// told.
bool LocalGlobalStep::certify(VecX& x) {
    const ScopedTimer timer(timers_, "ccd");
    constexpr double slack = 0.1;  // of a gap, which stays
    const VecX move = x - state_.x;
    if (!workspace_.way) workspace_.way = std::make_unique<ContactDetection>(world_, workspace_.pairs.thickness());
    workspace_.way->update(state_.x);  // what it knew of the last step must not show
    const StepBound bound = feasible_step_bound(world_, *workspace_.way, state_.x, move, slack);
    report_.ccd_queries += bound.ccd_queries;
    if (bound.fraction >= 1.0) return true;
    for (Index v = 0; v < world_.vertex_count(); ++v) {
        if (!input_.is_driven(v) || move.segment<3>(3 * v).isZero(0.0)) continue;
        report_.status = Status::targets_not_reached;
        report_.cause = fmt::format("certified up to {:.3g} of the step, and vertices are driven: {}", bound.fraction,
                                    describe_stencil(world_, bound.stencil));
        return false;
    }
    report_.notes.push_back("step ended early to stay free of intersections");
    x = state_.x + bound.fraction * move;
    return true;
}

void LocalGlobalStep::finish() {
    VecX& x = workspace_.end;
    x = workspace_.solve.x();
    if (options_.certify && !certify(x)) return;
    if (input_.moves != nullptr) input_.moves->accepted_move(state_.x, x);
    if (count_extrapolated(workspace_.elements, x.data()) > 0)
        report_.notes.push_back("elements of a barrier law beyond the volume ratio where it is continued");
    workspace_.end_velocity = (x - state_.x) / input_.h;
    end_step(state_, input_, x, workspace_.end_velocity, result_.state);
    result_.state.acceleration.resize(0);
    carry_over_warm_starts();
    report_contact();
    for (const auto& [phase, ms] : timers_.milliseconds()) report_.phases_ms[phase] += ms;
}

}  // namespace stiction
