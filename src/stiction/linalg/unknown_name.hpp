// How messages of the factorisations name an unknown.
#pragma once

#include "stiction/base/types.hpp"

#include <string>

namespace stiction {

/// "node N, component x" of the scalar unknown 3 N, and so on.
std::string unknown_name(Index scalar);

}  // namespace stiction
