// Checks of the start: a scene with intersections, inverted tets or vertices behind a half-space is refused.
#pragma once

#include "stiction/world/state.hpp"
#include "stiction/world/world.hpp"

#include <string>
#include <vector>

namespace stiction {

/// One thing that keeps a scene from starting, and the primitives concerned (ids of the world's vertices).
struct StartProblem {
    std::string text;
    std::vector<Index> points;
    std::vector<Edge> edges;
    std::vector<Triangle> triangles;
    std::vector<Tet> tets;
};

/// Gaps begin at this part of the larger size of the bodies that touch and of the coordinates at the place. Below, the
/// digits of a double do not hold both the barrier's slope and the forces within a body. Boxes of 0.1 m run from a gap
/// of 1e-13 m on and end at 1e-14 m with a matrix that is singular.
inline constexpr double least_gap_share = 1e-12;

/// Everything that makes state.x no admissible start, one entry a problem; empty if there is none. Ids are those of the
/// body's own mesh (a triangle's number counts Body::surface). In this order:
///   vertices that are not finite (then nothing else is looked at):   "body 'ball' vertex 7 is not finite"
///   vertices on or behind half-spaces that their body may touch:     "body 'ball' vertex 7 is 0.0012 m behind
///   half-space 'ground'" intersections of primitives that may touch, touching included:   "body 'ball' edge (12, 17)
///   crosses body 'floor' triangle 3 (4, 5, 6)" without any of these, pairs nearer than their contact thickness: "body
///   'cloth' vertex 7 and half-space 'ground' are 0.0004 m apart, ..." and pairs whose gap is positive, but below
///   least_gap_share of the sizes of their bodies or of their coordinates: "body 'ball' vertex 7 and body 'floor'
///   triangle 3 (4, 5, 6) have a gap of 1e-14 m, which is rounding: ..." tets of barrier laws
///   (TetElements::invertible() false) with J <= 0:     "body 'ball' tet 41 is inverted (J = -0.2)"
/// Sides, intersections and the signs of volumes are exact. A vertex or a tet whose gap or J is positive, but rounds to
/// something that is not when computed from x, is reported as well: a barrier sees the computed number.
std::vector<StartProblem> find_start_problems(const World& world, const State& state);

/// The texts of find_start_problems.
std::vector<std::string> start_problems(const World& world, const State& state);

/// A gap (m) that is enough for all pairs of primitives of two bodies.
double least_gap(const World& world, const VecX& x, Index a, Index b);

/// Whether moving bodies apart can mend a problem: it is one of two bodies, of which one moves and is not held.
/// @param movable  of every body, whether it may be moved as far as others know; empty: all may
bool can_be_moved_apart(const World& world, const StartProblem& problem, const std::vector<bool>& movable = {});

}  // namespace stiction
