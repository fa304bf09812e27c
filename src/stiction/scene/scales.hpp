// Checks and warnings about lengths and speeds that fit neither each other nor the meshes.
#pragma once

#include "stiction/scene/spec.hpp"
#include "stiction/world/world.hpp"

#include <string>
#include <vector>

namespace stiction {

/// Throws InputError for a mesh (placed, metres) that is larger than 1e15 m or, if it is deformable, smaller than 1e-15
/// m, and for one that is so far from the origin that rounding swallows its shape: a size below 1e-9 of the distance.
/// @param field  path of the body in the scene
void check_size(const Mesh& mesh, bool deformable, const SceneOrigin& origin, const std::string& field);

/// Throws InputError when the distance at which the barrier begins to act is below 1e-12 of the largest coordinate of a
/// deformable body: the gaps that it is to keep open are then rounding.
void check_barrier_distance(const SceneSpec& spec, const World& world);

/// Throws InputError when a pair has a kinetic coefficient of its own and the speed from which it holds is no more than
/// the friction velocity.
void check_kinetic_velocity(const SceneSpec& spec, const World& world);

/// Keys of the scene that have no effect with its method but would with another, and choices that are there for
/// comparison; one line each, beginning with the path of the key:
///   "local_global.cables: 2 of them: of no effect with method 'ipc'"
std::vector<std::string> method_warnings(const SceneSpec& spec);

/// What can be simulated, but is hardly meant; one line each, beginning with the path of the key:
///   "ipc.dhat: 0.5 m: is more than body 'cube' is thick (0.2 m): its opposite sides push at whatever is near either"
std::vector<std::string> scale_warnings(const SceneSpec& spec, const World& world);

}  // namespace stiction
