// From which numbers on a run is doubtful: plain data, the key `verdict` of scenes.
#pragma once

namespace stiction {

struct VerdictLimits {
    /// Sum of what is left of the balances of vertices over the sum of forces of the step, where the audit looked.
    double imbalance = 0.25;
    /// Sum of friction beyond the cones of vertices over the sum of contact forces, in all steps where the audit
    /// looked.
    double friction_cone = 0.1;
    /// MomentumLoss::linear
    double momentum = 0.05;
    /// MomentumLoss::angular
    double angular_momentum = 0.2;
    /// Part of the steps in which friction had not settled.
    double friction_steps = 0.05;
    /// Part of the steps that failed and were made in smaller pieces.
    double steps_cut = 0.5;
    /// ElementQuality::value, from below.
    double element_quality = 0.01;
    /// ContactLoad::share
    double contact_load = 5.0;
    /// FirstMove::share()
    double first_move = 5.0;
};

}  // namespace stiction
