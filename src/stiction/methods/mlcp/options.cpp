#include "stiction/methods/mlcp/options.hpp"

#include "stiction/base/enum_names.hpp"

#include <algorithm>

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

Limits resolve_limits(const Options& options, double diagonal) {
    const bool given = options.distance_tolerance > 0.0;
    return {
        given ? options.distance_tolerance : options.distance_tolerance_relative * diagonal, given,
        options.velocity_tolerance > 0.0 ? options.velocity_tolerance : options.velocity_tolerance_relative * diagonal,
        options.kinetic_velocity > 0.0 ? options.kinetic_velocity : options.kinetic_velocity_relative * diagonal};
}

Limits Limits::for_step(double h, double gravity) const {
    constexpr double smallest_step = 5e-4, most_falls = 6.0, least_share = 1e-5;
    Limits limits = *this;
    if (given) return limits;
    if (h < smallest_step) limits.distance *= h / smallest_step;
    if (gravity > 0.0) limits.distance = std::min(limits.distance, most_falls * gravity * h * h);
    limits.distance = std::max(limits.distance, least_share * distance);
    return limits;
}

}  // namespace stiction::mlcp
