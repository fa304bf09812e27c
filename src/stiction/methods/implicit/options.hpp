// Options of the method `implicit`.
#pragma once

#include "stiction/dynamics/barrier_options.hpp"

namespace stiction {

/// Those of the lagged solve that every stage starts with, and what comes after it.
struct ImplicitOptions : BarrierOptions {
    /// Newton on the whole balance stops when |p|_inf / s falls below this (m/s); 0 means 1e-3 of the friction velocity, so that even creep of
    /// a sticking contact is resolved.
    double implicit_tolerance = 0.0;
    /// Iterations of one such solve before it counts as stalled.
    int max_implicit_iterations = 60;
    /// How often a stalled solve starts again from friction lagged once more, before the step falls back on the lagged solution.
    int lagged_restarts = 4;
};

}  // namespace stiction
