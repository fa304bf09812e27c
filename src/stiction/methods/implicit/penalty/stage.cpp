#include "stiction/methods/implicit/penalty/stage.hpp"

#include "stiction/barrier/options.hpp"
#include "stiction/base/bytes.hpp"
#include "stiction/dynamics/feasible_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction::implicit {
namespace {

/// Share of an implicit surface's radius that a prescribed motion may cross in a stage.
constexpr double driven_share = 0.5;
/// How deep in thicknesses the start of an iteration may be: from deep inside, where the penalty is stiff and curved,
/// Newton finds no way out.
constexpr double shallow_depth = 0.5;
constexpr double smallest_prediction = 1.0 / 1024.0;
/// Repetitions of a step with a higher stiffness before it gives up.
constexpr int most_bumps = 20;
/// Leads a solve that stalls from a wide transition of friction to the narrow one: by factors of ten, by smaller ones
/// where those stall.
class FrictionContinuation {
public:
    /// Factor on the slips of the friction law that is to be solved next.
    double widening() const { return widening_; }
    bool given_up() const { return solves_ > most_solves || ratio_ < smallest_ratio; }
    /// @return true when the law itself has been solved with
    bool advance(bool solved) {
        ++solves_;
        if (solved && widening_ == 1.0) return true;
        if (solved) {
            solved_ = widening_;
        } else if (solved_ == 0.0) {
            // At first, and where even the widest stalls.
            if (widening_ != 1.0) ratio_ = 0.0;
            widening_ = widest;
            return false;
        } else {
            ratio_ = std::sqrt(ratio_);
        }
        widening_ = std::max(1.0, solved_ / ratio_);
        return false;
    }

private:
    static constexpr double widest = 1000.0, smallest_ratio = 1.2;
    static constexpr int most_solves = 30;
    double widening_ = 1.0, ratio_ = 10.0;
    double solved_ = 0.0;  ///< the last one that was solved with; 0: none
    int solves_ = 0;
};

double read_stiffness(const State& state) {
    const auto entry = state.warm_start.find(PenaltyStages::stiffness_key);
    if (entry == state.warm_start.end() || entry->second.size() != sizeof(double)) return 0.0;
    double kappa = 0.0;
    const char* at = entry->second.data();
    take_bytes(at, kappa);
    return kappa;
}

std::string bytes_of(double kappa) {
    std::string bytes;
    append_bytes(bytes, kappa);
    return bytes;
}

FrictionLaw friction_law(const Options& options, const World& world) {
    const BarrierLimits limits = resolve_limits(options, world);
    return stiction::friction_law(options, limits);
}

PenaltyStiffness make_stiffness(const Options& options, const World& world) {
    const PenaltyLimits limits = resolve_penalty(options, world);
    return {limits.stiffness, limits.thickness};
}

}  // namespace

PenaltyStages::PenaltyStages(const World& world, const State& state, const StepInput& input, const Options& options,
                             PenaltyWorkspace& workspace, JacobianSolver& jacobian, StepResult& result)
    : world_(world),
      state_(state),
      input_(input),
      options_(options),
      workspace_(workspace),
      jacobian_(jacobian),
      result_(result),
      law_(friction_law(options, world)),
      stiffness_(make_stiffness(options, world)),
      min_gap_(std::numeric_limits<double>::infinity()),
      deepest_(min_gap_) {
    stiffness_.restore(read_stiffness(state));
}

bool PenaltyStages::can_start() {
    if (std::isfinite(elastic_energy(world_, state_.x)) &&
        std::isfinite(filling_energy(world_, state_.x, input_.overpressure)))
        return true;
    return stop(Status::infeasible_start,
                "an element is inverted or collapsed, a sheet has reached its strain limit or a filled region has no "
                "volume left at the start of the step");
}

bool PenaltyStages::stiffen() {
    if (!stiffness_.bump(deepest_)) return false;
    if (raised_ == most_bumps) {
        return stop(Status::iteration_limit,
                    fmt::format("still {:.3g} m inside a surface after the contact stiffness was raised {} times",
                                -min_gap_, raised_));
    }
    ++raised_;
    min_gap_ = deepest_ = std::numeric_limits<double>::infinity();
    return true;
}

void PenaltyStages::finish(State& end) {
    if (raised_ > 0) result_.report.notes.push_back("contact stiffness raised");
    stiffness_.end_step(any_contact_);
    end.warm_start[stiffness_key] = bytes_of(stiffness_.kappa());
}

std::optional<StageEnd> PenaltyStages::solve(const StageSequence& stages) {
    const Stage& stage = stages.stage();
    const StepInput& input = stages.input();
    workspace_.assembly.begin(DofMap(input.driven_axes, world_.embedded));
    VecX predicted;
    if (!predict(stages, predicted)) return std::nullopt;
    jacobian_.begin(choose_solver(options_.solver, workspace_.assembly.map().node_count()));
    result_.report.linear_solver = linear_solver_names()[static_cast<std::size_t>(jacobian_.solver())];
    const IncrementalPotential potential(world_, stage, input.external_force, stages.start().x, input.overpressure);
    const NewtonLimits limits{implicit_tolerance(options_, law_.sticking_slip), options_.max_implicit_iterations,
                              stage.stopping_scale(), input.watch};
    const bool by_body = options_.implicit_tolerance == 0.0 && options_.friction_velocity == 0.0;
    const int rescues_before = jacobian_.rescues();
    // As it is; where that stalls, through wider transitions of friction, whose corner Newton does not miss.
    FrictionContinuation continuation;
    VecX start = predicted;
    std::string stall;
    while (!continuation.given_up()) {
        const PenaltyForce force{
            stiffness_.delta(), stiffness_.kappa(), stage.scale(),
            law_.scaled(continuation.widening() * stage.sticking_scale(), continuation.widening() * stage.scale())};
        PenaltyBalance solve(world_, potential, force, limits, by_body, workspace_.detection, workspace_.assembly,
                             jacobian_, result_.report, start);
        const bool solved = solve.run();
        solve.fill_phases();
        if (result_.report.status == Status::interrupted) return std::nullopt;
        if (!solved && stall.empty()) stall = solve.stall();
        if (!solved && world_.friction.frictionless()) break;
        if (solved) start = solve.x();
        if (!continuation.advance(solved)) continue;
        if (!stall.empty()) result_.report.notes.push_back("friction approached through wider transitions");
        if (jacobian_.rescues() > rescues_before) result_.report.notes.push_back("LU in place of BiCGSTAB");
        solve.fill_forces(input_.list_contacts, result_);
        solve.fill_report();
        min_gap_ = std::min(min_gap_, solve.contacts().min_gap);
        deepest_ = std::min(deepest_, solve.contacts().deepest);
        result_.report.min_gap = min_gap_;
        any_contact_ = !solve.contacts().contacts.empty();
        return StageEnd{solve.x(), bytes_of(stiffness_.kappa())};
    }
    stop(Status::line_search_stalled, "implicit contact and friction: " + stall);
    return std::nullopt;
}

bool PenaltyStages::predict(const StageSequence& stages, VecX& x) {
    const VecX& from = stages.start().x;
    const StepInput& input = stages.input();
    const Stage& stage = stages.stage();
    VecX driven = VecX::Zero(from.size()), free = (stage.q_bar - from) + stage.scale() * stage.v_bar;
    for (Index v = 0; v < world_.vertex_count(); ++v) {
        for (int axis = 0; axis < 3; ++axis) {
            if (!(input.driven_axes[static_cast<std::size_t>(v)] >> axis & 1)) continue;
            driven[3 * v + axis] = input.target[3 * v + axis] - from[3 * v + axis];
            free[3 * v + axis] = 0.0;
        }
    }
    const auto bound = [&](const VecX& at, const VecX& p) {
        return std::min(element_step_bound(world_, at, p), workspace_.detection.reach_bound(at, p, driven_share));
    };
    x = from + driven;
    for (Index i = 0; i < x.size(); ++i) {
        // Exactly the targets, not the targets up to rounding.
        if (input.driven_axes[static_cast<std::size_t>(i / 3)] >> (i % 3) & 1) x[i] = input.target[i];
    }
    if (bound(from, driven + free) == 1.0) {
        x += shallow_fraction(x, free) * free;
        return true;
    }
    // Together is how what is driven carries the rest along; alone, the rest follows in the iterations.
    if (bound(from, driven) < 1.0) {
        return stop(Status::targets_not_reached,
                    fmt::format("the prescribed motion of {} would turn elements over, or cross more than half the "
                                "reach of an implicit surface, within a step",
                                blocked_bodies(from, driven)));
    }
    free *= bound(x, free);
    x += shallow_fraction(x, free) * free;
    return true;
}

std::string PenaltyStages::blocked_bodies(const VecX& from, const VecX& driven) {
    std::string names, all;
    for (const Body& body : world_.bodies) {
        const Eigen::Index first = 3 * body.first_vertex, count = 3 * body.vertex_count();
        if (driven.segment(first, count).isZero(0.0)) continue;
        VecX alone = VecX::Zero(driven.size());
        alone.segment(first, count) = driven.segment(first, count);
        const std::string name = fmt::format("'{}'", body.name);
        all += (all.empty() ? "" : ", ") + name;
        const double bound = std::min(element_step_bound(world_, from, alone),
                                      workspace_.detection.reach_bound(from, alone, driven_share));
        if (bound < 1.0) names += (names.empty() ? "" : ", ") + name;
    }
    return names.empty() ? all : names;  // two may block each other, and neither alone
}

double PenaltyStages::shallow_fraction(const VecX& x, const VecX& p) {
    const double thickness = stiffness_.delta();
    const double allowed =
        std::min(workspace_.detection.contacts(x, thickness).deepest, 0.0) - shallow_depth * thickness;
    for (double fraction = 1.0; fraction > smallest_prediction; fraction *= 0.5) {
        if (workspace_.detection.contacts(x + fraction * p, thickness).deepest >= allowed) return fraction;
    }
    return 0.0;
}

bool PenaltyStages::stop(Status status, std::string cause) {
    result_.report.status = status;
    result_.report.cause = std::move(cause);
    return false;
}

}  // namespace stiction::implicit
