// Materials of solids: what a scene says about them, checked and compiled.
#pragma once

#include "stiction/materials/hyperelastic_sum.hpp"
#include "stiction/scene/spec.hpp"

namespace stiction {

/// @throws InputError naming `file` and the key below `path` that makes no stable material
void check_solid_material(const MaterialSpec& material, const std::string& file, const std::string& path);

/// The energies of the law `sum`, in SI units; none for other laws. The material has passed check_solid_material().
std::vector<MaterialTerm> compiled_terms(const MaterialSpec& material);

}  // namespace stiction
