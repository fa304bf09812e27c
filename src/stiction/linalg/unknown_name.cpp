#include "stiction/linalg/unknown_name.hpp"

#include <fmt/format.h>

namespace stiction {

std::string unknown_name(Index scalar) {
    return fmt::format("node {}, component {}", scalar / 3, "xyz"[scalar % 3]);
}

}  // namespace stiction
