// Names of the methods -> methods.
#pragma once

#include "stiction/dynamics/method.hpp"

#include <memory>
#include <string>
#include <vector>

namespace stiction {

struct SceneSpec;

/// Every method that `"method"` of a scene may name.
std::vector<std::string> method_names();

/// The method that `spec.method` names, with its options. Throws InputError naming the nearest method when there is
/// none of that name.
std::unique_ptr<Method> make_method(const SceneSpec& spec);

}  // namespace stiction
