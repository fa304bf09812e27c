// SceneSpec -> World, State and Method.
#pragma once

#include "stiction/dynamics/method.hpp"
#include "stiction/scene/spec.hpp"
#include "stiction/world/state.hpp"
#include "stiction/world/world.hpp"

#include <memory>
#include <utility>

namespace stiction {

/// A scene ready to run: spec.time holds the step size, the number of steps and the limit of substeps.
struct CompiledScene {
    SceneSpec spec;
    World world;
    State state;  ///< at t = 0
    std::unique_ptr<Method> method;
};

/// Most vertices that a scene may have: beyond, stacked indices and memory of one machine run out.
inline constexpr std::size_t max_scene_vertices = 50'000'000;

/// Loads the meshes and builds everything that a run needs. World body ids: the scene's bodies in order, then its
/// obstacles.
/// @throws InputError naming scene file, path of the key, value and what was expected
CompiledScene compile_scene(const SceneSpec& spec);

/// The part of compile_scene that knows no method: the world and its state at t = 0.
std::pair<World, State> compile_world(const SceneSpec& spec);

}  // namespace stiction
