// How far the first step moves bodies at rest.
#pragma once

#include "stiction/world/step.hpp"

namespace stiction {

/// The body at rest, with no driven vertex, that the first step moves furthest against what explains a move.
///
/// In a step of dynamics the distance is the largest move of a vertex. It is explained by the largest acceleration that
/// loads and inner forces give a vertex at the start, over the square of the step; by the fastest vertex; and by the
/// longest way of a driven one.
/// In a static step the distance is the move of the body's centre of mass across the sum of its loads. It is explained
/// by what bodies are deformed, turned or driven in the step: nothing else moves a body sideways into a balance.
/// @param before  the state of the run's start
/// @param input   loads and driven vertices of the whole step
FirstMove first_move(const World& world, const State& before, const StepInput& input, const State& after,
                     bool is_static);

}  // namespace stiction
