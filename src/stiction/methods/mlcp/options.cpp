#include "stiction/methods/mlcp/options.hpp"

#include "stiction/base/enum_names.hpp"

#include <algorithm>
#include <cmath>

namespace stiction::mlcp {

const std::vector<std::string>& elasticity_model_names() {
    static const std::vector<std::string> names{"linearised", "nonlinear"};
    return names;
}

ElasticityModel elasticity_model_from_name(const std::string& name) {
    return enum_from_name<ElasticityModel>(elasticity_model_names(), name);
}

const std::vector<std::string>& acceptance_names() {
    static const std::vector<std::string> names{"strict", "published"};
    return names;
}

Acceptance acceptance_from_name(const std::string& name) {
    return enum_from_name<Acceptance>(acceptance_names(), name);
}

const std::vector<std::string>& friction_update_names() {
    static const std::vector<std::string> names{"exact", "newton", "published", "pyramid"};
    return names;
}

FrictionUpdate friction_update_from_name(const std::string& name) {
    return enum_from_name<FrictionUpdate>(friction_update_names(), name);
}

const std::vector<std::string>& solver_choices() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all{"auto"};
        all.insert(all.end(), solver_names().begin(), solver_names().end());
        return all;
    }();
    return names;
}

std::string solver_choice(const std::optional<SolverKind>& solver) {
    return solver ? solver_names()[static_cast<std::size_t>(*solver)] : solver_choices().front();
}

std::optional<SolverKind> solver_from_choice(const std::string& name) {
    if (name == solver_choices().front()) return std::nullopt;
    return solver_from_name(name);
}

namespace {

/// eps_2 of a step, from that of the options (m).
double distance_of_step(double distance, double h, double gravity) {
    constexpr double smallest_step = 5e-4, most_falls = 6.0, least_share = 1e-5;
    double result = distance;
    if (h < smallest_step) result *= h / smallest_step;
    if (gravity > 0.0) result = std::min(result, most_falls * gravity * h * h);
    return std::max(result, least_share * distance);
}

}  // namespace

Limits resolve_limits(const Options& options, double length) {
    const auto choose = [&](double absolute, double relative) { return absolute > 0.0 ? absolute : relative * length; };
    Limits limits{.distance = choose(options.distance_tolerance, options.distance_tolerance_relative),
                  .given = options.distance_tolerance > 0.0,
                  .velocity = choose(options.velocity_tolerance, options.velocity_tolerance_relative),
                  .velocity_given = options.velocity_tolerance > 0.0,
                  .kinetic_velocity = choose(options.kinetic_velocity, options.kinetic_velocity_relative),
                  .kinetic_given = options.kinetic_velocity > 0.0,
                  .length_share = {},
                  .distance_share = {}};
    return limits;
}

Limits resolve_limits(const Options& options, const World& world) {
    Limits limits = resolve_limits(options, world.length);
    limits.length_share = world.length_shares();
    if (!limits.given) limits.distance_share = limits.length_share;
    return limits;
}

Limits Limits::for_step(double h, double gravity) const {
    Limits limits = *this;
    if (given) return limits;
    limits.distance = distance_of_step(distance, h, gravity);
    for (double& share : limits.distance_share) {
        if (std::isfinite(share)) share = distance_of_step(share * distance, h, gravity) / limits.distance;
    }
    return limits;
}

double Limits::smaller(const std::vector<double>& share, Index body_a, Index body_b) {
    return share.empty() ? 1.0 : std::min({share[at(body_a)], share[at(body_b)], 1.0});
}

const std::vector<double>& Limits::velocity_share() const {
    static const std::vector<double> whole;
    return velocity_given ? whole : length_share;
}

}  // namespace stiction::mlcp
