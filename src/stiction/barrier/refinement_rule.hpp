// When a barrier solve refines its directions, and when it takes more than the whole of one.
#pragma once

#include <algorithm>

namespace stiction {

/// Decides in which iterations of one Newton solve the projected direction is refined with the unprojected Hessian
/// (NewtonDirection). Refinement pays where projection makes the matrix stiffer than the energy is. It fails where
/// single contacts curve downwards within a fraction of their gap: refined directions are long there, and CCD or the
/// energy cuts them.
///
/// It begins where the last move met much less curvature than its matrix has, and goes on from there. A refined move
/// that gains less energy than the projected direction promised begins a pause, each twice as long as the one before.
class RefinementRule {
public:
    /// Part of its matrix's curvature that the last move has to miss before directions are refined.
    static constexpr double enough_softening = 0.25;

    /// @param after  iterations after which directions are refined in any case, but in pauses
    explicit RefinementRule(int after) : after_(after) {}

    /// Whether to refine the direction of an iteration; asked once in each, in their order.
    /// @param softening  of the last move: NewtonDirection::softening()
    bool wants(int iteration, double softening) {
        if (pause_ > 0) {
            --pause_;
            refined_ = false;
        } else {
            refined_ = refined_ || iteration >= after_ || softening > enough_softening;
        }
        return refined_;
    }

    /// Tells how the move of that iteration ended.
    /// @param energy_difference  after it less before it, < 0 as a rule
    /// @param projected_slope    of the energy along the projected direction, < 0; same unit
    void moved(double energy_difference, double projected_slope) {
        if (!refined_ || energy_difference <= projected_slope) return;
        last_pause_ = std::min(2 * last_pause_, longest_pause);
        pause_ = last_pause_;
        refined_ = false;
    }

private:
    static constexpr int longest_pause = 16;

    int after_;
    int pause_ = 0;
    int last_pause_ = 1;
    bool refined_ = false;
};

/// Multiple of a direction at which the energy is least along it, if it meets as little of its matrix's curvature as
/// the last move did: 1 where that met three quarters or more, and at most 4.
/// @param softening  of the last move: NewtonDirection::softening()
inline double multiple_to_minimum(double softening) {
    constexpr double largest = 4.0;
    if (!(softening > RefinementRule::enough_softening)) return 1.0;
    return softening < 1.0 - 1.0 / largest ? 1.0 / (1.0 - softening) : largest;
}

}  // namespace stiction
