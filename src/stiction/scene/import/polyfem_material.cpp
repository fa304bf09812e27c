#include "stiction/scene/import/polyfem_material.hpp"

#include "stiction/base/error.hpp"
#include "stiction/materials/material_law.hpp"
#include "stiction/scene/import/polyfem_conditions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace stiction::scene {
namespace {

class MaterialReader {
public:
    MaterialReader(ImportObject& document, const PolyfemContext& context, PolyfemGeometry& geometry)
        : document_(document), context_(context), geometry_(geometry) {}

    void run() {
        const auto list = document_.list("materials");
        if (list.empty()) document_.refuse("materials", "at least one material");
        std::vector<Material> materials;
        for (std::size_t i = 0; i < list.size(); ++i) {
            materials.push_back(read_material(*list[i], document_.entry_path("materials", i)));
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

    Material read_material(const Json& json, const std::string& path) {
        ImportObject entry(json, path, context_.notes);
        Material material;
        material.path = path;
        if (entry.find("id")) material.ids = read_polyfem_ids(entry);
        entry.require("type", "NeoHookean, SaintVenant or FixedCorotational");
        const std::map<std::string, std::string> laws{{"NeoHookean", "neo_hookean"},
                                                      {"SaintVenant", "saint_venant_kirchhoff"},
                                                      {"FixedCorotational", "fixed_corotated"}};
        const auto law = laws.find(entry.text("type", ""));
        if (law == laws.end()) entry.refuse("type", "NeoHookean, SaintVenant or FixedCorotational");
        material.spec.law = law->second;
        read_moduli(entry, material.spec);
        const Json* density = entry.find("rho");
        material.spec.density = density ? polyfem_constant(*density, entry.path_of("rho"), density_dimension, context_)
                                        : context_.units.factor(density_dimension);
        if (!(material.spec.density > 0.0)) entry.refuse("rho", "a density > 0");
        entry.only("phi", 0, "0: viscous damping of this kind is not offered");
        entry.only("psi", 0, "0: viscous damping of this kind is not offered");
        for (const char* key :
             {"elasticity_tensor", "fiber_direction", "c1", "c2", "c3", "d1", "k", "alphas", "mus", "Ds", "c", "m",
              "k1", "k2", "activation", "Tmax", "use_rest_pose", "weight", "models"}) {
            if (entry.find(key)) entry.refuse(key, "no such key of " + entry.text("type", ""));
        }
        entry.finish();
        return material;
    }

    void read_moduli(ImportObject& entry, MaterialSpec& spec) {
        const auto value = [&](const char* key, const Dimension& dimension) {
            return polyfem_constant(entry.require(key, "a value: `E` and `nu`, or `lambda` and `mu`"),
                                    entry.path_of(key), dimension, context_);
        };
        if (entry.find("lambda") || entry.find("mu")) {
            if (entry.find("E") || entry.find("nu"))
                entry.refuse(entry.find("E") ? "E" : "nu", "no such key beside `lambda` and `mu`");
            const double lambda = value("lambda", stress_dimension), mu = value("mu", stress_dimension);
            if (!(mu > 0.0)) entry.refuse("mu", "a shear modulus > 0");
            if (!(3.0 * lambda + 2.0 * mu > 0.0)) entry.refuse("lambda", "a modulus above -2/3 `mu`");
            spec.youngs_modulus = mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu);
            spec.poissons_ratio = lambda / (2.0 * (lambda + mu));
        } else {
            spec.youngs_modulus = value("E", stress_dimension);
            spec.poissons_ratio = value("nu", number_dimension);
        }
        if (const auto complaint = check_moduli(*law_from_name(spec.law), spec.youngs_modulus, spec.poissons_ratio)) {
            const char* key = complaint->parameter == "E" ? "E" : "nu";
            entry.refuse(entry.find(key) ? key : "lambda", complaint->expected);
        }
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
