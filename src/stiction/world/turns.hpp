// Into how many straight moves a step has to be cut so that what turns follows its arc.
#pragma once

#include "stiction/world/step.hpp"

namespace stiction {

/// Whether a motion of this world can turn its vertices: RigidTrajectory with an angular velocity, TwistTrajectory.
bool has_turns(const World& world);

/// What turns most in a step.
struct Turn {
    long pieces = 1;      ///< the step in this many equal pieces has chords within the sagitta
    double angle = 0.0;   ///< of the turn in the whole step (rad)
    double radius = 0.0;  ///< of the outermost vertex about its axis (m)
    Index motion = -1;    ///< of World::motions; -1: nothing turns
};

/// Turns of the driven vertices and obstacles in the step of size h from `state`. A chord over the angle a at the
/// radius r leaves its arc by r (1 - cos(a/2)); vertices nearer to their axis than `sagitta` count for nothing.
/// @param sagitta  how far a chord may be from its arc (m), > 0
Turn turn_in_step(const World& world, const State& state, double h, double sagitta);
/// The same for any step of a run, as far as the initial positions tell.
Turn largest_turn(const World& world, double h, double sagitta);

/// The smallest contact length (m) of the bodies that may be where something turns in the step of size h from `state`:
/// no other body asks how near chords are to their arcs. World::length where there is none.
double length_near_turns(const World& world, const State& state, double h);

}  // namespace stiction
