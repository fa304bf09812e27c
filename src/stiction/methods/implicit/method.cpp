#include "stiction/methods/implicit/method.hpp"

#include "stiction/methods/implicit/workspace.hpp"
#include "stiction/world/start_check.hpp"

#include <algorithm>

namespace stiction::implicit {

Implicit::Workspace::Workspace(const World& world, const Options& options) : identity(world.identity) {
    if (options.contact == ContactModel::penalty) {
        penalty = std::make_unique<PenaltyWorkspace>(world, options);
    } else {
        barrier = std::make_unique<BarrierWorkspace>(world, options);
    }
}

std::unique_ptr<StageSolver> Implicit::Workspace::stage_solver(const World& world, const State& state,
                                                               const StepInput& input, const Options& options,
                                                               StepResult& result) {
    if (penalty) return std::make_unique<PenaltyStages>(world, state, input, options, *penalty, jacobian, result);
    return std::make_unique<BarrierStages>(world, options, *barrier, jacobian, result);
}

Implicit::Implicit(const Options& options, Integrator integrator) : options_(options), integrator_(integrator) {}
Implicit::~Implicit() = default;

double Implicit::contact_distance(const World& world) const {
    if (options_.contact == ContactModel::barrier) return resolve_limits(options_, world).dhat;
    return std::max(resolve_penalty(options_, world).thickness, PenaltyDetection(world, options_).largest_radius());
}

double Implicit::arc_sagitta(const World& world, double length) const {
    const bool is_given =
        options_.contact == ContactModel::barrier ? options_.dhat > 0.0 : options_.penalty_thickness > 0.0;
    return is_given ? 0.5 * contact_distance(world) : Method::arc_sagitta(world, length);
}

void Implicit::check(const World& world) const {
    if (options_.contact != ContactModel::penalty) return;
    PenaltyDetection detection(world, options_);
    // Bodies that truly intersect are told apart by the check that every start goes through.
    State start;
    start.x = world.initial_positions;
    if (start_problems(world, start).empty()) detection.check_start();
}

}  // namespace stiction::implicit
