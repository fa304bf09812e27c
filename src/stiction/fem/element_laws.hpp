// From the material of elements to the code of their law.
#pragma once

#include "stiction/fem/element_material.hpp"
#include "stiction/materials/extrapolated.hpp"
#include "stiction/materials/isotropic.hpp"

#include <type_traits>
#include <utility>

namespace stiction {

/// Calls body(law_of), where law_of(e) is the law of element e with its moduli.
template <class Body>
decltype(auto) with_laws(const ElementMaterial& material, const Body& body) {
    if (material.law == MaterialLaw::sum) return body([&](std::size_t) { return HyperelasticSum{material.terms}; });
    return visit_law(material.law, material.extrapolate_below, [&](const auto& make) -> decltype(auto) {
        return body([&](std::size_t e) { return make({material.mu[e], material.lambda[e]}); });
    });
}

/// Whether a function that gives the laws of elements gives laws that take energy and stress from F itself.
template <class LawOf>
constexpr bool is_direct = std::decay_t<decltype(std::declval<LawOf>()(std::size_t{}))>::has_direct_path;

}  // namespace stiction
