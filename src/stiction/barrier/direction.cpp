#include "stiction/barrier/direction.hpp"

#include "stiction/linalg/vector_ops.hpp"
#include "stiction/nonlinear/stopping.hpp"

#include <algorithm>
#include <utility>

namespace stiction {

NewtonDirection::NewtonDirection(const StageModel& model, BarrierPotential& potential, const StoppingRule& stopping,
                                 SolveLog& log)
    : model_(model), potential_(potential), stopping_(stopping), log_(log), refinement_(model.options.refine_after) {}

void NewtonDirection::begin() {
    potential_.forget_slip_directions();
    potential_.predicted_forces().forget();
    forget_move();
    refinement_ = RefinementRule(model_.options.refine_after);
}

bool NewtonDirection::find(Iterate& iterate, const SearchDomain& domain, int iteration, bool refines, VecX& p) {
    // The gradient, and room for its contacts in the matrix.
    {
        const ScopedTimer timer(log_.timers(), "assembly");
        iterate.force_sum = 0.0;
        iterate.gradient = potential_.gradient(iterate.x, iterate.contacts, &iterate.force_sum, domain.moving());
        make_room(iterate, domain);
    }
    if (last_move_.slope < 0.0) {
        potential_.predicted_forces().add_new(iterate.x, iterate.contacts, potential_.stiffness(),
                                              {last_move_.direction, last_move_.alpha});
    }
    // The projected direction, and where it pays the refined one.
    is_refined_ = false;
    if (!factorise(iterate, domain, p)) {
        still_.clear();
        return factorise_shifted(iterate, domain, p);
    }
    keep_still(iterate, p);
    projected_slope_ = dot(p, iterate.gradient);
    const bool pays = refinement_.wants(iteration, softening(iterate.gradient));
    if (pays || (refines && !domain.is_region())) is_refined_ = refine(iterate, domain, p);
    return true;
}

void NewtonDirection::make_room(const Iterate& iterate, const SearchDomain& domain) {
    const auto missing = [&](const Contact& contact) { return !domain.assembly().covers(contact.vertices); };
    const auto missing_friction = [&](const LaggedFriction& contact) {
        return !domain.assembly().covers(contact.pair.key.vertices);
    };
    if (std::ranges::none_of(iterate.contacts.contacts, missing) &&
        std::ranges::none_of(potential_.friction(), missing_friction))
        return;
    auto stencils = domain.near(iterate.x);
    for (const LaggedFriction& contact : potential_.friction()) stencils.push_back(contact.pair.key.vertices);
    domain.assembly().extend(stencils);
}

bool NewtonDirection::factorise(const Iterate& iterate, const SearchDomain& domain, VecX& p) {
    domain.assembly().set_positions(iterate.x);
    {
        const ScopedTimer timer(log_.timers(), "assembly");
        potential_.assemble(iterate.x, iterate.contacts, true, domain.assembly());
    }
    const ScopedTimer timer(log_.timers(), "solve");
    ++log_.report().linear_solves;
    return domain.assembly().solve(iterate.gradient, p);
}

/// Rounding can make a nearly singular positive semi-definite sum indefinite: more inertia cures that and keeps a
/// descent direction.
bool NewtonDirection::factorise_shifted(const Iterate& iterate, const SearchDomain& domain, VecX& p) {
    for (double shift = 1.0; shift <= 1e6; shift *= 100.0) {
        domain.assembly().add_shift(shift);
        const ScopedTimer timer(log_.timers(), "solve");
        ++log_.report().linear_solves;
        if (!domain.assembly().solve(iterate.gradient, p)) continue;
        log_.note_once("factorisation shifted by inertia");
        return true;
    }
    return false;
}

void NewtonDirection::keep_still(Iterate& iterate, VecX& p) {
    constexpr double negligible = 1e-6;  // of the tolerance
    const World& world = model_.world;
    still_.assign(world.bodies.size(), 0);
    bool is_any_moving = false;
    for (std::size_t b = 0; b < still_.size(); ++b) {
        const Body& body = world.bodies[b];
        if (body.is_obstacle()) continue;
        const double own = infinity_norm(p.segment(3 * body.first_vertex, 3 * body.vertex_count())),
                     tolerance = stopping_.tolerance(iterate.contacts, body.contact_length / world.length);
        still_[b] = own < negligible * tolerance * model_.stage.stopping_scale();
        is_any_moving = is_any_moving || !still_[b];
    }
    if (!is_any_moving) still_.clear();
    p = without_still(std::move(p));
    iterate.gradient = without_still(std::move(iterate.gradient));
}

VecX NewtonDirection::without_still(VecX values) const {
    for (std::size_t b = 0; b < still_.size(); ++b) {
        const Body& body = model_.world.bodies[b];
        if (still_[b]) values.segment(3 * body.first_vertex, 3 * body.vertex_count()).setZero();
    }
    return values;
}

bool NewtonDirection::refine(const Iterate& iterate, const SearchDomain& domain, VecX& p) {
    VecX refined;
    {
        const ScopedTimer timer(log_.timers(), "assembly");
        potential_.assemble(iterate.x, iterate.contacts, false, domain.assembly());
    }
    const ScopedTimer timer(log_.timers(), "solve");
    domain.assembly().refine(iterate.gradient, refined);
    if (!refined.allFinite() || !(dot(refined, iterate.gradient) < 0.0)) return false;
    p = refined;
    return true;
}

double NewtonDirection::softening(const VecX& gradient) const {
    if (!(last_move_.slope < 0.0)) return 0.0;
    const double slope_left = dot(last_move_.direction, gradient) / last_move_.slope;
    return (slope_left - (1.0 - last_move_.alpha)) / last_move_.alpha;
}

double NewtonDirection::longest_step(const Iterate& iterate, const SearchDomain& domain, const VecX& p) const {
    // In regions it costs as much as it saves.
    if (domain.is_region() || is_refined_ != last_move_.is_refined) return 1.0;
    const double longest = multiple_to_minimum(softening(iterate.gradient));
    // Strain limits bound a way by its chord, which lies higher over a longer one.
    const bool is_cut = longest > 1.0 && longest * element_step_bound(model_.world, iterate.x, longest * p) < 1.0;
    return is_cut ? 1.0 : longest;
}

void NewtonDirection::moved(const Iterate& from, const SearchDomain& domain, const VecX& p,
                            const LineSearchResult& found) {
    // The whole direction tells more than the part that was taken: short steps in a row look settled, and are not.
    const VecX whole = std::max(1.0, found.alpha) * p;
    potential_.update_slip_directions(from.x, whole, domain.moving());
    potential_.predicted_forces().update(from.x, from.contacts, potential_.stiffness(),
                                         {whole, std::min(1.0, found.alpha)});
    last_move_ = {p, found.alpha, dot(p, from.gradient), is_refined_};
    refinement_.moved(found.difference, projected_slope_);
}

RefinementRule NewtonDirection::enter_region() {
    forget_move();
    return std::exchange(refinement_, RefinementRule(model_.options.refine_after));
}

void NewtonDirection::leave_region(const RefinementRule& outside) {
    forget_move();
    refinement_ = outside;
}

}  // namespace stiction
