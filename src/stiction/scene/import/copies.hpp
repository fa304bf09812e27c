// How many copies of a mesh an import makes: one key of an old file may ask for more than any memory holds.
#pragma once

namespace stiction::scene {

/// Bodies and obstacles of a scene with copies. Without contact between bodies each pair of them is an entry of the
/// scene.
constexpr int most_copies = 2000;
/// Vertices of all copies that one key makes.
constexpr double most_copied_vertices = 1e7;

}  // namespace stiction::scene
