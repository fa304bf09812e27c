// Displacements over time of PolyFEM scenes -> motions.
#pragma once

#include "stiction/scene/import/polyfem_value.hpp"

namespace stiction::scene {

/// Reads `value`, `dimension`, `time_reference` and `interpolation` of a condition on displacements. A list of values
/// over times becomes a formula that is linear between the ends of the steps, an interpolation a factor.
/// @throws InputError, also where `time_reference` has no time within 1e-3 of the end of a step
MotionSpec read_polyfem_motion(ImportObject& entry, const PolyfemContext& context);

/// A function of the variable `clock` (a formula, in brackets if it is an operation) through points, linear in between
/// and beyond the ends: `points` rise, `values` has as many entries, at least two.
std::string piecewise_linear(const std::string& clock, const std::vector<double>& points,
                             const std::vector<double>& values);

}  // namespace stiction::scene
