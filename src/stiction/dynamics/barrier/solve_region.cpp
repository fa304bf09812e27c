// Newton iterations of a barrier solve in a part of the scene.
#include "stiction/dynamics/barrier/solve.hpp"
#include "stiction/nonlinear/stopping.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace stiction {

const std::vector<char>& BarrierSolve::moving() const {
    static const std::vector<char> all;
    return domain_.region ? domain_.region->moving() : all;
}

ContactSet BarrierSolve::contacts_at(const VecX& x) const {
    return domain_.region ? domain_.region->contacts(x, limits_.dhat) : detection_.contacts(x, limits_.dhat);
}

void BarrierSolve::solve_region(const VecX& p, double residual) {
    std::optional<Region> region;
    {
        const ScopedTimer timer(timers_, "assembly");
        region = find_region(world_, assembly_, p, options_.region);
    }
    if (!region) return;
    const double enough =
        std::max(options_.region.tolerance_part * tolerance(), options_.region.residual_part * residual);
    move_region(*region, [&](const VecX& q) { return speed(q) <= enough; });
}

std::optional<bool> BarrierSolve::balance_region() {
    const double left = imbalance();
    if (left > options_.region.balance_reach * options_.balance_tolerance) return std::nullopt;
    RegionOptions options = options_.region;
    options.core = options.balance_part * options_.balance_tolerance / left;
    VecX free;
    std::optional<Region> region;
    {
        const ScopedTimer timer(timers_, "assembly");
        VecX forces;
        assembly_.map().restrict_gradient(potential_.gradient(x_, contacts_), free);
        assembly_.map().expand_step(free, forces);
        region = find_region(world_, assembly_, forces, options);
    }
    if (!region) return std::nullopt;
    const double enough = options.core * infinity_norm(free), short_enough = tolerance();
    const bool solved = move_region(*region, [&](const VecX& p) {
        VecX inside;
        region_assembly_.map().restrict_gradient(gradient_, inside);
        return infinity_norm(inside) <= enough && speed(p) < short_enough;
    });
    // Bodies with friction may have met in the region: p is not short enough then.
    return solved && tolerance() >= short_enough && imbalance() <= options_.balance_tolerance;
}

bool BarrierSolve::move_region(const Region& region, const std::function<bool(const VecX& p)>& enough) {
    {
        const ScopedTimer timer(timers_, "assembly");
        region_assembly_.begin(DofMap(region.driven_axes, world_.embedded), true);
        const bool is_direct = options_.linear_solver == SystemSolver::direct || region_gave_up_single_;
        region_assembly_.choose(is_direct ? SystemSolver::direct : SystemSolver::mixed);
    }
    RegionDetection detection(detection_, region.moving, limits_.dhat);
    const auto [status, cause] = std::pair(report_.status, report_.cause);
    const RefinementRule outside = std::exchange(refinement_, RefinementRule(options_.refine_after));
    domain_ = {&region_assembly_, &detection};
    last_move_ = {};
    contacts_ = contacts_at(x_);
    const bool solved = iterate_in_region(enough);
    region_gave_up_single_ = region_gave_up_single_ || region_assembly_.gave_up(SystemSolver::mixed);
    domain_ = {&assembly_, nullptr};
    last_move_ = {};
    refinement_ = outside;
    contacts_ = contacts_at(x_);
    // A region that gets no further leaves the rest to the whole.
    stop(status, cause);
    return solved;
}

bool BarrierSolve::iterate_in_region(const std::function<bool(const VecX& p)>& enough) {
    VecX p;
    for (int iteration = 0; iteration < options_.region.max_iterations; ++iteration) {
        if (!input_.go_on(report_) || !direction(iteration, p)) return false;
        if (enough(p)) return true;
        IterationTrace trace;
        if (!line_search(p, trace)) return false;
    }
    return false;
}

}  // namespace stiction
