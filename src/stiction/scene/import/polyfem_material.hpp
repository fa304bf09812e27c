// Materials of PolyFEM scenes.
#pragma once

#include "stiction/scene/import/polyfem_geometry.hpp"

namespace stiction::scene {

/// Reads `materials` and gives every body the one of its volume ids.
/// @throws InputError, also where tets of one mesh are of several materials
void read_polyfem_materials(ImportObject& document, const PolyfemContext& context, PolyfemGeometry& geometry);

}  // namespace stiction::scene
