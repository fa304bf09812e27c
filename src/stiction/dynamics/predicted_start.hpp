// A feasible start for a solve: the predicted move, without the approach of what would collide on it.
#pragma once

#include "stiction/dynamics/contact_detection.hpp"
#include "stiction/world/dof_map.hpp"

namespace stiction {

/// What of a predicted move can be made.
struct PredictedStart {
    double free_fraction = 0.0;  ///< of the prediction as it is; 0 where it was not measured, because nothing would pay
    VecX cleared;                ///< a move near the prediction that can be made as a whole, stacked (m); empty: none
    long ccd_queries = 0;
};

/// Looks how far a prediction can be followed, and for a move near it that meets nothing. Pairs that collide on the way
/// keep some of their gap at its end instead, and tets that would turn inside out some of their volume: bounds on the
/// move, linear about the places where that happens, which the nearest move in the metric of the masses keeps
/// (NearestMove). That is what an inelastic impact without friction makes of the velocities. New collisions add bounds,
/// a few times. Leaves candidates in `detection` that are valid on the cleared move if there is one, else on none.
/// @param detection   with candidates that are valid at x
/// @param map         nodes that may give way
/// @param x           present positions, feasible
/// @param prediction  move of all vertices (m)
/// @param dhat        distance at which contacts act (m)
PredictedStart predicted_start(const World& world, ContactDetection& detection, const DofMap& map, const VecX& x,
                               const VecX& prediction, double dhat);

}  // namespace stiction
