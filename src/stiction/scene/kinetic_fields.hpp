// Keys of the sliding speed from which kinetic friction holds, of methods whose contacts stick exactly; see
// spec_fields.hpp.
#pragma once

#include "stiction/scene/field.hpp"

namespace stiction::scene {

template <class A, class Options>
void describe_kinetic_velocity(A& a, Options& s) {
    a.field(s.kinetic_velocity, Field{"kinetic_velocity", "m/s",
                                      "sliding speed at the start of a step from which `kinetic_friction` holds; 0 "
                                      "means `kinetic_velocity_relative` l per second",
                                      at_least(0)});
    a.field(s.kinetic_velocity_relative,
            Field{"kinetic_velocity_relative", "l/s", "`kinetic_velocity` as a fraction of l per second", above(0)});
}

}  // namespace stiction::scene
