#include "stiction/barrier/stopping.hpp"

#include "stiction/dynamics/contact_state.hpp"
#include "stiction/nonlinear/stopping.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stiction {

double StoppingRule::tolerance(const ContactSet& contacts, double share) const {
    const auto& [world, state, input, options, stage, limits] = model_;
    const double tolerance = (options.velocity_tolerance > 0.0 ? 1.0 : share) * limits.velocity_tolerance;
    const double cap =
        (options.friction_velocity > 0.0 ? 1.0 : share) * options.friction_tolerance_factor * limits.friction_velocity;
    if (cap == 0.0 || cap >= tolerance) return tolerance;
    return !potential_.friction().empty() || any_with_friction(world, contacts) ? cap : tolerance;
}

double StoppingRule::speed(const VecX& p, const ContactSet& contacts) const {
    const double of_largest = tolerance(contacts);
    double largest = 0.0;
    for (const Body& body : model_.world.bodies) {
        if (body.is_obstacle()) continue;
        const double part = tolerance(contacts, body.contact_length / model_.world.length) / of_largest;
        largest = std::max(largest, infinity_norm(p.segment(3 * body.first_vertex, 3 * body.vertex_count())) / part);
    }
    return largest / model_.stage.stopping_scale();
}

double StoppingRule::imbalance(const Iterate& iterate) const {
    const auto& [world, state, input, options, stage, limits] = model_;
    const double s = stage.scale();
    const DofMap& map = assembly_.map();
    // Of each body alone, so that no body is judged by the forces of another that it has nothing to do with.
    const bool is_by_body = !world.measured_by_scene;
    std::vector<double> scale(is_by_body ? world.bodies.size() : 1, 0.0), left = scale;
    const auto raise = [&](std::vector<double>& largest, const VecX& force, double factor) {
        VecX free;
        map.restrict_gradient(force, free);
        for (Index node = 0; node < map.node_count(); ++node) {
            const Index body = is_by_body ? model_.world.body_of_vertex[at(map.vertex(node))] : 0;
            const double size = factor * free.segment<3>(3 * node).lpNorm<Eigen::Infinity>();
            largest[at(body)] = std::max(largest[at(body)], size);
        }
    };
    raise(scale, mass_product(world, VecX(iterate.x - stage.q_bar - s * stage.v_bar)), stage.inertia);
    raise(scale, input.external_force, s * s);
    raise(scale, potential_.friction_gradient_sum(iterate.x), 1.0);
    raise(scale, potential_.barrier_gradient_sum(iterate.x, iterate.contacts), potential_.stiffness());
    raise(left, potential_.gradient(iterate.x, iterate.contacts), 1.0);
    double result = 0.0;
    for (std::size_t b = 0; b < scale.size(); ++b) {
        // Less than this changes no velocity by a thousandth of its tolerance.
        const Body& body = world.bodies[b];
        const double unnoticed =
            is_by_body && !body.is_obstacle()
                ? 1e-3 * body.mean_mass * s * limits.velocity_tolerance * body.contact_length / world.length
                : 0.0;
        const double size = std::max(scale[b], unnoticed);
        if (size > 0.0) result = std::max(result, left[b] / size);
    }
    return result;
}

bool StoppingRule::is_balanced(const Iterate& iterate, double residual) const {
    // A step that small moves a contact by no more than rounding: nothing is left to gain.
    constexpr double negligible = 1e-3;
    const double allowed = model_.options.balance_tolerance;
    return allowed == 0.0 || iterate.contacts.contacts.empty() || residual < negligible * tolerance(iterate.contacts) ||
           imbalance(iterate) <= allowed;
}

bool StoppingRule::is_close_enough(const Iterate& iterate, double residual, double first_residual) const {
    return residual <= looseness_ * first_residual && !iterate.contacts.contacts.empty();
}

std::optional<std::string> StoppingRule::flight(const VecX& x) const {
    constexpr double most_sizes = 1000.0;  // of the scene, or of how far something is driven
    const World& world = model_.world;
    if (model_.stage.inertia > 0.0) return std::nullopt;
    double driven = 0.0, farthest = 0.0;
    Index runaway = 0;
    for (Index v = 0; v < world.vertex_count(); ++v) {
        const double way = (x.segment<3>(3 * v) - model_.state.x.segment<3>(3 * v)).norm();
        if (model_.input.driven_axes[at(v)] != 0) driven = std::max(driven, way);
        if (way <= farthest) continue;
        farthest = way;
        runaway = v;
    }
    if (!(farthest > most_sizes * (world.diagonal + driven))) return std::nullopt;
    return fmt::format(
        "no equilibrium is near: body '{}' moved {:.3g} m, out of the scene: nothing holds it against the forces on "
        "it, or it snaps through: hold it, by a boundary or by friction, or take an integrator with inertia, "
        "backward_euler",
        world.body_at(runaway).name, farthest);
}

}  // namespace stiction
