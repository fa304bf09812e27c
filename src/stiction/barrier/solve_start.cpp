// What a barrier solve does before its first Newton iteration, and what it leaves behind.
#include "stiction/barrier/contact_list.hpp"
#include "stiction/barrier/solve.hpp"
#include "stiction/dynamics/contact_state.hpp"
#include "stiction/dynamics/flight.hpp"
#include "stiction/dynamics/rod_edges.hpp"

#include <cmath>

namespace stiction {

BarrierSolve::BarrierSolve(const World& world, const State& state, const StepInput& input,
                           const BarrierOptions& options, const Stage& stage, BarrierWorkspace& workspace,
                           StepReport& report)
    : model_{world, state, input, options, stage, resolve_limits(options, world)},
      detection_(workspace.detection),
      assembly_(workspace.assembly),
      log_(report),
      potential_(world, stage, input.external_force, state.x, model_.limits.dhat,
                 stiction::friction_law(options, model_.limits), input.overpressure),
      driven_(world, input, state.x),
      stiffness_(model_, potential_, workspace),
      iterate_{.x = state.x, .contacts = {}, .gradient = {}, .guard = stiffness_.guard()},
      stopping_(model_, potential_, assembly_),
      direction_(model_, potential_, stopping_, log_),
      confirmation_(model_, potential_, stopping_, log_),
      line_search_(model_, potential_, stopping_, direction_, confirmation_, log_),
      regions_(model_, workspace, potential_, stopping_, direction_, line_search_, log_),
      static_(model_, potential_, stiffness_, log_) {
    begin_assembly();
}

void BarrierSolve::begin_assembly() {
    assembly_.begin(DofMap(driven_.driven_axes(), model_.world.embedded));
    assembly_.choose(model_.options.linear_solver);
    chosen_solver_ = assembly_.newton().solver();
}

bool BarrierSolve::is_feasible() {
    const auto& [world, state, input, options, stage, limits] = model_;
    detection_.update(state.x);
    find_contacts();
    if (iterate_.contacts.min_gap == 0.0) {
        // An edge of a rod that has no length brings an end onto its neighbour, too.
        const std::string broken = broken_rod(world, iterate_.x);
        if (broken.empty()) {
            log_.stop(Status::infeasible_start, touching_cause());
        } else {
            log_.stop(Status::linear_solve_failed, broken);
        }
    } else if (!std::isfinite(filling_energy(world, iterate_.x, input.overpressure))) {
        log_.stop(Status::infeasible_start, "a filled region has no volume left at the start of the step");
    } else if (!std::isfinite(elastic_energy(world, iterate_.x))) {
        log_.stop(
            Status::infeasible_start,
            "an element is inverted or collapsed, or a sheet has reached its strain limit, at the start of the step");
    } else {
        return true;
    }
    return false;
}

std::string BarrierSolve::touching_cause() const {
    for (const Contact& contact : iterate_.contacts.contacts) {
        if (contact.squared_gap() == 0.0)
            return "touching at the start of the step: " + describe_stencil(model_.world, contact.vertices);
    }
    return "a pair of primitives touches at the start of the step";
}

std::vector<char> BarrierSolve::fall_freely(VecX& step) const {
    const auto& [world, state, input, options, stage, limits] = model_;
    if (stage.inertia == 0.0) return std::vector<char>(world.bodies.size(), 0);
    const Vec3 fall = stage.scale() * stage.scale() / stage.inertia * world.gravity;
    std::vector<char> flying =
        bodies_in_flight(world, input, detection_.scene(), iterate_.x, step, 2.0 * detection_.reach(), fall.norm());
    for (std::size_t b = 0; b < flying.size(); ++b) {
        const Body& body = world.bodies[b];
        for (Index v = body.first_vertex; flying[b] && v < body.first_vertex + body.vertex_count(); ++v)
            step.segment<3>(3 * v) += fall;
    }
    return flying;
}

void BarrierSolve::move_driven() {
    const ScopedTimer timer(log_.timers(), "driven");
    const Stage& stage = model_.stage;
    VecX x = iterate_.x;
    VecX step = stage.inertia > 0.0 ? VecX((stage.q_bar - x) + stage.scale() * stage.v_bar) : static_.carried_along();
    const std::vector<char> flying = fall_freely(step);
    const auto compare = [&](const VecX& from, const VecX& to) {
        // A region without volume is no start; the difference from there would be infinite.
        if (!std::isfinite(filling_energy(model_.world, from, model_.input.overpressure))) return -1.0;
        IncrementalPotential& potential = potential_.incremental();
        driven_.apply(potential);
        return potential.difference(from, potential.values(from), to, potential.values(to), 0.0).value;
    };
    driven_.start(detection_, x, step, model_.limits.dhat, flying, compare, log_.report().ccd_queries);
    iterate_.move(std::move(x));
    driven_.apply(potential_.incremental());
    if (driven_.pulling()) begin_assembly();
}

void BarrierSolve::find_contacts() {
    if (iterate_.knows_contacts) return;
    const ScopedTimer timer(log_.timers(), "contacts");
    iterate_.contacts = detection_.contacts(iterate_.x, model_.limits.dhat);
    iterate_.knows_contacts = true;
}

void BarrierSolve::lag_friction(double stiffness) {
    const ScopedTimer timer(log_.timers(), "friction");
    potential_.set_friction(potential_.lag_friction(iterate_.x, iterate_.contacts, stiffness));
}

void BarrierSolve::note_fallbacks() {
    if (assembly_.newton().gave_up(SystemSolver::multigrid))
        log_.note_once("multigrid reached its iteration limit: a factor took over");
    if (assembly_.newton().gave_up(SystemSolver::mixed) || regions_.gave_up_single())
        log_.note_once("single precision did not suffice for a factor: double took over");
}

void BarrierSolve::fill_report() {
    note_fallbacks();
    log_.report_phases();
    log_.report().contacts = static_cast<int>(iterate_.contacts.contacts.size());
    log_.report().min_gap = iterate_.contacts.min_gap;
}

void BarrierSolve::fill_forces(StepResult& result) const {
    const VecX& x = iterate_.x;
    const ContactSet& contacts = iterate_.contacts;
    const double scale = model_.stage.scale(), per_newton = scale * scale;
    result.contact_force = potential_.barrier_gradient_sum(x, contacts) * (-potential_.stiffness() / per_newton);
    result.friction_force = potential_.friction_gradient_sum(x) * (-1.0 / per_newton);
    result.report.contact_energy = potential_.barrier().value(x, contacts) / per_newton;
    result.contact_state =
        contact_states(model_.world, contacts, x, potential_.slip_origin(), potential_.friction_law());
    result.contacts.clear();
    if (!model_.input.list_contacts) return;
    const StageSlip end{x, potential_.slip_origin(), potential_.friction_law(), scale};
    result.contacts = list_contacts(model_.world, contacts, potential_.barrier(), end);
    add_lagged_friction(model_.world, contacts, potential_.friction(), end, result.contacts);
}

}  // namespace stiction
