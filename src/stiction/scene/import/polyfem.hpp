// Scenes of PolyFEM (elastodynamics with contact) -> SceneSpec. docs/import_polyfem.md lists the keys.
#pragma once

#include "stiction/scene/json_document.hpp"
#include "stiction/scene/spec.hpp"

namespace stiction::scene {

/// Whether a document is a PolyFEM scene: it has a key of such a scene and no `bodies`.
bool is_polyfem(const Json& document);

/// What a PolyFEM scene describes, in SI units. Keys without effect here are listed in `imported`. Meshes are read, to
/// find the vertices that its selections name; their paths and that of `common` are relative to origin.directory.
/// Defaults where a key is absent are those of PolyFEM, but for the stopping test, which stays ours.
/// @throws InputError naming file, path of the key, value and what was expected, for every key and value that has an
/// effect in PolyFEM and none here
SceneSpec import_polyfem(const Json& document, const SceneOrigin& origin);

}  // namespace stiction::scene
