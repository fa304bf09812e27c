// The table of constitutive laws: names, admissible parameters, dispatch.
#pragma once

#include "stiction/base/error.hpp"
#include "stiction/materials/arap.hpp"
#include "stiction/materials/fixed_corotated.hpp"
#include "stiction/materials/hyperelastic_sum.hpp"
#include "stiction/materials/lame.hpp"
#include "stiction/materials/linear_elastic.hpp"
#include "stiction/materials/neo_hookean.hpp"
#include "stiction/materials/saint_venant_kirchhoff.hpp"
#include "stiction/materials/stable_neo_hookean.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace stiction {

/// The elastic laws. `linear` is not objective; `sum` has terms in place of two moduli.
enum class MaterialLaw { neo_hookean, stable_neo_hookean, fixed_corotated, arap, saint_venant_kirchhoff, linear, sum };

/// Every law, in the order of the enumeration.
inline constexpr std::array<MaterialLaw, 7> all_material_laws = {
    MaterialLaw::neo_hookean, MaterialLaw::stable_neo_hookean,     MaterialLaw::fixed_corotated,
    MaterialLaw::arap,        MaterialLaw::saint_venant_kirchhoff, MaterialLaw::linear,
    MaterialLaw::sum};
/// The laws of two moduli whose energy does not change with rotations.
inline constexpr std::array<MaterialLaw, 5> objective_laws = {MaterialLaw::neo_hookean, MaterialLaw::stable_neo_hookean,
                                                              MaterialLaw::fixed_corotated, MaterialLaw::arap,
                                                              MaterialLaw::saint_venant_kirchhoff};

/// Name used in scenes and reports: the enumerator as text ("neo_hookean").
std::string_view law_name(MaterialLaw law);
/// The law of that name, or nothing.
std::optional<MaterialLaw> law_from_name(std::string_view name);
/// Names of all laws, for messages.
std::vector<std::string> law_names();

/// False for barrier laws, whose energy is +inf at J <= 0: these need an inversion-free step (fem/inversion.hpp),
/// unless they are extrapolated.
bool is_invertible(MaterialLaw law);

/// The volume ratios (0 excluded) below which a barrier law may be continued: a lower one would leave numbers that are
/// not finite.
inline constexpr double smallest_extrapolation = 1e-3;
/// What is expected of a volume ratio J0 > 0 below which `law` is continued (materials/extrapolated.hpp), or nothing if
/// it is well: the law has to be a barrier and smallest_extrapolation <= J0 < 1.
std::optional<std::string> check_extrapolation(MaterialLaw law, double volume_ratio);

/// What is wrong with a material's moduli: the parts of an InputError that the caller, who knows file and path,
/// composes.
struct ModuliComplaint {
    std::string parameter;  ///< "E" or "nu"
    double value;           ///< as given
    std::string expected;   ///< noun phrase
};

/// Nothing if (E, nu) make `law` a stable material: E finite and > 0; nu < 0.5 and
/// nu >= 0 for neo-Hookean and fixed corotated (a negative lambda lets their energy fall without bound),
/// nu > -1 for the others.
std::optional<ModuliComplaint> check_moduli(MaterialLaw law, double youngs_modulus, double poisson_ratio);

/// Calls visitor(std::type_identity<Law<double>>{}) with the law's type: one branch before a loop over elements.
template <class Visitor>
decltype(auto) visit_law(MaterialLaw law, Visitor&& visitor) {
    switch (law) {
        case MaterialLaw::neo_hookean: return visitor(std::type_identity<NeoHookean<double>>{});
        case MaterialLaw::stable_neo_hookean: return visitor(std::type_identity<StableNeoHookean<double>>{});
        case MaterialLaw::fixed_corotated: return visitor(std::type_identity<FixedCorotated<double>>{});
        case MaterialLaw::arap: return visitor(std::type_identity<Arap<double>>{});
        case MaterialLaw::saint_venant_kirchhoff: return visitor(std::type_identity<SaintVenantKirchhoff<double>>{});
        case MaterialLaw::linear: return visitor(std::type_identity<LinearElastic<double>>{});
        case MaterialLaw::sum: return visitor(std::type_identity<HyperelasticSum>{});
    }
    throw InternalError("unknown material law");
}

}  // namespace stiction
