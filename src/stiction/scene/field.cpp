#include "stiction/scene/field.hpp"

#include <fmt/format.h>

#include <cmath>

namespace stiction::scene {

std::string Range::text() const {
    const bool has_low = std::isfinite(low), has_high = std::isfinite(high);
    if (has_low && has_high)
        return fmt::format("in {}{}, {}{}", low_open ? '(' : '[', low, high, high_open ? ')' : ']');
    if (has_low) return fmt::format("{} {}", low_open ? ">" : ">=", low);
    if (has_high) return fmt::format("{} {}", high_open ? "<" : "<=", high);
    return "";
}

}  // namespace stiction::scene
