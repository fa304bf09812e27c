// The end of a step, from the velocities of its last solve: the next state, and what is told of it.
#include "stiction/dynamics/feasible_step.hpp"
#include "stiction/methods/mlcp/step.hpp"

#include <fmt/format.h>

namespace stiction::mlcp {

/// What later steps make up for. The published acceptance and the rivals have no bounds on bodies, and carry nothing.
CarriedMomentum Step::carried_momentum() const {
    CarriedMomentum carried(world_.bodies.size());
    const ContactProblem& problem = solver_.problem();
    if (!options_.variants.carry_momentum || problem.bodies.empty()) return carried;
    carried.postponed = carried_.postponed;
    const std::vector<Vec3> unbalanced = unbalanced_momentum(problem, solver_.solution(), options_.tolerance);
    for (std::size_t k = 0; k < unbalanced.size(); ++k)
        carried.add(problem.bodies[k], unbalanced[k], options_.tolerance);
    return carried;
}

/// Takes the velocities as those of the end of the step.
void Step::finish() {
    StepReport& report = result_.report;
    VecX x_end = solver_.end_positions();
    const VecX move = x_end - state_.x;
    const double fraction = element_step_bound(world_, state_.x, move);
    if (fraction < 1.0) {
        if (!velocities_.may_be_shortened()) {
            solver_.fail(Status::iteration_limit,
                         fmt::format("an element of a barrier law would be inverted at {:.3g} of the step", fraction));
            return;
        }
        x_end = state_.x + fraction * move;
        report.notes.push_back("step clipped: an element of a barrier law would be inverted");
    }
    if (input_.moves != nullptr) input_.moves->accepted_move(state_.x, x_end);
    State& next = result_.state;
    end_step(state_, input_, x_end, velocities_.end_velocity(solver_.solution().v, x_end), next);
    next.acceleration.resize(0);
    next.warm_start = state_.warm_start;
    next.warm_start[StepContacts::warm_start_key] = contacts_.warm_start(x_end, options_.friction_update);
    solver_.store_direct_steps(next);
    store_carried_momentum(fraction < 1.0 ? CarriedMomentum() : carried_momentum(), next);
    contacts_.fill_forces(result_);
    result_.contacts.clear();
    if (input_.list_contacts) result_.contacts = contacts_.list_contacts(x_end);
    report.ccd_queries = collisions_.queries();
    report.contacts = contacts_.closed();
    report.min_gap = workspace_.detection.contacts(x_end, limits_.touching()).min_gap;
}

}  // namespace stiction::mlcp
