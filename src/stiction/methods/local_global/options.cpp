#include "stiction/methods/local_global/options.hpp"

namespace stiction::local_global {

const std::vector<std::string>& global_step_names() {
    static const std::vector<std::string> names{"complete", "lbfgs", "jacobi", "chebyshev"};
    return names;
}

const std::vector<std::string>& device_names() {
    static const std::vector<std::string> names{"cpu", "cuda", "auto", "emulated"};
    return names;
}

const std::vector<std::string>& ncp_function_names() {
    static const std::vector<std::string> names{"min_map", "fischer_burmeister"};
    return names;
}

const std::vector<std::string>& complementarity_scale_names() {
    static const std::vector<std::string> names{"system_inverse", "mass_inverse"};
    return names;
}

const std::vector<std::string>& friction_linearisation_names() {
    static const std::vector<std::string> names{"secant", "projection"};
    return names;
}

const std::vector<std::string>& indicator_use_names() {
    static const std::vector<std::string> names{"newton", "as_printed"};
    return names;
}

const std::vector<std::string>& delassus_kind_names() {
    static const std::vector<std::string> names{"auto", "formed", "applied"};
    return names;
}

double contact_thickness(const Options& options, double length) {
    return options.thickness > 0.0 ? options.thickness : options.thickness_relative * length;
}

double kinetic_velocity(const Options& options, double length) {
    return options.kinetic_velocity > 0.0 ? options.kinetic_velocity : options.kinetic_velocity_relative * length;
}

}  // namespace stiction::local_global
