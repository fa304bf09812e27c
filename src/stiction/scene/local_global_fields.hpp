// Keys of the options of `local_global`; see spec_fields.hpp.
#pragma once

#include "stiction/methods/local_global/options.hpp"
#include "stiction/scene/field.hpp"

namespace stiction::scene {

template <class A>
void describe(A& a, LocalGlobalOptions& s) {
    a.field(s.iterations, Field{"iterations", "", "iterations of local and global step in a time step", between(1, 1e6)});
    a.field(s.tolerance, Field{"tolerance", "m/s", "iterations end earlier when what the next one would do to positions is less than this speed; 0: never", at_least(0)});
    std::string global_step = global_step_names()[static_cast<std::size_t>(s.global_step)];
    a.choice(global_step, Field{"global_step", "", "solved with its factors (`complete`), the same accelerated (`lbfgs`), or one Jacobi iteration instead, plain (`jacobi`) or accelerated (`chebyshev`), for comparison"},
             global_step_names());
    s.global_step = global_step_from_name(global_step);
    a.field(s.history, Field{"history", "", "corrections that `lbfgs` remembers", between(1, 1000)});
    a.field(s.extrapolate_below, Field{"extrapolate_below", "", "volume ratio below which barrier laws are continued, where the material says nothing itself", between(1e-3, 0.99)});
}

}  // namespace stiction::scene
