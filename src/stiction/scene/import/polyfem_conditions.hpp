// Boundary and initial conditions of PolyFEM scenes.
#pragma once

#include "stiction/scene/import/polyfem_geometry.hpp"

namespace stiction::scene {

/// Reads `boundary_conditions`: the right-hand side becomes gravity (it is minus the acceleration), Dirichlet
/// conditions become boundaries of bodies and motions of obstacles (their values are displacements from the placed
/// mesh), obstacle displacements motions of obstacles. Loads on surfaces are refused.
/// @throws InputError, also for an id that no selection gives
void read_polyfem_boundary_conditions(ImportObject& document, const PolyfemContext& context, PolyfemGeometry& geometry,
                                      SceneSpec& scene);

/// Reads `initial_conditions`: velocities by volume id. Initial displacements and accelerations are refused.
/// @throws InputError
void read_polyfem_initial_conditions(ImportObject& document, const PolyfemContext& context, PolyfemGeometry& geometry);

/// Ids of an entry: an integer or a list of integers. @throws InputError
std::vector<int> read_polyfem_ids(ImportObject& entry);

}  // namespace stiction::scene
