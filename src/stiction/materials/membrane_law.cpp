#include "stiction/materials/membrane_law.hpp"

namespace stiction {
namespace {

/// The solid law of the same form, which has the name and the limits on the moduli.
MaterialLaw solid_law(MembraneLaw law) {
    switch (law) {
        case MembraneLaw::neo_hookean: return MaterialLaw::neo_hookean;
        case MembraneLaw::saint_venant_kirchhoff: return MaterialLaw::saint_venant_kirchhoff;
        case MembraneLaw::fixed_corotated: return MaterialLaw::fixed_corotated;
        case MembraneLaw::arap: return MaterialLaw::arap;
    }
    throw InternalError("unknown membrane law");
}

}  // namespace

std::string_view membrane_law_name(MembraneLaw law) {
    return law_name(solid_law(law));
}

std::optional<MembraneLaw> membrane_law_from_name(std::string_view name) {
    for (const MembraneLaw law : all_membrane_laws) {
        if (membrane_law_name(law) == name) return law;
    }
    return std::nullopt;
}

std::vector<std::string> membrane_law_names() {
    std::vector<std::string> names;
    for (const MembraneLaw law : all_membrane_laws) names.emplace_back(membrane_law_name(law));
    return names;
}

bool is_collapsible(MembraneLaw law) {
    return visit_membrane_law(law, [](auto type) { return decltype(type)::type::collapsible; });
}

std::optional<ModuliComplaint> check_membrane_moduli(MembraneLaw law, double youngs_modulus, double poisson_ratio) {
    return check_moduli(solid_law(law), youngs_modulus, poisson_ratio);
}

}  // namespace stiction
