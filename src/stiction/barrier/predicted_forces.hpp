// Forces that contacts are expected to bear after a Newton step, and the curvature that the barrier gets from them.
#pragma once

#include "stiction/contact/barrier.hpp"
#include "stiction/contact/contact_key.hpp"
#include "stiction/contact/contact_set.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace stiction {

/// The tangent of the barrier's force tells little about a contact that is far from the force it will bear. Near
/// contact a Newton step at most doubles a gap, while the force falls as one over the gap. Near dhat a contact has
/// hardly any stiffness, and the step goes through it. Here the last direction tells which force F* Newton's linear
/// model gave the contact; the chord from the present gap to the gap that has F* takes the place of the tangent. Only
/// the matrix changes: energy and gradient are those of the barrier, and where F* is the present force the chord is the
/// tangent. (Interior-point methods know it as primal-dual curvature: Nocedal and Wright, Numerical Optimization, 2006,
/// chapter 19.)
///
/// Mollified pairs and contacts of negative weight keep their tangent.
class PredictedForces {
public:
    /// A Newton step that was made.
    struct Move {
        const VecX& direction;
        double part = 1.0;  ///< of it that was taken
    };

    /// @param dhat  activation distance (m)
    explicit PredictedForces(double dhat) : dhat_(dhat) {}

    void forget() { forces_.clear(); }
    /// Of every vertex, how stiff inertia and elements hold it (kg): HessianAssembly::vertex_stiffness().
    void set_vertex_stiffness(std::vector<double> stiffness) { vertex_stiffness_ = std::move(stiffness); }

    /// contact_barrier() per unit stiffness, its second derivative that of the chord where a force is predicted.
    /// @param stiffness  of the barrier, kappa
    ScalarJet barrier(const Contact& contact, double stiffness) const;

    /// Predicts the forces after the whole of a direction that was searched from x. Contacts that are not listed lose
    /// their prediction: a region leaves none to the rest of the scene.
    /// @param contacts  those at x
    void update(const VecX& x, const ContactSet& contacts, double stiffness, const Move& move);
    /// Adds contacts that came in with the last move, where its direction was cut and would go through them.
    /// @param contacts  those at the present x
    /// @param move      the one that led there
    void add_new(const VecX& x, const ContactSet& contacts, double stiffness, const Move& move);

private:
    using Entry = std::pair<ContactKey, double>;  ///< force per multiplicity (N s^2)

    std::optional<double> find(const Contact& contact) const;
    /// Force per multiplicity that keeps a direction from going through a contact, beside that of the linear model
    /// (N s^2); 0 where it does not go through.
    /// @param weights  of the closest points, as in ContactPair
    /// @param change   of the gap along the whole direction (m)
    double push(const Contact& contact, const Vec4& weights, double change) const;

    double dhat_;
    std::vector<Entry> forces_;  ///< sorted
    std::vector<double> vertex_stiffness_;
};

}  // namespace stiction
