// Close pairs of primitives that a step may bring into contact.
#pragma once

#include "stiction/contact/contact_key.hpp"
#include "stiction/contact/contact_set.hpp"
#include "stiction/methods/local_global/kept_candidates.hpp"
#include "stiction/methods/local_global/primitive_extents.hpp"

#include <atomic>
#include <vector>

namespace stiction::local_global {

/// The closest features of two primitives.
struct ClosePair {
    ContactKey key;                 ///< after sort_features()
    double squared_distance = 0.0;  ///< m^2
    double offset = 0.0;            ///< m: part of the distance that is contact thickness
};

/// Between bodies the search reaches ten thicknesses, since a point may be deep inside another body. Within a body it
/// reaches four: ten would find most neighbours of a sheet's own vertices. Thicknesses are those of the pair of bodies.
/// Boxes are swept without the common motion of all bodies (remove_common_motion). What is found does not depend on the
/// steps before, and its bits not on the number of threads. Keeps its memory from step to step.
class StepCandidates {
public:
    /// Pairs that find() finds at most: 1 GB of them.
    static constexpr std::size_t most_found = 4'000'000;

    /// @param world    kept by reference
    /// @param lengths  distances that touching surfaces keep, beside their contact thickness
    /// @param most     pairs that find() finds at most
    StepCandidates(const World& world, const ContactLengths& lengths, std::size_t most = most_found);
    StepCandidates(const StepCandidates&) = delete;
    StepCandidates& operator=(const StepCandidates&) = delete;

    /// Pairs at x that may come within two thicknesses on the motion to `prediction`, and pairs of which one may be
    /// inside the other's body. Sorted by key, each once. Valid until the next call. Throws TooManyPairs where they are
    /// more than may be found; later calls are as if this one had not been made.
    const std::vector<ClosePair>& find(const VecX& x, const VecX& prediction);
    /// Smallest gap at x (m) of the primitives that a search for the motion of the last find() finds; infinity where
    /// none is within near_reach. No pair within near_reach is missing where x is off that motion by at most four
    /// thicknesses between bodies, and by one within a body.
    double smallest_gap(const VecX& x);

    /// Surface and half-spaces, for find_contacts() without candidates.
    const ContactScene& scene() const { return scene_; }
    /// Whether the surface of the vertex's body is closed and oriented outwards, so that the body has an inside.
    bool oriented(Index vertex) const {
        return closed_[static_cast<std::size_t>(world_.body_of_vertex[static_cast<std::size_t>(vertex)])] != 0;
    }
    /// How often the pairs of two patches of the surface were searched for.
    long searches() const { return kept_.searches(); }

    /// In thicknesses: depth up to which points are pushed out of a body; reach of the search within bodies; reach of
    /// smallest_gap().
    static constexpr double deep_reach = 10.0, own_reach = 4.0, near_reach = 2.0;

private:
    struct Primitives {
        PairKind kind;
        std::array<Index, 2> pair;
    };
    /// What one block of pairs gives.
    struct Found {
        std::vector<ClosePair> pairs;
        std::vector<Primitives> primitives;  ///< that `pairs` are of
        double squared_gap = 0.0;            ///< m^2: the smallest
    };
    using Bodies = KeptCandidates::Bodies;
    /// How near two primitives have to be (m).
    struct Reach {
        double boxes;     ///< their boxes at x
        double features;  ///< their closest features
        double gap;       ///< these without their contact thickness
        bool deep;        ///< one may be inside the other's body
    };

    void clear_blocks();
    double needed(const Bodies& bodies, double nearing) const;
    Reach reach_of(const Bodies& bodies, const std::array<Index, 4>& vertices, PairKind kind, const VecX& x,
                   const VecX& prediction) const;
    double look(const Bodies& bodies, PairKind kind, const std::array<Index, 2>& pair, const VecX& x,
                const VecX& prediction, Found& found) const;
    double measure_gap(const Bodies& bodies, PairKind kind, const std::array<Index, 2>& pair, const VecX& x,
                       Found& found) const;
    double largest_gap(PairKind kind, const std::array<Index, 4>& vertices) const;
    void take_gap(PairKind kind, const std::array<Index, 4>& vertices, const Vec3* points, double largest,
                  Found& found) const;
    void gaps_of_found(const VecX& x);
    double smallest_of_blocks() const;

    const World& world_;
    ContactLengths lengths_;
    double thickness_, largest_offset_;
    std::vector<char> closed_;            ///< of each body
    std::vector<double> half_thickness_;  ///< of each body (m); empty: none has a thickness
    ContactScene scene_;
    PrimitiveExtents extents_;
    KeptCandidates kept_;
    std::vector<double> move_;   ///< of each body, how far a vertex moves at most in the step (m)
    VecX begun_;                 ///< x of the last find()
    VecX end_;                   ///< end of its motion, without the common motion
    std::vector<Found> blocks_;  ///< those of `kept_`
    std::vector<ClosePair> pairs_;
    std::size_t most_;
    mutable std::atomic<std::size_t> found_ = 0;  ///< pairs of all blocks in this search
};

}  // namespace stiction::local_global
