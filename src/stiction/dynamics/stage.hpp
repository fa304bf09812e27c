// One implicit solve of a time integrator, in the form that every method solves.
#pragma once

#include "stiction/world/step.hpp"

#include <string>
#include <vector>

namespace stiction {

enum class Integrator {
    backward_euler,
    trapezoidal,  ///< Newmark's method with beta = 1/4, gamma = 1/2
};

/// Names of scenes, in the order of the enumerators.
const std::vector<std::string>& integrator_names();
/// Throws InternalError for any other name.
Integrator integrator_from_name(const std::string& name);

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
    /// M^-1 f = (v - v_bar) / s: what a converged q says about the acceleration at the end of the stage.
    VecX acceleration(const VecX& q) const { return (velocity(q) - v_bar) / scale(); }
};

/// Backward Euler: a = 1, q_bar = q^t, v_bar = v^t.
Stage backward_euler_stage(const State& state, double h);

/// Trapezoidal rule: a = 1/2, q_bar = q^t + h/2 v^t, v_bar = v^t + h/2 a^t, with the forces of contact and friction inside a^t. A driven
/// coordinate moves at its mean speed over the step, (target - q^t) / h. Needs state.acceleration.
Stage trapezoidal_stage(const State& state, const StepInput& input);

/// The stage of a step. The trapezoidal rule starts with a step of backward Euler, which finds the first acceleration.
Stage make_stage(Integrator integrator, const State& state, const StepInput& input);

}  // namespace stiction
