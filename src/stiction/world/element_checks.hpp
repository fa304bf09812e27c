// Checks of the elements of a body that is added to a world.
#pragma once

#include "stiction/base/error.hpp"
#include "stiction/base/types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace stiction {

/// Throws InputError naming two elements that have the same vertices in any order.
/// @param name  of the body   @param kind  of its elements, "triangle" or "tet"
template <class Element>
void check_distinct(const std::string& name, const char* kind, const std::vector<Element>& elements) {
    std::vector<std::pair<Element, std::size_t>> sorted;
    for (std::size_t t = 0; t < elements.size(); ++t) {
        sorted.emplace_back(elements[t], t);
        std::sort(sorted.back().first.begin(), sorted.back().first.end());
    }
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 1; i < sorted.size(); ++i) {
        if (sorted[i].first != sorted[i - 1].first) continue;
        throw InputError(name, fmt::format("{} {}", kind, sorted[i].second),
                         fmt::format("the vertices of {} {}", kind, sorted[i - 1].second),
                         fmt::format("every {} once", kind));
    }
}

/// Throws InputError naming an element with a vertex that it holds more than once.
template <class Element>
void check_vertices_differ(const std::string& name, const char* kind, const std::vector<Element>& elements) {
    for (std::size_t i = 0; i < elements.size(); ++i) {
        for (std::size_t k = 0; k < elements[i].size(); ++k) {
            const Index vertex = elements[i][k];
            if (std::count(elements[i].begin(), elements[i].end(), vertex) > 1)
                throw InputError(name, fmt::format("{} {}", kind, i), fmt::format("vertex {} more than once", vertex),
                                 "different vertices");
        }
    }
}

}  // namespace stiction
