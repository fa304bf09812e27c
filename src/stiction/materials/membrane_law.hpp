// The table of constitutive laws of thin sheets: names, admissible parameters, dispatch.
#pragma once

#include "stiction/materials/material_law.hpp"
#include "stiction/materials/membrane_arap.hpp"
#include "stiction/materials/membrane_fixed_corotated.hpp"
#include "stiction/materials/membrane_neo_hookean.hpp"
#include "stiction/materials/membrane_saint_venant_kirchhoff.hpp"

namespace stiction {

/// The isotropic hyperelastic laws of sheets, in plane stress for small strains.
enum class MembraneLaw { neo_hookean, saint_venant_kirchhoff, fixed_corotated, arap };

/// Every law, in the order of the enumeration.
inline constexpr std::array<MembraneLaw, 4> all_membrane_laws = {
    MembraneLaw::neo_hookean, MembraneLaw::saint_venant_kirchhoff, MembraneLaw::fixed_corotated, MembraneLaw::arap};

/// Name used in scenes and reports: the enumerator as text ("neo_hookean"); the same names as for solids.
std::string_view membrane_law_name(MembraneLaw law);
/// The law of that name, or nothing.
std::optional<MembraneLaw> membrane_law_from_name(std::string_view name);
/// Names of all laws, for messages.
std::vector<std::string> membrane_law_names();

/// Whether a triangle may collapse at finite cost; false for barrier laws, whose energy is +inf at J = 0.
bool is_collapsible(MembraneLaw law);

/// Nothing if (E, nu) make `law` a stable sheet: E finite and > 0; nu < 0.5 and nu >= 0 for neo-Hookean and fixed
/// corotated, nu > -1 for the others.
std::optional<ModuliComplaint> check_membrane_moduli(MembraneLaw law, double youngs_modulus, double poisson_ratio);

/// Calls visitor(std::type_identity<Law<double>>{}) with the law's type: one branch before a loop over elements.
template <class Visitor>
decltype(auto) visit_membrane_law(MembraneLaw law, Visitor&& visitor) {
    switch (law) {
        case MembraneLaw::neo_hookean: return visitor(std::type_identity<MembraneNeoHookean<double>>{});
        case MembraneLaw::saint_venant_kirchhoff:
            return visitor(std::type_identity<MembraneSaintVenantKirchhoff<double>>{});
        case MembraneLaw::fixed_corotated: return visitor(std::type_identity<MembraneFixedCorotated<double>>{});
        case MembraneLaw::arap: return visitor(std::type_identity<MembraneArap<double>>{});
    }
    throw InternalError("unknown membrane law");
}

}  // namespace stiction
