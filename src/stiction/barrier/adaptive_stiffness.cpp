#include "stiction/barrier/adaptive_stiffness.hpp"

#include "stiction/base/bytes.hpp"
#include "stiction/contact/barrier.hpp"

#include <algorithm>

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

/// The bounds are those of a step of size h: the physical stiffness must not jump from one stage's scale to another's,
/// which would throw off whatever rests. They are meant for a contact that counts 1: with weights, for that of a mean
/// vertex, or at most of a bare point. By inertia alone a contact would be the softer the longer the step is, and could
/// not bear a load in the end.
StiffnessBounds stage_bounds(const StageModel& model, const BarrierWorkspace& workspace) {
    const auto& [world, state, input, options, stage, limits] = model;
    StiffnessBounds bounds = stiffness_bounds(options.stiffness_rule, world.mean_mass, world.length, limits.dhat);
    const double longer = std::max(1.0, stage.scale() / Stage::longest_dynamic);
    const double factor = options.barrier_stiffness_scale * stage.a * stage.a * longer * longer;
    bounds.lower *= factor / workspace.mean_weight;
    bounds.upper *= factor / workspace.least_weight;
    return bounds;
}

}  // namespace

AdaptiveStiffness::AdaptiveStiffness(const StageModel& model, BarrierPotential& potential,
                                     const BarrierWorkspace& workspace)
    : model_(model), potential_(potential), bounds_(stage_bounds(model, workspace)) {}

/// Gaps are guarded below 1e-9 l as published, and below more where `guarded_gap` asks for it.
StiffnessGuard AdaptiveStiffness::guard() const {
    const double dhat = model_.limits.dhat, published = 1e-9 * model_.world.length / dhat;
    const bool is_published = model_.options.stiffness_rule == StiffnessRule::balance;
    return StiffnessGuard((is_published ? published : std::max(published, guarded_gap)) * dhat);
}

double AdaptiveStiffness::last() const {
    const auto& kept = model_.state.warm_start;
    const auto entry = kept.find(warm_start_key);
    if (entry == kept.end() || entry->second.size() != sizeof(double) + is_weighted()) return 0.0;
    double physical = 0.0;
    const char* at = entry->second.data();
    take_bytes(at, physical);
    return physical * model_.stage.scale() * model_.stage.scale();
}

std::string AdaptiveStiffness::warm_start() const {
    const double physical = potential_.stiffness() / (model_.stage.scale() * model_.stage.scale());
    std::string bytes;
    append_bytes(bytes, physical);
    if (is_weighted()) bytes += weighted_mark;
    return bytes;
}

void AdaptiveStiffness::measure_loads(const ContactSet& contacts, double stiffness) {
    double largest = 0.0;
    for (const Contact& contact : contacts.contacts) {
        const double reach = contact.squared_reach(model_.limits.dhat * model_.limits.dhat);
        largest = std::max(largest, barrier_force(contact.squared_gap(), reach) /
                                        barrier_force(loaded_gap * loaded_gap * reach, reach));
    }
    loaded_ = std::clamp(stiffness * largest, bounds_.lower, bounds_.upper);
}

double AdaptiveStiffness::balance(const Iterate& iterate, const DofMap& map) const {
    VecX barrier, rest;
    map.restrict_gradient(potential_.barrier_gradient_sum(iterate.x, iterate.contacts), barrier);
    map.restrict_gradient(potential_.incremental().gradient(iterate.x) + potential_.friction_gradient_sum(iterate.x),
                          rest);
    return balanced_stiffness(barrier, rest, bounds_);
}

void AdaptiveStiffness::start(const Iterate& iterate, const DofMap& map) {
    const auto& options = model_.options;
    const double scale_squared = model_.stage.scale() * model_.stage.scale();
    if (is_given()) return potential_.set_stiffness(options.barrier_stiffness * scale_squared);
    const double balanced = options.stiffness_rule == StiffnessRule::balance ? balance(iterate, map) : bounds_.lower;
    const double wanted = std::max(balanced, loaded_), before = last();
    const bool keep = before >= wanted / kept_within && before <= wanted * kept_within;
    potential_.set_stiffness(keep ? before : wanted);
}

void AdaptiveStiffness::meet_loads() {
    if (!is_given()) potential_.set_stiffness(std::max(bounds_.lower, loaded_));
}

bool AdaptiveStiffness::grow(Iterate& iterate) {
    if (!iterate.guard.shrinking(iterate.contacts) || is_given()) return false;
    potential_.set_stiffness(std::min(2.0 * potential_.stiffness(), bounds_.upper));
    return true;
}

}  // namespace stiction
