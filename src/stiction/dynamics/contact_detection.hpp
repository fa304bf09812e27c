// Broad phase of a solve. One search in a Newton iteration serves CCD, every trial point and the next iterate.
#pragma once

#include "stiction/contact/contact_set.hpp"
#include "stiction/world/world.hpp"

#include <optional>

namespace stiction {

/// Parts of the barrier's distance and stiffness that pairs of bodies have, whatever other bodies there are; one entry
/// a body. Empty: all bodies have the whole.
struct PairScales {
    std::vector<double> length_share;    ///< of the activation distance of the largest body; infinite for obstacles
    std::vector<PairStrength> strength;  ///< of the stiffness
};

/// Keeps candidates that are complete for a region of configurations, and finds the contacts among them.
class ContactDetection {
public:
    /// @param reach gap (m) up to which candidates are complete; at least the activation distance
    ContactDetection(const World& world, double reach) : ContactDetection(world, reach, world.contact_pairs) {}
    /// @param pairs  pairs of bodies to search, in place of all that may touch; kept by reference
    ContactDetection(const World& world, double reach, const BodyPairTable& pairs);

    /// From now on contacts have these weights in place of counts. Keeps them.
    void weigh(ContactWeights weights);
    /// From now on pairs of bodies have their own activation distance and strength. Keeps them.
    void scale(PairScales scales);
    /// Candidates of every pair with a gap below its share of `reach` at x.
    void update(const VecX& x);
    /// Candidates of every pair whose gap comes below its share of `reach` on the straight move from x0 to x1, ends
    /// included.
    void update_swept(const VecX& x0, const VecX& x1);
    /// The same where only some vertices have moved since candidates were valid: pairs without one of them are kept.
    /// @param moving  of every vertex of the world
    void update_swept(const VecX& x0, const VecX& x1, const std::vector<char>& moving);

    /// Contacts with a gap below dhat at an x the present candidates are valid for.
    ContactSet contacts(const VecX& x, double dhat) const {
        return find_contacts(scene_, broad_phase_.candidates(), x, dhat);
    }
    /// Unreduced stencils of pairs with a gap below `distance` at x.
    std::vector<std::array<Index, 4>> near(const VecX& x, double distance) const {
        return near_stencils(scene_, broad_phase_.candidates(), x, distance);
    }
    const Candidates& candidates() const { return broad_phase_.candidates(); }
    const ContactScene& scene() const { return scene_; }
    double reach() const { return reach_; }
    /// The part of `reach` that pairs of a body have at most (m).
    double reach(Index body) const { return scene_.share(body, body) * reach_; }

private:
    double reach_;
    std::vector<double> edge_rest_length_squared_, half_thickness_;
    PairScales scales_;
    std::optional<ContactWeights> weights_;
    ContactScene scene_;
    BroadPhase broad_phase_;
};

}  // namespace stiction
