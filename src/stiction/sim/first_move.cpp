#include "stiction/sim/first_move.hpp"

#include "stiction/world/turns.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

struct Range {
    Index begin, end;
    explicit Range(const Body& body) : begin(body.first_vertex), end(body.first_vertex + body.vertex_count()) {}
};

bool is_driven(const StepInput& input, Index vertex) {
    return input.driven_axes[static_cast<std::size_t>(vertex)] != 0;
}

/// Largest size of the vectors of vertices that `counts`.
template <class Counts>
double largest(const World& world, const VecX& vectors, const Counts& counts) {
    double size = 0.0;
    for (Index v = 0; v < world.vertex_count(); ++v) {
        if (counts(v)) size = std::max(size, vectors.segment<3>(3 * v).norm());
    }
    return size;
}

/// Largest acceleration that loads and inner forces give a free vertex (m/s^2).
double largest_acceleration(const World& world, const State& state, const StepInput& input) {
    VecX acceleration = -elastic_gradient(world, state.x);
    VecX filled = VecX::Zero(acceleration.size());
    add_filling_gradient(world, state.x, input.overpressure, filled);
    acceleration += input.external_force - filled;
    const auto is_free = [&](Index v) { return world.mass[v] > 0.0 && !is_driven(input, v); };
    for (Index v = 0; v < world.vertex_count(); ++v) {
        if (is_free(v)) acceleration.segment<3>(3 * v) /= world.mass[v];
    }
    return largest(world, acceleration, is_free);
}

Vec3 mean(const World& world, const Range& range, const VecX& vectors) {
    Vec3 sum = Vec3::Zero();
    for (Index v = range.begin; v < range.end; ++v) sum += world.mass[v] * vectors.segment<3>(3 * v);
    return sum / world.mass.segment(range.begin, range.end - range.begin).sum();
}

/// Largest move of a vertex against that of its body's centre of mass (m).
double largest_deformation(const World& world, const VecX& move) {
    double largest = 0.0;
    for (const Body& body : world.bodies) {
        if (body.is_obstacle()) continue;
        const Range range(body);
        const Vec3 centre = mean(world, range, move);
        for (Index v = range.begin; v < range.end; ++v)
            largest = std::max(largest, (move.segment<3>(3 * v) - centre).norm());
    }
    return largest;
}

/// Longest way of an obstacle or driven vertex: that of what turns is its arc (m).
double driven_way(const World& world, const State& before, const StepInput& input, const VecX& move) {
    double way = largest(world, move, [&](Index v) { return world.is_obstacle(v) || is_driven(input, v); });
    if (!has_turns(world)) return way;
    const Turn turn = turn_in_step(world, before, input.h, 1e-6 * world.diagonal);
    return way + turn.angle * turn.radius;
}

bool is_at_rest(const World& world, const Range& range, const State& state, const StepInput& input) {
    for (Index v = range.begin; v < range.end; ++v) {
        if ((world.mass[v] > 0.0 && is_driven(input, v)) || !state.v.segment<3>(3 * v).isZero(0.0)) return false;
    }
    return true;
}

double distance_of(const World& world, const Range& range, const StepInput& input, const VecX& move, bool is_static) {
    if (!is_static) {
        return largest(world, move, [&](Index v) { return v >= range.begin && v < range.end; });
    }
    Vec3 load = Vec3::Zero(), across = mean(world, range, move);
    for (Index v = range.begin; v < range.end; ++v) load += input.external_force.segment<3>(3 * v);
    if (load.norm() > 0.0) across -= across.dot(load.normalized()) * load.normalized();
    return across.norm();
}

}  // namespace

FirstMove first_move(const World& world, const State& before, const StepInput& input, const State& after,
                     bool is_static) {
    constexpr double unnoticed = 1e-5;
    const VecX move = after.x - before.x;
    const double h = input.h;
    double explained = driven_way(world, before, input, move);
    explained += h * largest(world, before.v, [&](Index v) { return !world.is_obstacle(v); });
    explained += is_static ? largest_deformation(world, move) : h * h * largest_acceleration(world, before, input);
    FirstMove worst;
    for (std::size_t k = 0; k < world.bodies.size(); ++k) {
        const Body& body = world.bodies[k];
        const Range range(body);
        if (body.is_obstacle() || !is_at_rest(world, range, before, input)) continue;
        Eigen::AlignedBox3d box;
        for (Index v = range.begin; v < range.end; ++v) box.extend(Vec3(before.x.segment<3>(3 * v)));
        const FirstMove found{distance_of(world, range, input, move, is_static),
                              explained + unnoticed * box.diagonal().norm(), static_cast<int>(k)};
        if (found.share() > worst.share()) worst = found;
    }
    return worst;
}

}  // namespace stiction
