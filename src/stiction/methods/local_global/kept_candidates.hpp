// Candidates of the broad phase that serve several steps.
#pragma once

#include "stiction/collision/candidates.hpp"
#include "stiction/methods/local_global/surface_patches.hpp"
#include "stiction/world/world.hpp"

#include <vector>

namespace stiction::local_global {

/// Pairs of primitives with a margin: they stay complete while no two patches of the surface that are near each other
/// have moved by more than twice the margin relative to each other. Which pairs are kept depends on the steps before;
/// those that is_fresh() accepts do not. Keeps its memory from step to step.
class KeptCandidates {
public:
    /// @param world         kept by reference
    /// @param reach         m: distance between primitives, contact thickness included
    /// @param pairs         bodies that may touch
    KeptCandidates(const World& world, double reach, BodyPairTable pairs);
    KeptCandidates(const KeptCandidates&) = delete;
    KeptCandidates& operator=(const KeptCandidates&) = delete;

    /// Every pair whose boxes, each grown by half the reach, overlap on the straight move from x0 to x1, and others.
    /// Both are kept by pointer until the next call.
    void cover(const VecX& x0, const VecX& x1);
    const Candidates& candidates() const { return broad_phase_.candidates(); }
    /// Whether the boxes of a pair do overlap on the move of the last cover(): what a search for it would find.
    bool is_fresh(const std::array<Index, 4>& vertices, PairKind kind) const;
    /// How often the pairs were searched for.
    int searches() const { return searches_; }

private:
    /// How a patch has moved since the last search.
    struct Motion {
        Vec3 shift;           ///< m: what its vertices moved in common
        double excess = 0.0;  ///< m: how far one of them leaves its box along an axis, apart from the shift
        Box box;              ///< of the patch and its ring on the present move, grown by half the reach
    };

    Motion motion_of(const SurfacePatch& patch, const VecX& x0, const VecX& x1) const;
    double relative_motion(const VecX& x0, const VecX& x1);

    const World& world_;
    double reach_;
    BodyPairTable pairs_;
    std::vector<SurfacePatch> patches_;
    bool any_;               ///< some bodies may touch
    double largest_margin_;  ///< m: a share of the mean length of an edge
    BroadPhase broad_phase_;
    const VecX *from_ = nullptr, *to_ = nullptr;  ///< the move of the last cover()
    double margin_ = 0.0;                         ///< m, of the pairs that are kept
    VecX lower_, upper_;                          ///< of every vertex: box that they were searched for
    double inflation_ = 0.0;                      ///< m: by which a search would grow boxes
    std::vector<Motion> motions_;                 ///< of each patch
    std::vector<double> most_;                    ///< of each patch: its largest motion relative to those near it (m)
    int searches_ = 0, moves_ = 0;                ///< moves since the last search
};

}  // namespace stiction::local_global
