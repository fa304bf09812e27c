#include "stiction/scene/import/polyfem_material.hpp"

#include "stiction/base/error.hpp"
#include "stiction/materials/material_law.hpp"
#include "stiction/scene/import/polyfem_conditions.hpp"
#include "stiction/scene/material.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace stiction::scene {
namespace {

constexpr const char* law_names_of_polyfem =
    "NeoHookean, IsochoricNeoHookean, SaintVenant, FixedCorotational, LinearElasticity, HookeLinearElasticity, "
    "MooneyRivlin, MooneyRivlin3Param, UnconstrainedOgden, IncompressibleOgden, VolumePenalty or MaterialSum";
constexpr Dimension compliance_dimension{1, -1, 2};

class MaterialReader {
public:
    MaterialReader(ImportObject& document, const PolyfemContext& context, PolyfemGeometry& geometry)
        : document_(document), context_(context), geometry_(geometry) {}

    void run() {
        const auto list = document_.list("materials");
        const bool is_list = document_.find("materials") && document_.find("materials")->is_array();
        if (list.empty()) document_.refuse("materials", "at least one material");
        std::vector<Material> materials;
        for (std::size_t i = 0; i < list.size(); ++i) {
            materials.push_back(read_material(*list[i], document_.entry_path("materials", i), is_list));
            if (list.size() == 1) break;
            if (!materials.back().ids)
                throw InputError(context_.notes.file, materials.back().path + ".id", "missing",
                                 "the volume id that the material is for");
            check_distinct(materials);
        }
        for (PolyfemBody& body : geometry_.bodies) body.spec.material = material_of(body, materials).spec;
        for (const Material& material : materials) {
            if (!material.used) context_.notes.without_effect.push_back(material.path + " (no body has its id)");
        }
    }

private:
    struct Material {
        std::string path;
        std::optional<std::vector<int>> ids;  ///< volume ids; absent: every one
        MaterialSpec spec;
        bool used = false;
    };

    /// A material that stands alone is for everything: its id does not count, as there.
    Material read_material(const Json& json, const std::string& path, bool is_in_list) {
        ImportObject entry(json, path, context_.notes);
        Material material;
        material.path = path;
        if (!is_in_list)
            entry.without_effect({"id"});
        else if (entry.find("id"))
            material.ids = read_polyfem_ids(entry);
        read_law(entry, material.spec);
        const Json* density = entry.find("rho");
        material.spec.density = density ? polyfem_constant(*density, entry.path_of("rho"), density_dimension, context_)
                                        : context_.units.factor(density_dimension);
        if (!(material.spec.density > 0.0)) entry.refuse("rho", "a density > 0");
        entry.only("phi", 0, "0: viscous damping of this kind is not offered");
        entry.only("psi", 0, "0: viscous damping of this kind is not offered");
        refuse_rest(entry);
        entry.finish();
        return material;
    }

    /// Laws of PolyFEM that are laws of two moduli here.
    static const std::map<std::string, std::string>& plain_laws() {
        static const std::map<std::string, std::string> laws{{"NeoHookean", "neo_hookean"},
                                                             {"SaintVenant", "saint_venant_kirchhoff"},
                                                             {"FixedCorotational", "fixed_corotated"},
                                                             {"LinearElasticity", "linear"},
                                                             {"HookeLinearElasticity", "linear"}};
        return laws;
    }

    void read_law(ImportObject& entry, MaterialSpec& spec) {
        entry.require("type", law_names_of_polyfem);
        const std::string type = entry.text("type", "");
        if (const auto law = plain_laws().find(type); law != plain_laws().end()) {
            spec.law = law->second;
            const auto [youngs_modulus, poissons_ratio] = read_moduli(entry, *law_from_name(spec.law));
            spec.youngs_modulus = youngs_modulus;
            spec.poissons_ratio = poissons_ratio;
            return;
        }
        spec.law = "sum";
        add_terms(entry, type, spec.terms);
        const LameParameters lame = lame_of_terms(compiled_terms(spec));
        if (!is_stable(lame))
            entry.refuse("type",
                         fmt::format("a law that resists shear and a change of volume at rest; this one has the "
                                     "moduli mu = {:.6g} Pa, lambda = {:.6g} Pa",
                                     lame.mu, lame.lambda));
    }

    /// The energies of a law of PolyFEM. docs/import_polyfem.md has the formulas.
    void add_terms(ImportObject& entry, const std::string& type, std::vector<TermSpec>& terms) {
        const auto power = [&](double c, double m) { terms.push_back({"isochoric_power", c, m, {}, {}}); };
        const auto volume = [&](const char* kind, double c) { terms.push_back({kind, c, {}, {}, {}}); };
        if (type == "IsochoricNeoHookean") {
            const auto [E, nu] = read_moduli(entry, MaterialLaw::saint_venant_kirchhoff);
            power(0.5 * lame_parameters(E, nu).mu, 2.0);
        } else if (type == "MooneyRivlin") {
            power(stress(entry, "c1"), 2.0);
            power(stress(entry, "c2"), -2.0);
            volume("log_volume", stress(entry, "k"));
        } else if (type == "MooneyRivlin3Param" || type == "MooneyRivlin3ParamSymbolic") {
            power(stress(entry, "c1"), 2.0);
            power(stress(entry, "c2"), -2.0);
            volume("isochoric_product", stress(entry, "c3"));
            terms.push_back({"volume_power", stress(entry, "d1"), 2.0, {}, {}});
        } else if (type == "UnconstrainedOgden") {
            const auto alphas = values(entry, "alphas", number_dimension), mus = values(entry, "mus", stress_dimension);
            if (alphas.size() != mus.size()) entry.refuse("mus", "as many values as `alphas` has");
            for (std::size_t i = 0; i < mus.size(); ++i) power(2.0 * mus[i] / (alphas[i] * alphas[i]), alphas[i]);
            const auto Ds = values(entry, "Ds", compliance_dimension);
            for (std::size_t i = 0; i < Ds.size(); ++i)
                terms.push_back({"volume_power", 1.0 / Ds[i], 2.0 * static_cast<double>(i + 1), {}, {}});
        } else if (type == "IncompressibleOgden") {
            const auto c = values(entry, "c", stress_dimension), m = values(entry, "m", number_dimension);
            if (c.size() != m.size()) entry.refuse("m", "as many values as `c` has");
            for (std::size_t i = 0; i < c.size(); ++i) power(c[i] / (m[i] * m[i]), m[i]);
            volume("log_volume", stress(entry, "k"));
        } else if (type == "VolumePenalty") {
            volume("volume_penalty", stress(entry, "k"));
        } else if (type == "MaterialSum") {
            add_models(entry, terms);
        } else if (type == "InversionBarrier") {
            entry.refuse("type",
                         "no such model: it resists nothing but a det F below its threshold. A law that is infinite at "
                         "det F = 0, such as NeoHookean, keeps elements from inversion alone, of order 2, too");
        } else {
            entry.refuse("type", law_names_of_polyfem);
        }
    }

    void add_models(ImportObject& entry, std::vector<TermSpec>& terms) {
        const auto models = entry.list("models");
        if (models.empty()) entry.refuse("models", "at least one model");
        for (std::size_t i = 0; i < models.size(); ++i) {
            ImportObject model(*models[i], entry.entry_path("models", i), context_.notes);
            model.require("type", law_names_of_polyfem);
            const std::string type = model.text("type", "");
            const auto law = plain_laws().find(type);
            if (law == plain_laws().end()) {
                add_terms(model, type, terms);
            } else {
                if (law->second == "linear") model.refuse("type", "an objective law: linear ones are not summed");
                const auto [youngs_modulus, poissons_ratio] = read_moduli(model, *law_from_name(law->second));
                terms.push_back({law->second, {}, {}, youngs_modulus, poissons_ratio});
            }
            model.without_effect({"rho", "phi", "psi"});  // PolyFEM takes those of the sum
            refuse_rest(model);
            model.finish();
        }
    }

    /// Parameters of laws that are not offered.
    static void refuse_rest(ImportObject& entry) {
        for (const char* key :
             {"elasticity_tensor", "fiber_direction", "k1", "k2", "activation", "Tmax", "use_rest_pose", "weight"}) {
            if (entry.find(key)) entry.refuse(key, "no such key: laws with directions or tensors are not offered");
        }
    }

    double stress(ImportObject& entry, const char* key) const {
        return polyfem_constant(entry.require(key, "a value of " + entry.text("type", "")), entry.path_of(key),
                                stress_dimension, context_);
    }

    /// A list of values other than 0, where one may stand alone.
    std::vector<double> values(ImportObject& entry, const char* key, const Dimension& dimension) const {
        entry.require(key, "a list of values of " + entry.text("type", ""));
        std::vector<double> result;
        const auto list = entry.list(key);
        for (std::size_t i = 0; i < list.size(); ++i) {
            result.push_back(polyfem_constant(*list[i], entry.entry_path(key, i), dimension, context_));
            if (result.back() == 0.0) entry.refuse(key, "values other than 0");
        }
        return result;
    }

    /// Young's modulus (Pa) and Poisson's ratio.
    std::pair<double, double> read_moduli(ImportObject& entry, MaterialLaw law) const {
        const auto value = [&](const char* key, const Dimension& dimension) {
            return polyfem_constant(entry.require(key, "a value: `E` and `nu`, or `lambda` and `mu`"),
                                    entry.path_of(key), dimension, context_);
        };
        double youngs_modulus = 0.0, poissons_ratio = 0.0;
        if (entry.find("lambda") || entry.find("mu")) {
            if (entry.find("E") || entry.find("nu"))
                entry.refuse(entry.find("E") ? "E" : "nu", "no such key beside `lambda` and `mu`");
            const double lambda = value("lambda", stress_dimension), mu = value("mu", stress_dimension);
            if (!(mu > 0.0)) entry.refuse("mu", "a shear modulus > 0");
            if (!(3.0 * lambda + 2.0 * mu > 0.0)) entry.refuse("lambda", "a modulus above -2/3 `mu`");
            youngs_modulus = mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu);
            poissons_ratio = lambda / (2.0 * (lambda + mu));
        } else {
            youngs_modulus = value("E", stress_dimension);
            poissons_ratio = value("nu", number_dimension);
        }
        if (const auto complaint = check_moduli(law, youngs_modulus, poissons_ratio)) {
            const char* key = complaint->parameter == "E" ? "E" : "nu";
            entry.refuse(entry.find(key) ? key : "lambda", complaint->expected);
        }
        return {youngs_modulus, poissons_ratio};
    }

    void check_distinct(const std::vector<Material>& materials) const {
        for (const int id : *materials.back().ids) {
            for (std::size_t k = 0; k + 1 < materials.size(); ++k) {
                const auto& other = *materials[k].ids;
                if (std::find(other.begin(), other.end(), id) != other.end())
                    throw InputError(context_.notes.file, materials.back().path + ".id", fmt::format("{}", id),
                                     "each id once: " + materials[k].path + " has it, too");
            }
        }
    }

    const Material& material_of(const PolyfemBody& body, std::vector<Material>& materials) const {
        Material* result = nullptr;
        for (const int id : body.volume_ids) {
            const auto found = std::find_if(materials.begin(), materials.end(), [&](const Material& m) {
                return !m.ids || std::find(m.ids->begin(), m.ids->end(), id) != m.ids->end();
            });
            if (found == materials.end())
                throw InputError(context_.notes.file, body.path + ".volume_selection", fmt::format("{}", id),
                                 "an id that one of `materials` has");
            if (result && result != &*found)
                throw InputError(context_.notes.file, body.path + ".volume_selection",
                                 fmt::format("{}", fmt::join(body.volume_ids, ", ")),
                                 "one material a mesh: split the mesh into one for each");
            result = &*found;
        }
        result->used = true;
        return *result;
    }

    ImportObject& document_;
    const PolyfemContext& context_;
    PolyfemGeometry& geometry_;
};

}  // namespace

void read_polyfem_materials(ImportObject& document, const PolyfemContext& context, PolyfemGeometry& geometry) {
    MaterialReader(document, context, geometry).run();
}

}  // namespace stiction::scene
