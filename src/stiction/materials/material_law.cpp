#include "stiction/materials/material_law.hpp"

#include <fmt/format.h>

#include <cmath>

namespace stiction {

LameParameters lame_parameters(double youngs_modulus, double poisson_ratio) {
    STICTION_CHECK(youngs_modulus > 0.0 && poisson_ratio > -1.0 && poisson_ratio < 0.5, "elastic moduli out of range");
    return {youngs_modulus / (2.0 * (1.0 + poisson_ratio)),
            youngs_modulus * poisson_ratio / ((1.0 + poisson_ratio) * (1.0 - 2.0 * poisson_ratio))};
}

std::string_view law_name(MaterialLaw law) {
    switch (law) {
        case MaterialLaw::neo_hookean: return "neo_hookean";
        case MaterialLaw::stable_neo_hookean: return "stable_neo_hookean";
        case MaterialLaw::fixed_corotated: return "fixed_corotated";
        case MaterialLaw::arap: return "arap";
        case MaterialLaw::saint_venant_kirchhoff: return "saint_venant_kirchhoff";
        case MaterialLaw::linear: return "linear";
        case MaterialLaw::sum: return "sum";
    }
    throw InternalError("unknown material law");
}

std::optional<MaterialLaw> law_from_name(std::string_view name) {
    for (const MaterialLaw law : all_material_laws) {
        if (law_name(law) == name) return law;
    }
    return std::nullopt;
}

std::vector<std::string> law_names() {
    std::vector<std::string> names;
    for (const MaterialLaw law : all_material_laws) names.emplace_back(law_name(law));
    return names;
}

bool is_invertible(MaterialLaw law) {
    return visit_law(law, [](auto type) { return decltype(type)::type::invertible; });
}

std::optional<std::string> check_extrapolation(MaterialLaw law, double volume_ratio) {
    if (law == MaterialLaw::sum) return "absent: sums are not extrapolated";
    if (is_invertible(law)) return fmt::format("absent: {} is finite for every deformation as it is", law_name(law));
    if (!(volume_ratio >= smallest_extrapolation && volume_ratio < 1.0))
        return fmt::format("a volume ratio in [{}, 1)", smallest_extrapolation);
    return std::nullopt;
}

std::optional<ModuliComplaint> check_moduli(MaterialLaw law, double youngs_modulus, double poisson_ratio) {
    if (!(youngs_modulus > 0.0) || !std::isfinite(youngs_modulus)) {
        return ModuliComplaint{"E", youngs_modulus, "a finite Young's modulus > 0 (Pa)"};
    }
    const bool needs_positive_lambda = law == MaterialLaw::neo_hookean || law == MaterialLaw::fixed_corotated;
    if (needs_positive_lambda && !(poisson_ratio >= 0.0 && poisson_ratio < 0.5)) {
        return ModuliComplaint{"nu", poisson_ratio, "a Poisson's ratio in [0, 0.5) for " + std::string(law_name(law))};
    }
    if (!(poisson_ratio > -1.0 && poisson_ratio < 0.5)) {
        return ModuliComplaint{"nu", poisson_ratio, "a Poisson's ratio in (-1, 0.5)"};
    }
    return std::nullopt;
}

}  // namespace stiction
