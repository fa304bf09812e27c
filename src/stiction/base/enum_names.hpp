// Enumerators and the names that scenes give them.
#pragma once

#include "stiction/base/error.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace stiction {

/// The enumerator of a name; `names` are in the order of the enumerators, which count from 0. Throws InternalError for
/// any other name.
template <class Enum>
Enum enum_from_name(const std::vector<std::string>& names, const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    STICTION_CHECK(found != names.end(), "names have been checked");
    return static_cast<Enum>(found - names.begin());
}

}  // namespace stiction
