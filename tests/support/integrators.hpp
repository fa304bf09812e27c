// Integrators of motion.
#pragma once

#include "stiction/dynamics/stage.hpp"

namespace stiction::test {

/// Names of all but `quasi_static`.
inline std::vector<std::string> dynamic_integrators() {
    std::vector<std::string> names = integrator_names();
    std::erase(names, "quasi_static");
    return names;
}

}  // namespace stiction::test
