// Meshes of obstacles, one or a sequence of them.
#pragma once

#include "stiction/mesh/mesh.hpp"
#include "stiction/scene/spec.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace stiction {

/// What of an obstacle's mesh collides, where it starts (m). `path` is that of the obstacle, for messages.
/// @param[out] new_id  for each vertex of the file its index in the result, -1 when it was dropped
/// @throws InputError for a mesh that cannot be read, is too small or large, or has nothing that collides
Mesh load_obstacle(const ObstacleSpec& obstacle, const SceneOrigin& origin, const std::string& path,
                   std::vector<Index>& new_id);

/// An obstacle that runs through meshes.
struct ObstacleSequence {
    Mesh mesh;  ///< where it starts
    std::shared_ptr<const SequenceTrajectory> trajectory;
};

/// Reads all meshes of a sequence. @param loaded  is told of each of them, and may throw
/// @throws InputError for files that do not go together, too
ObstacleSequence load_sequence(const ObstacleSpec& obstacle, const SceneOrigin& origin, const std::string& path,
                               const std::function<void(const Mesh&)>& loaded);

}  // namespace stiction
