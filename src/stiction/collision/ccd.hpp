// Conservative continuous collision detection for linear motion: a motion that it calls free is proven free, rounding
// included.
#pragma once

#include "stiction/base/types.hpp"
#include "stiction/collision/distance.hpp"

namespace stiction {

/// Cost and certainty of a query.
struct CcdQueryStats {
    int evaluations = 0;  ///< closest-feature evaluations
    /// Step bound: rounding made it impossible to prove that the pair starts apart (or above the slack), so 0 was
    /// returned. Boolean query: neither proven free nor seen to touch (see may_collide); counts as a collision.
    bool undecided = false;
    double proven_t = 0.0;  ///< the pair is proven apart on [0, proven_t]
};

/// Options of a step bound.
struct CcdOptions {
    double slack = 0.1;         ///< fraction of the initial gap that must remain, in [0, 1)
    double offset = 0.0;        ///< part of the distance that is no gap (m), >= 0
    double t_max = 1.0;         ///< times beyond this are of no interest, in (0, 1]
    int max_evaluations = 256;  ///< when reached, the time proven so far is returned
};

/// Largest t in (0, t_max] for which it is PROVEN, rounding included, that the gap, distance - offset, stays >= slack *
/// gap(0) for all times in [0, t] when vertex i moves from x0[i] (t = 0) to x1[i] (t = 1) on a straight line. The
/// positions as given, in double precision, are taken as exact. Never 0 unless the initial gap is within rounding,
/// about 5e-15 / (1 - slack) of the size of the stencil, which includes touching starts; then stats->undecided is set.
/// @param kind    kind of pair; x0, x1 have vertex_count(kind) entries in stencil order
double ccd_step_bound(PairKind kind, const Vec3* x0, const Vec3* x1, const CcdOptions& options = {},
                      CcdQueryStats* stats = nullptr);

/// Does the pair touch while its vertices move linearly from x0 to x1? false only if proven not to, rounding included;
/// a pair that starts at distance zero collides. stats->undecided tells collisions that were not established: those
/// where the search ran out of evaluations before the distance fell to rounding level.
bool may_collide(PairKind kind, const Vec3* x0, const Vec3* x1, CcdQueryStats* stats = nullptr);

/// Step bound of a point against a half-space whose boundary moves from o0 to o1 and does not turn: the signed distance
/// n . (x - o), less the offset for unit n, stays >= slack times its initial value. 0 with stats->undecided if the
/// point does not start proven outside.
/// @param normal  pointing to the free side; need not have unit length
double ccd_half_space_step_bound(const Vec3& x0, const Vec3& x1, const Vec3& normal, const Vec3& o0, const Vec3& o1,
                                 const CcdOptions& options = {}, CcdQueryStats* stats = nullptr);

}  // namespace stiction
