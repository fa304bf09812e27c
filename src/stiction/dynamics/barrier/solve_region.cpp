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
        if (!region) return;
        region_assembly_.begin(DofMap(region->driven_axes, world_.embedded), true);
        const bool is_direct = options_.linear_solver == SystemSolver::direct || region_gave_up_single_;
        region_assembly_.choose(is_direct ? SystemSolver::direct : SystemSolver::mixed);
    }
    RegionDetection detection(detection_, region->moving, limits_.dhat);
    const auto [status, cause] = std::pair(report_.status, report_.cause);
    const RefinementRule outside = std::exchange(refinement_, RefinementRule(options_.refine_after));
    domain_ = {&region_assembly_, &detection};
    last_move_ = {};
    contacts_ = contacts_at(x_);
    iterate_in_region(std::max(options_.region.tolerance_part * tolerance(), options_.region.residual_part * residual));
    region_gave_up_single_ = region_gave_up_single_ || region_assembly_.gave_up(SystemSolver::mixed);
    domain_ = {&assembly_, nullptr};
    last_move_ = {};
    refinement_ = outside;
    contacts_ = contacts_at(x_);
    // A region that gets no further leaves the rest to the whole.
    stop(status, cause);
}

void BarrierSolve::iterate_in_region(double enough) {
    VecX p;
    for (int iteration = 0; iteration < options_.region.max_iterations; ++iteration) {
        if (!input_.go_on(report_) || !direction(iteration, p)) return;
        if (infinity_norm(p) / stage_.stopping_scale() <= enough) return;
        IterationTrace trace;
        if (!line_search(p, trace)) return;
    }
}

}  // namespace stiction
