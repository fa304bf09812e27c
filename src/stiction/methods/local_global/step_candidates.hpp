// Broad phase of a step: pairs of primitives that it may bring into contact.
#pragma once

#include "stiction/dynamics/contact_detection.hpp"

#include <vector>

namespace stiction::local_global {

/// Two broad phases, one between bodies and one within them. A point may be deep inside another body, so the first
/// reaches ten thicknesses. The second reaches four: ten would find most neighbours of a sheet's own vertices. Boxes
/// are swept without the common motion of all bodies (remove_common_motion). Keeps its memory from step to step.
class StepCandidates {
public:
    /// @param world      kept by reference
    /// @param thickness  m: distance that touching surfaces keep, beside their contact thickness
    StepCandidates(const World& world, double thickness);
    StepCandidates(const StepCandidates&) = delete;
    StepCandidates& operator=(const StepCandidates&) = delete;

    /// Pairs within two thicknesses of each other anywhere on the relative motion from x to `prediction`, and pairs of
    /// which one may be inside the other's body. Valid until the next call.
    const Candidates& find(const VecX& x, const VecX& prediction);
    /// Pairs within near_reach at x. Reuses the candidates of the last find() if x is close enough to its motion. Valid
    /// until the next call.
    const Candidates& find_near(const VecX& x);

    /// The scene for find_contacts() among these candidates.
    const ContactScene& scene() const { return between_.detection.scene(); }
    /// Whether the surface of the vertex's body is closed and oriented outwards, so that the body has an inside.
    bool oriented(Index vertex) const {
        return closed_[static_cast<std::size_t>(world_.body_of_vertex[static_cast<std::size_t>(vertex)])] != 0;
    }

    /// In thicknesses: depth up to which points are pushed out of a body; reach of the broad phase within bodies; reach
    /// of find_near().
    static constexpr double deep_reach = 10.0, own_reach = 4.0, near_reach = 2.0;

private:
    /// A broad phase over some pairs of bodies.
    struct Search {
        Search(const World& world, double reach_in_thicknesses, double thickness, bool of_one_body);

        BodyPairTable pairs;
        double reach;  ///< m
        ContactDetection detection;
        VecX from, to;  ///< ends of the motion that the candidates cover, without the common motion
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
    VecX begun_;  ///< x of the last find()
    VecX end_;    ///< end of its motion, or the x of find_near(), without the common motion since begun_
};

}  // namespace stiction::local_global
