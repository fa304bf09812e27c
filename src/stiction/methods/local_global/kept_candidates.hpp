// Pairs of primitives that serve several steps.
#pragma once

#include "stiction/base/parallel.hpp"
#include "stiction/methods/local_global/contact_lengths.hpp"
#include "stiction/methods/local_global/patch_search.hpp"
#include "stiction/world/world.hpp"

#include <array>
#include <atomic>
#include <stdexcept>
#include <vector>

namespace stiction::local_global {

/// A search found more pairs than fit the memory: vertices fly through each other at great speed.
struct TooManyPairs : std::runtime_error {
    TooManyPairs() : std::runtime_error("more pairs come near each other in a step than fit the memory") {}
};

/// Lists of pairs of primitives, one for every two patches of the surface that are near each other. A list has all
/// pairs whose boxes were within its cutoff at the positions that it was made for, and lower bounds of their distances
/// there. How the two patches have moved relative to each other since then tells whether the list is still complete,
/// and which of its pairs can be near now. Only lists that are not complete are made anew. Which pairs are looked at
/// depends on the steps before; that none is missing does not. Keeps its memory from step to step.
class KeptCandidates {
public:
    /// Pairs in lists, beyond which a search ends with TooManyPairs: 3 GB of them.
    static constexpr std::size_t most_listed = 250'000'000;

    /// Distances that matter (m) for the largest pair of bodies; the others have their share of those above the line.
    struct Distances {
        double swept_within = 0.0;   ///< reach of the boxes of a step's motion, within a body
        double swept_between = 0.0;  ///< and between bodies
        double gap = 0.0;            ///< look_at_end()
        // ---
        double offset = 0.0;  ///< largest contact thickness, which comes on top
    };
    /// The bodies of a list.
    struct Bodies {
        bool same = false;   ///< it is one
        double share = 1.0;  ///< of the distances
    };

    /// @param world, extents  kept by reference; the extents are those of the positions that are looked at
    /// @param lengths         the shares
    KeptCandidates(const World& world, const PrimitiveExtents& extents, const ContactLengths& lengths,
                   const Distances& distances);
    KeptCandidates(const KeptCandidates&) = delete;
    KeptCandidates& operator=(const KeptCandidates&) = delete;

    /// Drops all lists and their memory, after an exception.
    void forget();
    /// The straight move of a step. Both are kept by pointer until the next call.
    void begin(const VecX& x0, const VecX& x1);

    /// Calls look(block, bodies, kind, pair) for all pairs whose swept boxes may overlap and that may be within
    /// needed(bodies, nearing) of each other at x0, on several threads. `nearing` bounds how far two points of them
    /// come nearer to each other on the move (m). look() returns a lower bound of their distance at x0 (m), as
    /// needed() has it, or 0. Calls of one block follow each other; blocks are numbered from 0 to blocks().
    template <class Needed, class Look>
    void look_at_start(const Needed& needed, const Look& look);
    /// Leaves a list out of look_at_end() where settled(bodies, off) is true. `off` (m) bounds how much nearer two
    /// points of the list may be at x, where the step ended, than at the end of the straight move.
    /// @return whether any list is left
    template <class Settled>
    bool settle(const VecX& x, const Settled& settled);
    /// As look_at_start(), for pairs that may be within their share of Distances::gap at x, the end of the step (m), in
    /// the lists that the last settle() left. It has the same blocks.
    template <class Look>
    void look_at_end(const VecX& x, const Look& look);
    std::size_t blocks() const { return (lists_.size() + lists_of_block - 1) / lists_of_block; }

    /// Whether the boxes around the step's move, each grown by half the reach, overlap.
    bool is_fresh(const std::array<Index, 4>& vertices, PairKind kind, const Bodies& bodies) const;
    /// How many lists were made.
    long searches() const { return searches_; }

private:
    static constexpr std::size_t lists_of_block = 8;

    /// How the vertices of a patch move: along each axis by `shift`, and by up to `spread` more or less (m).
    struct Motion {
        Vec3 shift = Vec3::Zero(), spread = Vec3::Zero();
    };
    /// A patch in the present step.
    struct Place {
        Box now;      ///< at the positions that are looked at
        Box swept;    ///< on the move of the step
        Motion move;  ///< of the step
        Motion off;   ///< from the end of that move to where the step ended
    };
    /// Positions that lists were made for.
    struct Snapshot {
        VecX x;
        std::vector<Motion> motions;  ///< of each patch, since then
        std::size_t uses = 0;         ///< lists that are still complete
    };
    struct List {
        std::array<Index, 2> patches{};
        Bodies bodies;
        int snapshot = -1;     ///< that its bounds are for; -1: it is of a step alone, or of none
        bool of_step = false;  ///< it has all pairs whose swept boxes are within reach in this step
        double cutoff = 0.0;   ///< m
        double nearing = 0.0;  ///< m: how far its points may come nearer to each other in this step
        double wanted = 0.0;   ///< m: cutoff of a new list
        double needed = 0.0;   ///< m: distances that matter now
        double spent = 0.0;    ///< m: by so much its bounds may be too large at the positions of the snapshot
        double apart = 0.0;    ///< m: and now
        bool asleep = false;   ///< no pair can be near
        bool settled = false;  ///< its pairs need not be looked at
        bool search = false;   ///< it has to be made
        PairList pairs;
    };

    static Motion motion_of(const SurfacePatch& patch, const VecX& x0, const VecX& x1);
    static double most_apart(const Motion& a, const Motion& b);
    double nearing(const List& list) const;
    double cutoff_of_new(const List& list) const;
    Bodies bodies_of(Index p, Index q) const;
    double swept_reach(const Bodies& bodies) const;
    void find_near_patches();
    void take_over_lists();
    void prepare(const VecX& x, bool at_start);
    void place_patches(const VecX& x);
    void place_end(const VecX& x);
    void check(List& list, bool at_start) const;
    bool serves_one_step(const List& list, bool at_start) const;
    void take_snapshot(const VecX& x);
    void make(List& list, PatchSearch& search, bool at_start) const;
    template <class Look>
    void look_at_all(const VecX& x, bool at_start, const Look& look);

    const World& world_;
    const PrimitiveExtents& extents_;
    ContactLengths lengths_;
    Distances distances_;
    std::vector<SurfacePatch> patches_;
    std::vector<PatchPrimitives> primitives_;
    double edge_;  ///< m: mean length of the edges of bodies
    const VecX *from_ = nullptr, *to_ = nullptr;
    double rounding_ = 0.0;  ///< m
    std::vector<Place> places_;
    std::vector<Box> boxes_;
    std::vector<Index> bodies_;
    Bvh tree_;
    std::vector<std::array<Index, 2>> near_;  ///< patches whose swept boxes overlap, sorted
    std::vector<List> lists_, last_, spare_;
    std::array<Snapshot, 4> snapshots_;
    int taken_ = -1;  ///< the snapshot of the positions that are looked at
    long searches_ = 0;
    std::vector<PatchSearch> search_;  ///< of each block
};

template <class Needed, class Look>
void KeptCandidates::look_at_start(const Needed& needed, const Look& look) {
    for (List& list : lists_) {
        list.settled = false;
        list.nearing = nearing(list);
        list.needed = needed(list.bodies, list.nearing) + rounding_;
        list.wanted = cutoff_of_new(list);
    }
    if (from_ != nullptr) look_at_all(*from_, true, look);
}

template <class Settled>
bool KeptCandidates::settle(const VecX& x, const Settled& settled) {
    if (from_ == nullptr) return false;
    place_end(x);
    bool any = false;
    for (List& list : lists_) {
        const double off = most_apart(places_[at(list.patches[0])].off, places_[at(list.patches[1])].off);
        list.settled = settled(list.bodies, off + rounding_);
        any = any || !list.settled;
    }
    return any;
}

template <class Look>
void KeptCandidates::look_at_end(const VecX& x, const Look& look) {
    for (List& list : lists_) list.needed = list.bodies.share * distances_.gap + distances_.offset + rounding_;
    if (from_ != nullptr) look_at_all(x, false, look);
}

template <class Look>
void KeptCandidates::look_at_all(const VecX& x, bool at_start, const Look& look) {
    prepare(x, at_start);
    std::atomic<std::size_t> listed = 0;
    const auto look_at = [&](List& list, std::size_t block) {
        const bool bounded = list.snapshot >= 0;
        const auto most = static_cast<float>((1.0 + 1e-6) * (list.needed + list.apart));
        for (std::size_t k = 0; k < pair_kinds.size(); ++k) {
            for (std::size_t i = list.pairs.begin[k]; i < list.pairs.begin[k + 1]; ++i) {
                float& bound = list.pairs.bounds[i];
                if (bounded && bound > most) continue;
                const double distance = look(block, list.bodies, pair_kinds[k], list.pairs.pairs[i]);
                if (bounded && distance > 0.0)
                    bound = std::max(bound, static_cast<float>((1.0 - 1e-6) * (distance - list.apart)));
            }
        }
    };
    parallel_for(
        blocks(),
        [&](std::size_t block) {
            const std::size_t end = std::min(lists_.size(), (block + 1) * lists_of_block);
            for (std::size_t l = block * lists_of_block; l < end; ++l) {
                if (lists_[l].search) {
                    make(lists_[l], search_[block], at_start);
                    if ((listed += lists_[l].pairs.pairs.size()) > most_listed) throw TooManyPairs{};
                }
                if (!lists_[l].asleep && !lists_[l].settled) look_at(lists_[l], block);
            }
        },
        1);
}

}  // namespace stiction::local_global
