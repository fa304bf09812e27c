// Step bound: how far a straight move can go without intersection and inversion.
#pragma once

#include "stiction/dynamics/contact_detection.hpp"

namespace stiction {

/// What a bound was decided by, for reports.
struct StepBound {
    double fraction = 1.0;  ///< largest certified fraction of the step, in [0, 1]
    long ccd_queries = 0;
    std::array<Index, 4> stencil{-1, -1, -1, -1};  ///< the pair that limits it; all -1 if an element or nothing does
};

/// Largest fraction of p (at most 1) along which every tet of a barrier law keeps a fraction of its volume and every
/// sheet its strain limit.
/// @param marked  optional, of every vertex: tets without a marked vertex are left out
double element_step_bound(const World& world, const VecX& x, const VecX& p, const std::vector<char>& marked = {});

/// Largest fraction of p (at most 1) along which every candidate pair keeps `slack` of its distance and every tet of a
/// barrier law keeps a fraction of its volume. Leaves `detection` with candidates that are valid on the whole certified
/// move.
StepBound feasible_step_bound(const World& world, ContactDetection& detection, const VecX& x, const VecX& p,
                              double slack);

/// The stencil of a bound as text: bodies and primitives of its vertices, or that elements decided.
std::string describe_stencil(const World& world, const std::array<Index, 4>& stencil);

}  // namespace stiction
