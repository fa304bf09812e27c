// How far elements are from their rest shapes.
#pragma once

#include "stiction/report/step_report.hpp"
#include "stiction/world/world.hpp"

namespace stiction {

/// The worst element of all tets, triangles and edges of rods. Frames of rigid bodies have no say.
/// @param x  stacked positions of all vertices (m)
ElementQuality worst_element(const World& world, const VecX& x);

}  // namespace stiction
