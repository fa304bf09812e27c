#include "stiction/barrier/options.hpp"

#include "stiction/base/enum_names.hpp"

namespace stiction {

const std::vector<std::string>& barrier_weights_names() {
    static const std::vector<std::string> names{"none", "area"};
    return names;
}

BarrierWeights barrier_weights_from_name(const std::string& name) {
    return enum_from_name<BarrierWeights>(barrier_weights_names(), name);
}

const char* barrier_stiffness_unit(BarrierWeights weights) {
    return weights == BarrierWeights::area ? "Pa" : "J/m^4";
}

BarrierLimits resolve_limits(const BarrierOptions& options, const World& world) {
    const auto choose = [&](double absolute, double relative) {
        return absolute > 0.0 ? absolute : relative * world.length;
    };
    const double friction_velocity = choose(options.friction_velocity, options.friction_velocity_relative);
    return {choose(options.dhat, options.dhat_relative), friction_velocity,
            choose(options.velocity_tolerance, options.velocity_tolerance_relative),
            options.kinetic_velocity > 0.0 ? options.kinetic_velocity : 10.0 * friction_velocity};
}

FrictionLaw friction_law(const BarrierOptions& options, const BarrierLimits& limits) {
    return {options.friction_profile, limits.friction_velocity, limits.kinetic_velocity,
            // The default of the kinetic velocity is ten times the friction velocity, also where that is given.
            options.friction_velocity > 0.0, options.kinetic_velocity > 0.0 || options.friction_velocity > 0.0};
}

}  // namespace stiction
