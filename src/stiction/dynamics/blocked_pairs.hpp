// The pairs that a straight move would bring too near.
#pragma once

#include "stiction/contact/contact_set.hpp"

#include <array>
#include <vector>

namespace stiction {

/// A pair that loses too much of its gap on a move. Its closest points, where that happens, move with the vertices of
/// the stencil by fixed weights; n is the unit normal between them, from the second feature to the first. If the pair
/// touches there, it has no n, and all gradients are zero.
struct BlockedPair {
    std::array<Index, 4> vertices{-1, -1, -1, -1};  ///< of the closest features
    std::array<Vec3, 4> gradients;                  ///< n times each vertex's weight
    double offset = 0.0;                            ///< part of the distance that is no gap (m)
    double gap = 0.0;                               ///< at the start of the move (m)
    double enough = 0.0;                            ///< the pair's share of find_blocked_pairs' `enough` (m)
};

struct BlockedPairs {
    std::vector<BlockedPair> pairs;  ///< in the order of candidates, then of half-spaces
    double fraction = 1.0;           ///< of the move that is free of them
    long ccd_queries = 0;
};

/// Looks for pairs whose gap does not stay above `part` of min(gap at x0, enough) on the straight move from x0 to x1,
/// among candidates and all surface vertices at half-spaces. CCD is conservative: all others are proven to.
/// @param part    in (0, 1)
/// @param enough  gap from which on a pair only has to stay above part times `enough` (m); pairs of bodies have their
///                share of it
/// @param marked  optional, of every vertex: pairs of candidates without a marked vertex are left out
BlockedPairs find_blocked_pairs(const ContactScene& scene, const Candidates& candidates, const VecX& x0, const VecX& x1,
                                double part, double enough, const std::vector<char>& marked = {});

}  // namespace stiction
