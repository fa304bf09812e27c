#include "stiction/barrier/workspace.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace stiction {
namespace {

/// Candidates and matrix pattern reach this many activation distances, so that both survive small changes of the
/// contact set.
constexpr double reach_factor = 2.0;

/// Weights of a mean vertex of each body at a half-space, and of the world, obstacles left out; 1 without weights.
struct MeanWeights {
    MeanWeights(const World& world, const ContactWeights* weights) : of_body(world.bodies.size(), 1.0) {
        if (weights == nullptr) return;
        std::vector<double> sum(of_body.size(), 0.0), count(of_body.size(), 0.0);
        double whole = 0.0, all = 0.0;
        for (const Index vertex : world.surface.vertices) {
            if (world.is_obstacle(vertex)) continue;
            const auto body = static_cast<std::size_t>(world.body_of_vertex[static_cast<std::size_t>(vertex)]);
            sum[body] += weights->half_space(vertex);
            count[body] += 1.0;
            whole += weights->half_space(vertex);
            all += 1.0;
        }
        for (std::size_t b = 0; b < of_body.size(); ++b) {
            if (count[b] > 0.0) of_body[b] = sum[b] / count[b];
        }
        if (all > 0.0) of_world = whole / all;
    }

    std::vector<double> of_body;
    double of_world = 1.0;
};

/// Of every body, the mass of its mean vertex over that of the world, per weight; infinite for obstacles.
std::vector<double> mass_parts(const World& world, const MeanWeights& weights) {
    std::vector<double> result;
    for (std::size_t b = 0; b < world.bodies.size(); ++b) {
        const double per_weight = world.bodies[b].mean_mass / weights.of_body[b];
        result.push_back(world.bodies[b].is_obstacle() ? std::numeric_limits<double>::infinity()
                                                       : per_weight / (world.mean_mass / weights.of_world));
    }
    return result;
}

/// The adaptive stiffness that a body of this length asks for, over that of the largest body, masses apart.
double adaptive_part(const World& world, const BarrierOptions& options, double length) {
    const double dhat = resolve_limits(options, world).dhat, share = length / world.length;
    const auto lowest = [&](double l, double distance) {
        return stiffness_bounds(options.stiffness_rule, 1.0, l, distance).lower;
    };
    return lowest(length, options.dhat > 0.0 ? dhat : share * dhat) / lowest(world.length, dhat);
}

/// An adaptive stiffness has the lower bound that the lighter and the smaller body of a pair would have alone. One that
/// is given is a pressure with weights, whatever the distance, else an energy over a length to the fourth.
PairScales scales_of(const World& world, const BarrierOptions& options, const MeanWeights& weights) {
    PairScales scales;
    if (world.measured_by_scene) return scales;
    const auto is_moving = [](const Body& body) { return !body.is_obstacle(); };
    if (std::ranges::count_if(world.bodies, is_moving) < 2) return scales;
    if (options.dhat == 0.0) scales.length_share = world.length_shares();
    const bool is_given = options.barrier_stiffness > 0.0;
    if (is_given && (options.barrier_weights == BarrierWeights::none || options.dhat > 0.0)) return scales;
    const std::vector<double> masses = mass_parts(world, weights);
    for (std::size_t b = 0; b < world.bodies.size(); ++b) {
        const double length = world.bodies[b].contact_length, share = length / world.length;
        PairStrength strength{is_given ? 1.0 : masses[b], 1.0, length};
        if (std::isfinite(length))
            strength.by_length = is_given ? 1.0 / (share * share * share) : adaptive_part(world, options, length);
        scales.strength.push_back(strength);
    }
    return scales;
}

}  // namespace

BarrierWorkspace::BarrierWorkspace(const World& w, const BarrierOptions& options)
    : world(&w),
      identity(w.identity),
      detection(w, reach_factor * resolve_limits(options, w).dhat),
      assembly(w),
      region_assembly(w) {
    if (options.barrier_weights == BarrierWeights::none) {
        detection.scale(scales_of(w, options, MeanWeights(w, nullptr)));
        return;
    }
    const bool by_body = !w.measured_by_scene && options.dhat == 0.0;
    ContactWeights weights(w.surface, w.initial_positions, resolve_limits(options, w).dhat,
                           by_body ? w.length_shares() : std::vector<double>{});
    const MeanWeights means(w, &weights);
    least_weight = mean_weight = means.of_world;
    for (const Index point : w.surface.bare_points)
        least_weight = std::min(least_weight, weights.point_triangle(point));
    detection.scale(scales_of(w, options, means));
    detection.weigh(std::move(weights));
}

}  // namespace stiction
