// What is known about one key of a scene file.
#pragma once

#include "stiction/base/types.hpp"

#include <limits>
#include <string>

namespace stiction::scene {

/// Allowed values of a number.
struct Range {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    bool low_open = true;   ///< `low` itself is not allowed
    bool high_open = true;  ///< `high` itself is not allowed

    bool contains(double value) const {
        return (low_open ? value > low : value >= low) && (high_open ? value < high : value <= high);
    }
    /// "> 0", "in [0, 1]", ... or "" when every finite number is allowed.
    std::string text() const;
};

inline Range any() {
    return {};
}
inline Range above(double low) {
    return {low, std::numeric_limits<double>::infinity(), true, true};
}
inline Range at_least(double low) {
    return {low, std::numeric_limits<double>::infinity(), false, true};
}
inline Range between(double low, double high) {
    return {low, high, false, false};
}
inline Range inside(double low, double high) {
    return {low, high, true, true};
}

/// One key. The reader, the writer, the JSON Schema and the tables of docs/scene.md are all made from these.
struct Field {
    const char* key;
    const char* unit;     ///< SI unit, "" when it has none
    const char* meaning;  ///< one sentence without the final full stop
    Range range = {};
    const char* absent = "";  ///< what an optional key means when it is not given
};

}  // namespace stiction::scene
