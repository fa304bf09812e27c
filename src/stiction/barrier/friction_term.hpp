// Friction with lagged normal forces and tangent frames, as a potential.
#pragma once

#include "stiction/barrier/barrier_term.hpp"
#include "stiction/contact/friction.hpp"
#include "stiction/world/world.hpp"

#include <vector>

namespace stiction {

/// Friction contacts with frame, weights and normal force of `contacts` at x; pairs without friction have none.
std::vector<LaggedFriction> lag_friction(const World& world, const VecX& x, const ContactSet& contacts,
                                         const BarrierTerm& barrier);

/// D(x) = sum_k D_k (Li et al. 2020, equations 15 and 16). Slips are measured from q_bar.
struct FrictionTerm {
    /// D_k of each contact.
    std::vector<double> values(const VecX& x, const VecX& q_bar) const;
    /// Stacked over all vertices.
    /// @param force_sum  where given, grows by the sum of absolute entries of all stencils' gradients
    VecX gradient(const VecX& x, const VecX& q_bar, double* force_sum = nullptr) const;
    /// Curvatures are those of friction_hessian() with the present directions, or Hessians if there are none.
    void add_hessian(const VecX& x, const VecX& q_bar, HessianAssembly& assembly) const;
    /// Nothing is known of how contacts slide: all enter with the secant curvature.
    void forget_directions() { directions.assign(contacts.size(), Vec2(0.0, 0.0)); }
    /// Takes the directions from x to the next iterate.
    /// @param p       the whole search direction at x, however much of it was taken
    /// @param marked  optional, of every vertex: contacts without a marked vertex keep theirs
    void update_directions(const VecX& x, const VecX& q_bar, const VecX& p, const std::vector<char>& marked = {});
    /// How much of all friction its linearisation at x gets wrong at x + move, in [0, 1]: the errors of the contacts
    /// over their largest forces, at most 1 each, in the mean over these forces. Near 1 where contacts begin to slide,
    /// to stick or to slide another way.
    double linearisation_error(const VecX& x, const VecX& q_bar, const VecX& move) const;

    FrictionLaw law;  ///< for slips in metres
    std::vector<LaggedFriction> contacts;
    std::vector<Vec2> directions = {};  ///< w of friction_hessian(), one a contact; empty: those of the slips
};

}  // namespace stiction
