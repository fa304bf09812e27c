#include "stiction/barrier/region_solve.hpp"

#include "stiction/nonlinear/stopping.hpp"

#include <algorithm>
#include <utility>

namespace stiction {

void RegionSolve::solve(Iterate& iterate, const SearchDomain& whole, const VecX& p, double residual) {
    const RegionOptions& options = model_.options.region;
    std::optional<Region> region;
    {
        const ScopedTimer timer(log_.timers(), "assembly");
        region = find_region(model_.world, assembly_, p, options);
    }
    if (!region) return;
    const double enough =
        std::max(options.tolerance_part * stopping_.tolerance(iterate.contacts), options.residual_part * residual);
    move(iterate, whole, *region, [&](const VecX& q) { return stopping_.speed(q, iterate.contacts) <= enough; });
}

std::optional<bool> RegionSolve::balance(Iterate& iterate, const SearchDomain& whole) {
    const double left = stopping_.imbalance(iterate), allowed = model_.options.balance_tolerance;
    RegionOptions options = model_.options.region;
    if (left > options.balance_reach * allowed) return std::nullopt;

    // The vertices that miss it.
    options.core = options.balance_part * allowed / left;
    VecX free;
    std::optional<Region> region;
    {
        const ScopedTimer timer(log_.timers(), "assembly");
        VecX forces;
        assembly_.map().restrict_gradient(potential_.gradient(iterate.x, iterate.contacts), free);
        assembly_.map().expand_step(free, forces);
        region = find_region(model_.world, assembly_, forces, options);
    }
    if (!region) return std::nullopt;

    const double enough = options.core * infinity_norm(free), short_enough = stopping_.tolerance(iterate.contacts);
    const bool solved = move(iterate, whole, *region, [&](const VecX& p) {
        VecX inside;
        region_assembly_.map().restrict_gradient(iterate.gradient, inside);
        return infinity_norm(inside) <= enough && stopping_.speed(p, iterate.contacts) < short_enough;
    });
    // Bodies with friction may have met in the region: p is not short enough then.
    return solved && stopping_.tolerance(iterate.contacts) >= short_enough && stopping_.imbalance(iterate) <= allowed;
}

bool RegionSolve::move(Iterate& iterate, const SearchDomain& whole, const Region& region,
                       const std::function<bool(const VecX& p)>& enough) {
    {
        const ScopedTimer timer(log_.timers(), "assembly");
        region_assembly_.begin(DofMap(region.driven_axes, model_.world.embedded), true);
        const bool is_direct = model_.options.linear_solver == SystemSolver::direct || gave_up_single_;
        region_assembly_.choose(is_direct ? SystemSolver::direct : SystemSolver::mixed);
    }
    RegionDetection detection(detection_, region.moving, model_.limits.dhat);
    const SearchDomain part(whole, region_assembly_, detection);
    const auto [status, cause] = std::pair(log_.report().status, log_.report().cause);
    const RefinementRule outside = direction_.enter_region();
    iterate.contacts = part.contacts(iterate.x);
    const bool solved = iterate_until(iterate, part, enough);
    gave_up_single_ = gave_up_single_ || region_assembly_.newton().gave_up(SystemSolver::mixed);
    direction_.leave_region(outside);
    iterate.contacts = whole.contacts(iterate.x);
    // A region that gets no further leaves the rest to the whole.
    log_.stop(status, cause);
    return solved;
}

bool RegionSolve::iterate_until(Iterate& iterate, const SearchDomain& domain,
                                const std::function<bool(const VecX& p)>& enough) {
    VecX p;
    for (int iteration = 0; iteration < model_.options.region.max_iterations; ++iteration) {
        if (!model_.input.go_on(log_.report())) return false;
        if (!direction_.find(iterate, domain, iteration, false, p)) return false;
        if (enough(p)) return true;
        IterationTrace trace;
        if (!line_search_.move(iterate, domain, p, trace)) return false;
    }
    return false;
}

}  // namespace stiction
