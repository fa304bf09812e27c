// The contacts of one time step: found once, at its start, then rows of the contact solver.
#pragma once

#include "stiction/contact/contact_pair.hpp"
#include "stiction/contact/surface_neighbours.hpp"
#include "stiction/methods/local_global/contact/contact_rows.hpp"
#include "stiction/methods/local_global/global_system.hpp"
#include "stiction/methods/local_global/remembered_forces.hpp"
#include "stiction/methods/local_global/step_candidates.hpp"
#include "stiction/methods/local_global/weighted_column.hpp"

#include <cmath>

namespace stiction::local_global {

/// A contact, with the closest points and the normal that it has at the start of the step.
struct StepContact {
    ContactPair pair;        ///< its offset is the distance that the surfaces keep
    double friction = 0.0;   ///< mu: static, or kinetic where it slid at the start of the step
    double thickness = 0.0;  ///< m: what the surfaces keep beside their contact thickness
    double share = 1.0;      ///< that over the thickness of the largest pair

    /// Whether friction is below its limit.
    /// @param force  N: normal, two tangents
    bool sticks(const double* force) const {
        return friction > 0.0 && std::hypot(force[1], force[2]) < (1.0 - 1e-6) * friction * force[0];
    }
};

/// Finds the contacts of a step, writes them as rows, and remembers their forces.
///
/// Solid bodies and closed obstacles have an inside. A point up to ten thicknesses deep inside another body is pushed
/// out along the shortest way. Sheets and open obstacles have no inside: a point that passed through one stays behind
/// it.
class StepContacts {
public:
    StepContacts(const World& world, const ContactLengths& lengths);

    /// Pairs with a gap below one thickness, at state.x or at `prediction`.
    void find(const State& state, const VecX& prediction);
    /// Drops the contacts of driven vertices alone, and writes the others as rows, in the order of their keys.
    /// @param warm_start  bytes that warm_start() wrote in the last step
    /// @param lambda      forces (N) that they hold for the rows; 0 for new contacts
    void fill(const GlobalSystem& system, const State& state, const VecX& target, const std::string& warm_start,
              ContactRows& rows, std::vector<double>& lambda);
    /// Forces of the rows (N, in the order of fill()) on all vertices, obstacles included, and contact states.
    void spread(const std::vector<double>& forces, StepResult& result) const;
    /// The contacts with a force, or with a gap below one thickness at x.
    std::vector<ContactForce> list(const std::vector<double>& forces, const VecX& x) const;
    /// How far x, with these forces, is from the conditions of the contacts, those between prescribed motions included.
    /// Its residual is over the share of a contact.
    ContactOutcome outcome(const std::vector<double>& forces, const VecX& x) const;
    /// After fill(): a contact between prescribed motions whose features, in front of each other at the start, are
    /// behind each other at their targets. No force can keep them apart. Null: none.
    const ContactPair* prescribed_crossing() const { return crosses_ ? &crossing_ : nullptr; }
    /// Forces of closed contacts, as bytes for the next step.
    void warm_start(const std::vector<double>& forces, std::string& bytes) const;

    /// Vertices that a body holds do not touch it: (vertex, body) of each.
    void leave_out(std::vector<std::array<Index, 2>> held);

    const std::vector<StepContact>& contacts() const { return contacts_; }
    /// Of the largest pair (m).
    double thickness() const { return lengths_.thickness(); }
    /// Smallest gap (m) at x of half-spaces and of the pairs that may come close in the step
    /// (StepCandidates::smallest_gap()). A value above two thicknesses of a pair, or infinity, says only that it is not
    /// nearer than that.
    double smallest_gap(const VecX& x);

private:
    /// A close pair as a contact, if it is one.
    struct Made {
        StepContact contact;
        double depth = 0.0;  ///< m, as depth_
        bool touches = false;
    };

    void make(const ClosePair& close, const VecX& x, const VecX& prediction, Made& made) const;
    void add_half_spaces(const VecX& x, const VecX& prediction);
    bool touches(const StepContact& contact, const VecX& x, const VecX& prediction) const;
    void set_bodies(Index a, Index b, double offset, StepContact& contact) const;
    double thickness_of(const ContactPair& pair) const;
    bool set_features(const ClosePair& close, const VecX& x, ContactPair& pair, double& depth) const;
    bool held_together(const ContactKey& key, int first, int count) const;
    void keep_shallowest();
    void sort_and_drop_driven(const GlobalSystem& system, const VecX& x, const VecX& target);
    bool crosses(const ContactPair& pair, const VecX& x, const VecX& target) const;
    double depth_at(const ContactPair& pair, const VecX& x) const;
    std::array<int, 2> bodies_of(const ContactPair& pair) const;
    void add_row(const StepContact& contact, const GlobalSystem& system, const VecX& x, const VecX& target,
                 ContactRows& rows);
    void set_friction(const VecX& velocity);

    /// A point inside a body.
    struct Inside {
        std::array<Index, 2> point_and_body{};
        double depth = 0.0;  ///< m
        auto operator<=>(const Inside&) const = default;
    };

    const World& world_;
    ContactLengths lengths_;
    bool kinetic_;  ///< whether a kinetic coefficient of the world differs from the static one
    StepCandidates candidates_;
    ContactSearch search_;
    SurfaceNeighbours neighbours_;
    RememberedForces remembered_;
    WeightedColumn column_;  ///< scratch
    std::vector<Made> made_;
    std::vector<Inside> inside_;
    std::vector<StepContact> contacts_;
    std::vector<ContactPair> prescribed_;  ///< contacts whose features no force moves
    ContactPair crossing_;                 ///< where crosses_ holds
    bool crosses_ = false;
    std::vector<double> lack_;   ///< of each row: how far the gap may fall short of what surfaces keep (m)
    std::vector<double> depth_;  ///< of each contact: how deep its point is inside a body (m); 0 where it is outside
    std::vector<std::array<Index, 2>> held_;  ///< sorted
};

}  // namespace stiction::local_global
