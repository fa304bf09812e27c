// What a barrier solve does before its first Newton iteration, and what it leaves behind.
#include "stiction/base/bytes.hpp"
#include "stiction/contact/barrier.hpp"
#include "stiction/dynamics/barrier/contact_list.hpp"
#include "stiction/dynamics/barrier/solve.hpp"
#include "stiction/dynamics/contact_state.hpp"
#include "stiction/dynamics/flight.hpp"
#include "stiction/dynamics/rod_edges.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

/// Fraction of dhat at which the most loaded contact of the last step is meant to sit.
constexpr double loaded_gap = 0.1;
/// The last step's stiffness is kept while the wanted one is within this factor of it. Chosen anew at every step, the
/// stiffness that balances the moving body at its present gap would make any slow approach an equilibrium: nothing
/// would push a sinking body back.
constexpr double kept_within = 4.0;
/// Part of dhat below which gaps are guarded under the rule `load`: a soft barrier has to stiffen as soon as bodies
/// strike, or gaps fall to where CCD cuts every step.
constexpr double guarded_gap = 1e-2;

/// Part of its activation distance below which the gap of a contact is guarded: 1e-9 l as published, and more where
/// `guarded_gap` asks for it.
double guarded_part(const BarrierOptions& options, const World& world, double dhat) {
    const double published = 1e-9 * world.length / dhat;
    return options.stiffness_rule == StiffnessRule::balance ? published : std::max(published, guarded_gap);
}

}  // namespace

BarrierSolve::BarrierSolve(const World& world, const State& state, const StepInput& input,
                           const BarrierOptions& options, const Stage& stage, BarrierWorkspace& workspace,
                           StepReport& report)
    : world_(world),
      state_(state),
      input_(input),
      options_(options),
      stage_(stage),
      detection_(workspace.detection),
      assembly_(workspace.assembly),
      region_assembly_(workspace.region_assembly),
      report_(report),
      limits_(resolve_limits(options, world)),
      bounds_(stiffness_bounds(options.stiffness_rule, world.mean_mass, world.length, limits_.dhat)),
      guard_(guarded_part(options, world, limits_.dhat) * limits_.dhat),
      potential_(world, stage, input.external_force, state.x, limits_.dhat, stiction::friction_law(options, limits_),
                 input.overpressure),
      driven_(world, input, state.x),
      x_(state.x) {
    // The bounds are those of a step of size h: the physical stiffness must not jump from one stage's scale to
    // another's, which would throw off whatever rests.
    // They are meant for a contact that counts 1: with weights, for that of a mean vertex, or at most of a bare point.
    // By inertia alone a contact would be the softer the longer the step is, and could not bear a load in the end.
    const double longer = std::max(1.0, stage.scale() / Stage::longest_dynamic);
    const double factor = options.barrier_stiffness_scale * stage.a * stage.a * longer * longer;
    bounds_.lower *= factor / workspace.mean_weight;
    bounds_.upper *= factor / workspace.least_weight;
    begin_assembly();
}

void BarrierSolve::begin_assembly() {
    assembly_.begin(DofMap(driven_.driven_axes(), world_.embedded));
    assembly_.choose(options_.linear_solver);
    chosen_solver_ = assembly_.solver();
}

bool BarrierSolve::is_feasible() {
    detection_.update(state_.x);
    find_contacts();
    if (contacts_.min_gap == 0.0) {
        // An edge of a rod that has no length brings an end onto its neighbour, too.
        const std::string broken = broken_rod(world_, x_);
        if (broken.empty()) {
            stop(Status::infeasible_start, touching_cause());
        } else {
            stop(Status::linear_solve_failed, broken);
        }
    } else if (!std::isfinite(filling_energy(world_, x_, input_.overpressure))) {
        stop(Status::infeasible_start, "a filled region has no volume left at the start of the step");
    } else if (!std::isfinite(elastic_energy(world_, x_))) {
        stop(Status::infeasible_start,
             "an element is inverted or collapsed, or a sheet has reached its strain limit, at the start of the step");
    } else {
        return true;
    }
    return false;
}

std::string BarrierSolve::warm_start() const {
    const double physical = potential_.stiffness() / (stage_.scale() * stage_.scale());
    std::string bytes;
    append_bytes(bytes, physical);
    if (is_weighted()) bytes += weighted_mark;
    return bytes;
}

void BarrierSolve::fill_forces(StepResult& result) const {
    const double per_newton = stage_.scale() * stage_.scale();
    result.contact_force = potential_.barrier_gradient_sum(x_, contacts_) * (-potential_.stiffness() / per_newton);
    result.friction_force = potential_.friction_gradient_sum(x_) * (-1.0 / per_newton);
    result.report.contact_energy = potential_.barrier().value(x_, contacts_) / per_newton;
    result.contact_state = contact_states(world_, contacts_, x_, potential_.slip_origin(), potential_.friction_law());
    result.contacts.clear();
    if (input_.list_contacts) result.contacts = list_contacts();
}

std::vector<ContactForce> BarrierSolve::list_contacts() const {
    const StageSlip end{x_, potential_.slip_origin(), potential_.friction_law(), stage_.scale()};
    std::vector<ContactForce> list = stiction::list_contacts(world_, contacts_, potential_.barrier(), end);
    add_lagged_friction(world_, contacts_, potential_.friction(), end, list);
    return list;
}

double BarrierSolve::last_stiffness() const {
    const auto entry = state_.warm_start.find(warm_start_key);
    if (entry == state_.warm_start.end() || entry->second.size() != sizeof(double) + is_weighted()) return 0.0;
    double physical = 0.0;
    const char* at = entry->second.data();
    take_bytes(at, physical);
    return physical * stage_.scale() * stage_.scale();
}

std::vector<char> BarrierSolve::fall_freely(VecX& step) const {
    if (stage_.inertia == 0.0) return std::vector<char>(world_.bodies.size(), 0);
    const Vec3 fall = stage_.scale() * stage_.scale() / stage_.inertia * world_.gravity;
    std::vector<char> flying =
        bodies_in_flight(world_, input_, detection_.scene(), x_, step, 2.0 * detection_.reach(), fall.norm());
    for (std::size_t b = 0; b < flying.size(); ++b) {
        const Body& body = world_.bodies[b];
        for (Index v = body.first_vertex; flying[b] && v < body.first_vertex + body.vertex_count(); ++v)
            step.segment<3>(3 * v) += fall;
    }
    return flying;
}

void BarrierSolve::move_driven() {
    const ScopedTimer timer(timers_, "driven");
    VecX step = stage_.inertia > 0.0 ? VecX((stage_.q_bar - x_) + stage_.scale() * stage_.v_bar) : carried_along();
    const std::vector<char> flying = fall_freely(step);
    const auto compare = [&](const VecX& from, const VecX& to) {
        // A region without volume is no start; the difference from there would be infinite.
        if (!std::isfinite(filling_energy(world_, from, input_.overpressure))) return -1.0;
        IncrementalPotential& potential = potential_.incremental();
        driven_.apply(potential);
        return potential.difference(from, potential.values(from), to, potential.values(to), 0.0).value;
    };
    driven_.start(detection_, x_, step, limits_.dhat, flying, compare, report_.ccd_queries);
    driven_.apply(potential_.incremental());
    if (driven_.pulling()) begin_assembly();
}

void BarrierSolve::find_contacts() {
    const ScopedTimer timer(timers_, "contacts");
    contacts_ = detection_.contacts(x_, limits_.dhat);
}

void BarrierSolve::keep_gaps_open(double stiffness) {
    double largest = 0.0;
    for (const Contact& contact : contacts_.contacts) {
        const double reach = contact.squared_reach(limits_.dhat * limits_.dhat);
        largest = std::max(largest, barrier_force(contact.squared_gap(), reach) /
                                        barrier_force(loaded_gap * loaded_gap * reach, reach));
    }
    loaded_stiffness_ = std::clamp(stiffness * largest, bounds_.lower, bounds_.upper);
}

void BarrierSolve::lag_friction(double stiffness) {
    const ScopedTimer timer(timers_, "friction");
    potential_.set_friction(potential_.lag_friction(x_, contacts_, stiffness));
}

double BarrierSolve::balance_at_start() {
    find_contacts();
    VecX barrier, rest;
    assembly_.map().restrict_gradient(potential_.barrier_gradient_sum(x_, contacts_), barrier);
    assembly_.map().restrict_gradient(potential_.incremental().gradient(x_) + potential_.friction_gradient_sum(x_),
                                      rest);
    return balanced_stiffness(barrier, rest, bounds_);
}

void BarrierSolve::start_stiffness() {
    const double scale_squared = stage_.scale() * stage_.scale();
    if (options_.barrier_stiffness > 0.0) return potential_.set_stiffness(options_.barrier_stiffness * scale_squared);
    const double balanced = options_.stiffness_rule == StiffnessRule::balance ? balance_at_start() : bounds_.lower;
    const double wanted = std::max(balanced, loaded_stiffness_), last = last_stiffness();
    const bool keep = last >= wanted / kept_within && last <= wanted * kept_within;
    potential_.set_stiffness(keep ? last : wanted);
}

double BarrierSolve::tolerance(double share) const {
    const double tolerance = (options_.velocity_tolerance > 0.0 ? 1.0 : share) * limits_.velocity_tolerance;
    const double cap = (options_.friction_velocity > 0.0 ? 1.0 : share) * options_.friction_tolerance_factor *
                       limits_.friction_velocity;
    if (cap == 0.0 || cap >= tolerance) return tolerance;
    return !potential_.friction().empty() || any_with_friction(world_, contacts_) ? cap : tolerance;
}

std::string BarrierSolve::touching_cause() const {
    for (const Contact& contact : contacts_.contacts) {
        if (contact.squared_gap() == 0.0)
            return "touching at the start of the step: " + describe_stencil(world_, contact.vertices);
    }
    return "a pair of primitives touches at the start of the step";
}

void BarrierSolve::stop(Status status, std::string cause) {
    report_.status = status;
    report_.cause = std::move(cause);
}

}  // namespace stiction
