// The constitutive law of a list of elements, with the moduli of each.
#pragma once

#include "stiction/materials/material_law.hpp"

#include <vector>

namespace stiction {

/// Elements of several bodies may share a law. Arrays run over elements.
struct ElementMaterial {
    MaterialLaw law = MaterialLaw::neo_hookean;
    double extrapolate_below =
        0.0;  ///< volume ratio below which a barrier law is continued (materials/extrapolated.hpp); 0: nowhere
    std::vector<MaterialTerm> terms;  ///< of the law `sum`
    std::vector<double> mu, lambda;   ///< Lame parameters of linear elasticity, Pa (laws convert them themselves)

    /// False where the energy is +inf at J <= 0: these need an inversion-free step (fem/inversion.hpp).
    bool invertible() const { return extrapolate_below > 0.0 || is_invertible(law); }
    /// Whether elements of both can be in one list.
    bool same_law(const ElementMaterial& other) const {
        return law == other.law && extrapolate_below == other.extrapolate_below && terms == other.terms;
    }
};

}  // namespace stiction
