// Which pairs of primitives a step may bring together.
#pragma once

#include "stiction/dynamics/contact_detection.hpp"

#include <vector>

namespace stiction::local_global {

/// Finds them with two broad phases. Only what is in another body than it belongs to has to be looked for deep; within
/// one body a few thicknesses do, where ten would meet most of a sheet's neighbours. Ways are looked at less what moves
/// in common. Keeps its memory from step to step.
class StepCandidates {
public:
    /// @param world      kept by reference
    /// @param thickness  m: distance that touching surfaces keep, beside their contact thickness
    StepCandidates(const World& world, double thickness);
    StepCandidates(const StepCandidates&) = delete;
    StepCandidates& operator=(const StepCandidates&) = delete;

    /// Pairs that are within two thicknesses after any part of the relative motion from x to `prediction`, or of which
    /// one may be inside the other. Valid until the next call.
    const Candidates& find(const VecX& x, const VecX& prediction);
    /// Pairs within near_reach at x, for which the last find() did most of the work where x is close to what was
    /// predicted. Valid until the next call.
    const Candidates& find_near(const VecX& x);

    /// For find_contacts() among these candidates.
    const ContactScene& scene() const { return between_.detection.scene(); }
    /// Whether the body of a vertex is closed, so that it has an inside.
    bool oriented(Index vertex) const {
        return closed_[static_cast<std::size_t>(world_.body_of_vertex[static_cast<std::size_t>(vertex)])] != 0;
    }

    /// In thicknesses: so deep may be what is pushed out of a body; so far candidates of one body are complete; so far
    /// find_near() looks.
    static constexpr double deep_reach = 10.0, own_reach = 4.0, near_reach = 2.0;

private:
    /// A broad phase over some pairs of bodies.
    struct Search {
        Search(const World& world, double reach_in_thicknesses, double thickness, bool of_one_body);

        BodyPairTable pairs;
        double reach;  ///< m
        ContactDetection detection;
        VecX from, to;  ///< the ways that its candidates are those of, less what moves in common
    };

    void select(const VecX& x, const VecX& prediction);
    bool may_touch(const std::array<Index, 4>& vertices, PairKind kind, const VecX& x, const VecX& prediction) const;
    void cover(Search& search, const VecX& x);

    const World& world_;
    double thickness_, largest_offset_;
    std::vector<char> closed_;  ///< of each body
    Search between_, within_;   ///< pairs of two bodies, and of one
    Candidates selected_;       ///< not sorted: between bodies, then within them
    std::vector<char> kept_;
    VecX begun_, way_;  ///< x of the last find(), and where its end, or what is asked later, is without what moves in
                        ///< common since
};

}  // namespace stiction::local_global
