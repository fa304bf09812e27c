// Materials: what a scene says about them, compiled; those of solids are checked here, too.
#pragma once

#include "stiction/materials/hyperelastic_sum.hpp"
#include "stiction/scene/spec.hpp"
#include "stiction/world/world_builder.hpp"

namespace stiction {

/// @throws InputError naming `file` and the key below `path` that makes no stable material
void check_solid_material(const MaterialSpec& material, const std::string& file, const std::string& path);

/// The energies of the law `sum`, in SI units; none for other laws. The material has passed check_solid_material().
std::vector<MaterialTerm> compiled_terms(const MaterialSpec& material);

/// What a sheet and a rod are made of, with defaults filled in. They have passed validate_scene().
ShellMaterial shell_material(const MaterialSpec& material, const ShellSpec& shell);
RodMaterial rod_material(const MaterialSpec& material, const RodSpec& rod);

}  // namespace stiction
