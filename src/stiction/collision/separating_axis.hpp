// Distances of features along an axis: cheap proofs that they are apart.
#pragma once

#include "stiction/collision/distance.hpp"

namespace stiction {

/// Whether one of a few axes shows that two features stay at least `distance` (m) apart all through a straight move of
/// their vertices from x0 to x1, rounding included. The axes are those between the centres at x0, across each edge, and
/// along the normal. False tells nothing: no axis showed it, or a coordinate is not finite. Where nothing moves, x1 may
/// be x0.
bool separated(PairKind kind, const Vec3* x0, const Vec3* x1, double distance);

/// A lower bound (m) of the distance of two features: the largest that the same axes give, or the first above `enough`;
/// 0 where they show none.
double separation_bound(PairKind kind, const Vec3* x, double enough);

}  // namespace stiction
