// The contact set of one configuration: close pairs with their distances, without any contact law.
#pragma once

#include "stiction/collision/candidates.hpp"
#include "stiction/collision/half_space.hpp"
#include "stiction/contact/contact_weights.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace stiction {

/// How the distance of a contact is measured.
enum class ContactKind : std::uint8_t {
    pair,            ///< a reduced pair of features: point-point, point-edge, point-triangle or edge-edge
    mollified_pair,  ///< nearly parallel edges: the reduced pair, with the edge-edge mollifier on all four vertices
    half_space,      ///< a vertex and the origin vertex of a half-space
};

/// One contact. Pairs of primitives that reduce to the same point-point or point-edge pair are merged; `multiplicity`
/// is their number, or the sum of their weights (ContactWeights, 1/m), which may be negative.
struct Contact {
    ContactKind kind = ContactKind::pair;
    PairKind pair = PairKind::point_point;  ///< the reduced pair that realises the distance
    std::array<Index, 4> vertices{-1, -1, -1,
                                  -1};     ///< global ids; mollified_pair: both edges; half_space: {vertex, origin}
    std::array<int, 4> local{0, 1, 2, 3};  ///< mollified_pair: places of the reduced pair in `vertices`, -1 = unused
    double multiplicity = 1.0;
    double squared_distance = 0.0;     ///< m^2
    double offset = 0.0;               ///< m: part of the distance that is the contact thickness of both bodies
    double share = 1.0;                ///< of the activation distance that this pair of bodies has, at most 1
    double mollifier_threshold = 0.0;  ///< mollified_pair: eps_x (m^4)
    Vec3 normal = Vec3::Zero();        ///< half_space: unit normal

    /// Square of the gap, which is the distance less the offset (m^2); 0 where the gap is negative. Contact laws depend
    /// on it.
    double squared_gap() const {
        if (offset == 0.0) return squared_distance;
        const double gap = std::sqrt(squared_distance) - offset;
        return gap > 0.0 ? gap * gap : 0.0;
    }
    /// Square of the activation distance of the pair of bodies (m^2).
    /// @param s_hat  of the largest pair
    double squared_reach(double s_hat) const { return share * share * s_hat; }
    /// Vertices of the stencil the law acts on: 2, 3 or 4.
    int vertex_count() const {
        return kind == ContactKind::half_space       ? 2
               : kind == ContactKind::mollified_pair ? 4
                                                     : stiction::vertex_count(pair);
    }
};

/// All contacts with a gap below their activation distance, in an order that depends on the configuration alone.
struct ContactSet {
    std::vector<Contact> contacts;
    /// Smallest gap among all pairs that were looked at (m); infinity when there was none.
    double min_gap = 0.0;
};

/// What a body brings into the stiffness of its contacts. A pair has the lighter body's part by mass, and the smaller
/// body's part by length.
struct PairStrength {
    double by_mass = 1.0, by_length = 1.0;
    double length = 0.0;  ///< of the body (m); infinite for obstacles
};

/// Input of contact detection beside the positions.
struct ContactScene {
    const CollisionSurface* surface = nullptr;
    const BodyPairTable* pairs = nullptr;
    std::span<const HalfSpace> half_spaces;
    std::span<const double> edge_rest_length_squared;  ///< one entry an edge of the surface (m^2)
    std::span<const double> half_thickness;            ///< of each body in contact (m); empty: none has a thickness
    const ContactWeights* weights = nullptr;           ///< none: every pair counts 1
    std::span<const double> length_share = {};         ///< of each body, its part of dhat (PairScales); empty: 1
    std::span<const PairStrength> strength = {};       ///< of each body, for the barrier's stiffness; empty: 1

    /// Offset of a pair of bodies (m).
    double offset(Index body_a, Index body_b) const {
        return half_thickness.empty() ? 0.0
                                      : half_thickness[static_cast<std::size_t>(body_a)] +
                                            half_thickness[static_cast<std::size_t>(body_b)];
    }
    /// Of a pair of primitives, or of a vertex and the origin of a half-space.
    double offset(const std::array<Index, 4>& vertices) const;
    /// What of the activation distance a pair of bodies has: that of the smaller body.
    double share(Index body_a, Index body_b) const {
        return length_share.empty() ? 1.0
                                    : std::min({length_share[static_cast<std::size_t>(body_a)],
                                                length_share[static_cast<std::size_t>(body_b)], 1.0});
    }
    double share(const std::array<Index, 4>& vertices) const;
    /// What the barrier of a pair of bodies is multiplied by.
    double factor(const std::array<Index, 4>& vertices) const;

private:
    std::array<Index, 2> bodies(const std::array<Index, 4>& vertices) const;
};

/// Contacts with a gap below `dhat` (m) at x among the candidates, and of all surface vertices with the half-spaces.
/// Pairs of bodies have their share of dhat.
ContactSet find_contacts(const ContactScene& scene, const Candidates& candidates, const VecX& x, double dhat);

/// find_contacts() that keeps its memory for the next call.
class ContactSearch {
public:
    /// Valid until the next call.
    const ContactSet& find(const ContactScene& scene, const Candidates& candidates, const VecX& x, double dhat);

    /// Moves out the result of the last find().
    ContactSet take() { return std::move(set_); }

    /// Contacts of one block of candidates.
    struct Found {
        std::vector<Contact> contacts;
        double min_squared_gap = std::numeric_limits<double>::infinity();
        double squared_reach = 0.0;  ///< m^2: gaps below it are contacts

        void begin(double squared) {
            contacts.clear();
            min_squared_gap = std::numeric_limits<double>::infinity();
            squared_reach = squared;
        }
        /// The gap (m) above which a pair with this share is no contact and not the nearest, with room for rounded
        /// squares.
        double farthest(double share) const {
            return 1.000001 * std::sqrt(std::max(share * share * squared_reach, min_squared_gap));
        }
        /// Whether a gap is that of a contact. Keeps the smallest gap of all calls.
        bool touches(const Contact& contact) {
            const double squared_gap = contact.squared_gap();
            min_squared_gap = std::min(min_squared_gap, squared_gap);
            return squared_gap < contact.squared_reach(squared_reach);
        }
    };

private:
    template <class Test>
    void collect(std::size_t n, double squared_reach, const Test& test);
    void merge_equal();

    std::vector<Found> blocks_;
    double min_squared_gap_ = 0.0;
    ContactSet set_;
    std::vector<std::uint32_t> order_;
    std::vector<Contact> merged_;
};

/// Stencils with a gap below their share of `distance` (m) at x: of candidate pairs, not reduced to their closest
/// features, and of vertices at a half-space.
std::vector<std::array<Index, 4>> near_stencils(const ContactScene& scene, const Candidates& candidates, const VecX& x,
                                                double distance);

/// Squared rest lengths of a surface's edges.
std::vector<double> edge_lengths_squared(const CollisionSurface& surface, const VecX& rest);

}  // namespace stiction
