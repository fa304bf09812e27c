// Candidates of the broad phase that serve several steps.
#pragma once

#include "stiction/collision/candidates.hpp"
#include "stiction/world/world.hpp"

#include <vector>

namespace stiction::local_global {

/// Pairs of primitives with a margin: they stay complete while no vertex has moved by more than the margin. Which pairs
/// are kept depends on the steps before; those that is_fresh() accepts do not. Keeps its memory from step to step.
class KeptCandidates {
public:
    /// @param world         kept by reference
    /// @param reach         m: distance between primitives, contact thickness included
    /// @param pairs         bodies that may touch
    /// @param of_one_body   the pairs are within bodies; then what a body's vertices move in common is not counted,
    /// else what all vertices do
    KeptCandidates(const World& world, double reach, BodyPairTable pairs, bool of_one_body);
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
    template <class Moved>
    void set_shift(const Moved& moved);
    double excess(const VecX& x0, const VecX& x1);
    /// The body of a vertex, or 0 for pairs between bodies.
    std::size_t group_of(Index vertex) const {
        return of_one_body_ ? static_cast<std::size_t>(world_.body_of_vertex[static_cast<std::size_t>(vertex)]) : 0;
    }

    const World& world_;
    double reach_;
    BodyPairTable pairs_;
    bool of_one_body_;
    double largest_margin_;  ///< m: a share of the mean length of an edge
    BroadPhase broad_phase_;
    const VecX *from_ = nullptr, *to_ = nullptr;  ///< the move of the last cover()
    double margin_ = 0.0;                         ///< m, of the pairs that are kept
    VecX lower_, upper_;                          ///< of every vertex: box that they were searched for
    double inflation_ = 0.0;                      ///< m: by which a search would grow boxes
    std::vector<Vec3> shift_;                     ///< of each group: what its vertices move in common
    std::vector<Box> moved_;                      ///< of each group: moves of its vertices
    int searches_ = 0, moves_ = 0;                ///< moves since the last search
};

}  // namespace stiction::local_global
