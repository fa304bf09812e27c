// The parts of a step bound: candidate pairs, half-spaces, and bounds on an already shortened step.
#pragma once

#include "stiction/dynamics/feasible_step.hpp"

#include <vector>

namespace stiction {

/// Lowers `bound` to the fraction of the move from x0 to x1 along which every candidate pair keeps `slack` of its gap.
/// @param done  pairs that need no look: already certified for this move
void bound_pairs(const ContactScene& scene, const Candidates& candidates, const Candidates& done, const VecX& x0,
                 const VecX& x1, double slack, StepBound& bound);

/// The same for all surface vertices and half-spaces.
/// @param marked  optional, of every vertex: only pairs with a marked vertex are looked at
void bound_half_spaces(const ContactScene& scene, const VecX& x0, const VecX& x1, double slack, StepBound& bound,
                       const std::vector<char>& marked = {});

/// Takes a bound on the already shortened step into the bound on the whole.
void shorten(const StepBound& part, StepBound& total);

}  // namespace stiction
