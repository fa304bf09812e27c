#include "stiction/methods/mlcp/options.hpp"

#include "stiction/base/enum_names.hpp"

namespace stiction {

const std::vector<std::string>& elasticity_model_names() {
    static const std::vector<std::string> names{"linearised", "nonlinear"};
    return names;
}

ElasticityModel elasticity_model_from_name(const std::string& name) { return enum_from_name<ElasticityModel>(elasticity_model_names(), name); }

MlcpLimits resolve_limits(const MlcpOptions& options, double diagonal) {
    return {options.distance_tolerance > 0.0 ? options.distance_tolerance : options.distance_tolerance_relative * diagonal,
            options.velocity_tolerance > 0.0 ? options.velocity_tolerance : options.velocity_tolerance_relative * diagonal,
            options.kinetic_velocity > 0.0 ? options.kinetic_velocity : options.kinetic_velocity_relative * diagonal};
}

}  // namespace stiction
