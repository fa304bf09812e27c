#include "stiction/methods/local_global/options.hpp"

#include "stiction/base/enum_names.hpp"

namespace stiction {

const std::vector<std::string>& global_step_names() {
    static const std::vector<std::string> names{"complete", "lbfgs", "jacobi", "chebyshev"};
    return names;
}

GlobalStep global_step_from_name(const std::string& name) { return enum_from_name<GlobalStep>(global_step_names(), name); }

double contact_thickness(const LocalGlobalOptions& options, double diagonal) {
    return options.thickness > 0.0 ? options.thickness : options.thickness_relative * diagonal;
}

}  // namespace stiction
