#include "stiction/scene/material.hpp"

#include "stiction/base/error.hpp"
#include "stiction/materials/material_law.hpp"
#include "stiction/materials/membrane_moduli.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

class MaterialCheck {
public:
    explicit MaterialCheck(const std::string& file) : file_(file) {}

    void run(const MaterialSpec& material, const std::string& path) const {
        const auto law = law_from_name(material.law);
        if (!law)
            refuse(path + ".law", "\"" + material.law + "\"", fmt::format("one of {}", fmt::join(law_names(), ", ")));
        check_terms(material, path);
        if (*law != MaterialLaw::sum) check_law_moduli(*law, material.youngs_modulus, material.poissons_ratio, path);
        if (!material.extrapolate_below) return;
        if (const auto expected = check_extrapolation(*law, *material.extrapolate_below))
            refuse(path + ".extrapolate_below", fmt::format("{}", *material.extrapolate_below), *expected);
    }

private:
    [[noreturn]] void refuse(const std::string& path, const std::string& value, const std::string& expected) const {
        throw InputError(file_, path, value, expected);
    }

    void check_law_moduli(MaterialLaw law, double youngs_modulus, double poissons_ratio,
                          const std::string& path) const {
        if (const auto complaint = check_moduli(law, youngs_modulus, poissons_ratio)) {
            const char* key = complaint->parameter == "E" ? ".youngs_modulus" : ".poissons_ratio";
            refuse(path + key, fmt::format("{}", complaint->value), complaint->expected);
        }
    }

    void check_terms(const MaterialSpec& material, const std::string& path) const {
        const bool is_sum = material.law == "sum";
        if (is_sum == material.terms.empty())
            refuse(path + ".terms", fmt::format("{} of them", material.terms.size()),
                   is_sum ? "at least one term of the sum" : "no such key unless \"law\" is \"sum\"");
        for (std::size_t i = 0; i < material.terms.size(); ++i)
            check_term(material.terms[i], fmt::format("{}.terms[{}]", path, i));
        if (!is_sum) return;
        const LameParameters lame = lame_of_terms(compiled_terms(material));
        const auto value = [](double modulus) { return fmt::format("{:.6g} Pa", modulus); };
        if (!(lame.mu > 0.0))
            refuse(path + ".terms", "a shear modulus of " + value(lame.mu), "terms that resist shear at rest");
        if (!is_stable(lame))
            refuse(path + ".terms", "a bulk modulus of " + value(lame.lambda + 2.0 / 3.0 * lame.mu),
                   "terms that resist a change of volume at rest: a log_volume, say");
    }

    void check_term(const TermSpec& term, const std::string& path) const {
        const auto kind = term_from_name(term.kind);
        if (!kind)
            refuse(path + ".kind", "\"" + term.kind + "\"", fmt::format("one of {}", fmt::join(term_names(), ", ")));
        const bool has_moduli = is_law(*kind);
        const bool has_exponent = *kind == TermKind::isochoric_power || *kind == TermKind::volume_power;
        const auto check = [&](const char* key, const std::optional<double>& value, bool wanted) {
            if (value.has_value() == wanted) return;
            refuse(path + "." + key, wanted ? "missing" : fmt::format("{}", *value),
                   (wanted ? "a number with " : "no such key with ") + term.kind);
        };
        check("coefficient", term.coefficient, !has_moduli);
        check("exponent", term.exponent, has_exponent);
        check("youngs_modulus", term.youngs_modulus, has_moduli);
        check("poissons_ratio", term.poissons_ratio, has_moduli);
        if (has_moduli) check_law_moduli(*law_from_name(term.kind), *term.youngs_modulus, *term.poissons_ratio, path);
        if (*kind == TermKind::isochoric_power && *term.exponent == 0.0)
            refuse(path + ".exponent", "0", "another exponent");
        const double m = term.exponent.value_or(2.0);
        if (*kind == TermKind::volume_power && !(m >= 2.0 && std::fmod(m, 2.0) == 0.0))
            refuse(path + ".exponent", fmt::format("{}", m), "an even number, 2 at least");
    }

    const std::string& file_;
};

}  // namespace

std::vector<MaterialTerm> compiled_terms(const MaterialSpec& material) {
    std::vector<MaterialTerm> terms;
    for (const TermSpec& spec : material.terms) {
        MaterialTerm& term = terms.emplace_back();
        term.kind = *term_from_name(spec.kind);
        term.coefficient = spec.coefficient.value_or(0.0);
        term.exponent = spec.exponent.value_or(2.0);
        if (is_law(term.kind)) term.lame = lame_parameters(*spec.youngs_modulus, *spec.poissons_ratio);
    }
    return terms;
}

ShellMaterial shell_material(const MaterialSpec& spec, const ShellSpec& shell) {
    ShellMaterial material;
    material.law = *membrane_law_from_name(spec.law);
    material.youngs_modulus = spec.youngs_modulus;
    material.poissons_ratio = spec.poissons_ratio;
    material.thickness = shell.thickness;
    material.areal_density = shell.areal_density.value_or(areal_density(spec.density, shell.thickness));
    const auto& models = bending_model_names();
    material.bending =
        static_cast<BendingModel>(std::find(models.begin(), models.end(), shell.bending) - models.begin());
    material.bending_stiffness = shell.bending_stiffness;
    material.rest_angles = shell.rest_angles == "flat" ? RestAngles::flat : RestAngles::as_given;
    material.mass_damping = spec.mass_damping;
    if (shell.strain_limit) {
        const double limit = shell.strain_limit->limit;
        material.strain_limit = {shell.strain_limit->start.value_or(0.5 * (1.0 + limit)), limit,
                                 shell.strain_limit->stiffness.value_or(spec.youngs_modulus)};
    }
    return material;
}

RodMaterial rod_material(const MaterialSpec& spec, const RodSpec& rod) {
    RodMaterial material;
    material.youngs_modulus = spec.youngs_modulus;
    material.radius = rod.radius;
    material.linear_density = rod.linear_density.value_or(spec.density * cross_section(material));
    material.stretching_stiffness = rod.stretching_stiffness;
    material.bending_stiffness = rod.bending_stiffness;
    material.rest_shape = rod.rest_shape == "straight" ? RodRestShape::straight : RodRestShape::as_given;
    material.mass_damping = spec.mass_damping;
    return material;
}

void check_solid_material(const MaterialSpec& material, const std::string& file, const std::string& path) {
    MaterialCheck(file).run(material, path);
}

}  // namespace stiction
