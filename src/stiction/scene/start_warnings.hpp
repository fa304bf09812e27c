// Warnings about a scene that can be simulated, but is probably not what was meant.
#pragma once

#include "stiction/dynamics/method.hpp"
#include "stiction/scene/body_numbers.hpp"

#include <string>
#include <vector>

namespace stiction {

/// Everything of method_warnings and scale_warnings, then what the numbers of the bodies say; one line each, beginning
/// with the path of the key and ending with a remedy:
///   "contact.friction: 45: is above 10, ..."
std::vector<std::string> start_warnings(const SceneSpec& spec, const World& world, const State& state,
                                        const std::vector<BodyNumbers>& bodies);

/// That steps are made in pieces because something turns far in them, in one line; empty where none is.
std::string turn_note(const SceneSpec& spec, const World& world, const State& state, const Method& method);

}  // namespace stiction
