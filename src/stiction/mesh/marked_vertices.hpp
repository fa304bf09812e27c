// Elements and stencils that have a marked vertex.
#pragma once

#include "stiction/base/types.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace stiction {

/// Whether one of these vertices (-1: none) is marked; true for all where `marked` is empty.
template <std::size_t N>
bool any_marked(const std::array<Index, N>& vertices, const std::vector<char>& marked) {
    return marked.empty() || std::any_of(vertices.begin(), vertices.end(),
                                         [&](Index v) { return v >= 0 && marked[static_cast<std::size_t>(v)] != 0; });
}

}  // namespace stiction
