#include "stiction/dynamics/barrier/workspace.hpp"

#include <algorithm>

namespace stiction {
namespace {

/// Candidates and matrix pattern reach this many activation distances, so that both survive small changes of the
/// contact set.
constexpr double reach_factor = 2.0;

double mean_weight_of(const World& world, const ContactWeights& weights) {
    double sum = 0.0;
    int count = 0;
    for (const Index vertex : world.surface.vertices) {
        if (world.is_obstacle(vertex)) continue;
        sum += weights.half_space(vertex);
        ++count;
    }
    return count > 0 ? sum / count : 1.0;
}

}  // namespace

BarrierWorkspace::BarrierWorkspace(const World& w, const BarrierOptions& options)
    : world(&w),
      identity(w.identity),
      detection(w, reach_factor * resolve_limits(options, w).dhat),
      assembly(w),
      region_assembly(w) {
    if (options.barrier_weights == BarrierWeights::none) return;
    ContactWeights weights(w.surface, w.initial_positions, resolve_limits(options, w).dhat);
    least_weight = mean_weight = mean_weight_of(w, weights);
    for (const Index point : w.surface.bare_points)
        least_weight = std::min(least_weight, weights.point_triangle(point));
    detection.weigh(std::move(weights));
}

}  // namespace stiction
