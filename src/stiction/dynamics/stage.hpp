// One implicit solve of a time integrator, in the form that every method solves.
#pragma once

#include "stiction/world/step.hpp"

namespace stiction {

/// M (v - v_bar) = s f(q_bar + s v, v) with s = a h (Larionov et al. 2022, section 4): the unknown is q = q_bar + s v.
/// Written as a minimisation over q: 1/2 |q - q_hat|_M^2 + s^2 Psi(q), q_hat = q_bar + s v_bar + s^2 M^-1 f_ext.
struct Stage {
    double a = 1.0;  ///< integrator's coefficient
    double h = 0.0;  ///< step size (s)
    VecX q_bar;      ///< stacked (m)
    VecX v_bar;      ///< stacked (m/s)

    /// s = a h (s): the only time scale a method may use.
    double scale() const { return a * h; }
    /// v = (q - q_bar) / s.
    VecX velocity(const VecX& q) const { return (q - q_bar) / scale(); }
};

/// Backward Euler: a = 1, q_bar = q^t, v_bar = v^t.
inline Stage backward_euler_stage(const State& state, double h) { return {1.0, h, state.x, state.v}; }

}  // namespace stiction
