// Contact forces against what may cause them.
#pragma once

#include "stiction/world/step.hpp"

namespace stiction {

/// The body whose contact forces are largest against all loads, inertia and inner forces (elasticity, fillings,
/// damping) of the world, each as the sum of the sizes of forces on vertices. In balance the contact forces on a
/// deformable body are no larger than all these together; those between rigid bodies that are wedged can be. Driven
/// vertices are left out. Inner forces are only looked at where the rest explains less than a quarter of the contact
/// forces, and those of vertices on which contact acts.
/// @param result  of an accepted step, or piece of one, from `before`
ContactLoad contact_load(const World& world, const State& before, const StepInput& input, const StepResult& result);

}  // namespace stiction
