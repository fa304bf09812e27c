// Motions of a scene -> trajectories.
#pragma once

#include "stiction/mesh/mesh.hpp"
#include "stiction/scene/spec.hpp"

namespace stiction {

/// The motion of some vertices of a body.
/// @param vertices  global ids
/// @param center    point that turns go about when the scene names none (m)
/// @param field     path of the motion; becomes its name
Motion make_motion(const MotionSpec& spec, std::vector<Index> vertices, const Vec3& center, const SceneOrigin& origin,
                   const std::string& field);

/// Throws InputError when a formula of the motion is not finite at one of these positions (those at t = 0, metres) at
/// the time when the motion begins.
void check_formulas_at_start(const MotionSpec& spec, const std::vector<Vec3>& positions, const SceneOrigin& origin,
                             const std::string& field);

/// What of an obstacle's mesh collides, see ObstacleSpec::use; unused vertices are dropped.
/// @param[out] new_id  for each vertex of the input its index in the result, -1 when dropped
Mesh colliding_part(Mesh mesh, const std::string& use, std::vector<Index>& new_id);

}  // namespace stiction
