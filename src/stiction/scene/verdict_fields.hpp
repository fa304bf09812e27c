// Keys of the limits of the verdict; see spec_fields.hpp.
#pragma once

#include "stiction/report/verdict_limits.hpp"
#include "stiction/scene/field.hpp"

namespace stiction::scene {

template <class A>
void describe(A& a, VerdictLimits& s) {
    a.field(s.imbalance,
            Field{"imbalance", "",
                  "what is left of the balances of vertices, in sum, over the sum of forces of the step", at_least(0)});
    a.field(s.friction_cone,
            Field{"friction_cone", "", "friction beyond its cones, in sum, over the sum of contact forces of the run",
                  at_least(0)});
    a.field(
        s.momentum,
        Field{"momentum", "",
              "momentum of a body that changed with no force to account for it, over all impulses on it", at_least(0)});
    a.field(s.angular_momentum,
            Field{"angular_momentum", "", "the same of angular momentum, over its largest value", at_least(0)});
    a.field(s.friction_steps,
            Field{"friction_steps", "", "part of the steps in which friction had not settled", between(0, 1)});
    a.field(s.steps_cut,
            Field{"steps_cut", "", "part of the steps that failed and were made in pieces", between(0, 1)});
    a.field(s.element_quality,
            Field{"element_quality", "",
                  "quality of an element below which it is doubtful: 1 as at rest, 0 or less collapsed or inside out",
                  between(0, 1)});
    a.field(s.contact_load,
            Field{"contact_load", "", "contact forces on a body over all loads, inertia and inner forces of the scene",
                  at_least(0)});
    a.field(s.first_move,
            Field{"first_move", "", "how far the first step moves a body that is at rest, over what explains a move",
                  at_least(0)});
}

}  // namespace stiction::scene
