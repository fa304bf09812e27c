// What residuals of the velocity step are compared with: momenta of all bodies, of groups of them, and of each.
#include "stiction/linalg/vector_ops.hpp"
#include "stiction/methods/mlcp/velocity_problem.hpp"
#include "stiction/nonlinear/stopping.hpp"

#include <algorithm>
#include <cmath>

namespace stiction::mlcp {
namespace {

/// The |b| of a fast body hides the forces on it. Residuals are compared with at most this many times the change of
/// momentum in the step.
constexpr double most_of_change = 100.0;
/// A body's residual may be this many times its share, by mass, of the bound on all. Of a light body beside a heavy one
/// that is far less than most_of_change allows it.
constexpr double most_of_share = 10.0;

}  // namespace

/// h times the external forces, over the nodes (kg m/s).
VecX VelocityProblem::external_impulse() const {
    VecX impulse;
    assembly_.map().restrict_gradient(input_.external_force, impulse);
    const Eigen::Index soft = impulse.size();
    impulse.conservativeResize(soft + 6 * static_cast<Eigen::Index>(world_.rigid_bodies.size()));
    for (std::size_t k = 0; k < world_.rigid_bodies.size(); ++k) {
        impulse.segment<3>(soft + 6 * static_cast<Eigen::Index>(k)) = world_.rigid_bodies[k].mass * world_.gravity;
        impulse.segment<3>(soft + 6 * static_cast<Eigen::Index>(k) + 3).setZero();
    }
    return input_.h * impulse;
}

/// b - A v at the velocities of the start (kg m/s).
VecX VelocityProblem::momentum_change() const {
    VecX changes;
    matrix_.multiply(start_velocity(), changes);
    return rhs_ - changes;
}

double VelocityProblem::momentum_scale(double least_speed, std::span<const double> share) const {
    const double weights = norm(external_impulse());
    return std::max(
        std::min(std::max(norm(rhs_), weights), most_of_change * std::max(norm(momentum_change()), weights)),
        momentum_norm(least_speed, share));
}

/// Norm over the nodes of all bodies of their momenta at their shares of a speed (kg m/s).
double VelocityProblem::momentum_norm(double speed, std::span<const double> share) const {
    if (share.empty()) return speed * mass_norm();
    double squares = 0.0;
    for (std::size_t k = 0; k < world_.bodies.size(); ++k) {
        const double mass = mass_norm(world_.bodies[k]);
        if (mass > 0.0) squares += share[k] * share[k] * mass * mass;
    }
    return speed * std::sqrt(squares);
}

double VelocityProblem::largest_speed(const VecX& v, std::span<const double> share) const {
    if (share.empty()) return infinity_norm(v);
    double largest = 0.0;
    for (std::size_t k = 0; k < world_.bodies.size(); ++k) {
        const BodyMomentum part = nodes_of(k);
        if (part.node_count == 0) continue;
        const auto own = v.segment(3 * static_cast<Eigen::Index>(part.first_node),
                                   3 * static_cast<Eigen::Index>(part.node_count + (part.turns ? 1 : 0)));
        largest = std::max(largest, own.lpNorm<Eigen::Infinity>() / share[k]);
    }
    return largest;
}

/// Norm of mass_norm() over all bodies (kg).
double VelocityProblem::mass_norm() const {
    double squares = 0.0;
    for (const Body& body : world_.bodies) {
        const double mass = mass_norm(body);
        squares += mass * mass;
    }
    return std::sqrt(squares);
}

/// Norm over the nodes of a body of their masses (kg).
double VelocityProblem::mass_norm(const Body& body) const {
    if (body.kind == BodyKind::rigid) return world_.rigid_bodies[static_cast<std::size_t>(body.rigid)].mass;
    double squares = 0.0;
    for (Index v = body.first_vertex; v < body.first_vertex + body.vertex_count(); ++v) {
        if (assembly_.map().node(v) >= 0) squares += world_.mass[v] * world_.mass[v];
    }
    return std::sqrt(squares);
}

/// Nodes and driven axes of world.bodies[k]; without its scales.
BodyMomentum VelocityProblem::nodes_of(std::size_t k) const {
    const Body& body = world_.bodies[k];
    BodyMomentum part{.body = k};
    if (body.kind == BodyKind::rigid) {
        part.first_node = rigid_node(body);
        part.node_count = 1;
        part.turns = true;
        return part;
    }
    for (Index v = body.first_vertex; v < body.first_vertex + body.vertex_count(); ++v) {
        const Index node = assembly_.map().node(v);
        part.driven_axes |= input_.driven_axes[static_cast<std::size_t>(v)];
        if (node < 0 || world_.is_carried(v)) continue;
        if (part.node_count == 0) part.first_node = node;
        part.node_count = node + 1 - part.first_node;
    }
    return part;
}

std::vector<BodyMomentum> VelocityProblem::body_momenta(double scale, double least_speed,
                                                        std::span<const double> share) const {
    const GroupScale all{scale, mass_norm()};
    return body_momenta({}, {&all, 1}, least_speed, share);
}

void VelocityProblem::measure_groups(std::span<const std::size_t> group, std::size_t count, double least_speed,
                                     std::span<const double> share, ContactProblem& problem) const {
    struct Squares {
        double rhs = 0.0, change = 0.0, impulse = 0.0, least = 0.0, mass = 0.0;
    };
    const VecX impulse = external_impulse(), change = momentum_change();
    std::vector<Squares> squares(count);
    for (std::size_t k = 0; k < world_.bodies.size(); ++k) {
        const BodyMomentum part = nodes_of(k);
        const double mass = mass_norm(world_.bodies[k]), least = share.empty() ? mass : share[k] * mass;
        if (part.node_count == 0 || !(mass > 0.0)) continue;
        const auto first = 3 * static_cast<Eigen::Index>(part.first_node),
                   size = 3 * static_cast<Eigen::Index>(part.node_count + (part.turns ? 1 : 0));
        Squares& sum = squares[group[k]];
        sum.rhs += rhs_.segment(first, size).squaredNorm();
        sum.change += change.segment(first, size).squaredNorm();
        sum.impulse += impulse.segment(first, size).squaredNorm();
        sum.least += least * least;
        sum.mass += mass * mass;
    }
    std::vector<GroupScale> scales;
    problem.groups.clear();
    for (const Squares& sum : squares) {
        const double weights = std::sqrt(sum.impulse), rhs = std::sqrt(sum.rhs), changes = std::sqrt(sum.change);
        const double scale = std::max(std::min(std::max(rhs, weights), most_of_change * std::max(changes, weights)),
                                      least_speed * std::sqrt(sum.least));
        scales.push_back({scale, std::sqrt(sum.mass)});
        problem.groups.push_back(scale);
    }
    problem.bodies = body_momenta(group, scales, least_speed, share);
}

std::vector<BodyMomentum> VelocityProblem::body_momenta(std::span<const std::size_t> group,
                                                        std::span<const GroupScale> scales, double least_speed,
                                                        std::span<const double> share) const {
    const VecX impulse = external_impulse(), change = momentum_change();
    std::vector<BodyMomentum> result;
    for (std::size_t k = 0; k < world_.bodies.size(); ++k) {
        const double mass = mass_norm(world_.bodies[k]);
        BodyMomentum part = nodes_of(k);
        if (part.node_count == 0 || !(mass > 0.0)) continue;
        const auto length = [&](const VecX& x) {
            return x
                .segment(3 * static_cast<Eigen::Index>(part.first_node), 3 * static_cast<Eigen::Index>(part.node_count))
                .norm();
        };
        part.group = group.empty() ? 0 : group[k];
        const auto& [scale, masses] = scales[part.group];
        const double weight = length(impulse), part_of_all = most_of_share * scale * mass / masses,
                     least = (share.empty() ? least_speed : share[k] * least_speed) * mass;
        part.change_bound = std::max(most_of_change * std::max(length(change), weight), least);
        part.scale = std::min(part.change_bound, std::max({part_of_all, length(rhs_), weight, least}));
        if (part.scale > 0.0) result.push_back(part);
    }
    return result;
}

}  // namespace stiction::mlcp
