// Penalty contacts of vertices with the implicit surface of another body or with a half-space. Their forces and the
// derivatives of these.
#pragma once

#include "stiction/collision/implicit_surface.hpp"
#include "stiction/contact/friction_law.hpp"
#include "stiction/methods/implicit/options.hpp"
#include "stiction/world/contact_force.hpp"
#include "stiction/world/state.hpp"
#include "stiction/world/world.hpp"

#include <limits>
#include <span>
#include <vector>

namespace stiction::implicit {

/// Absolute values of the penalty's options for one world. Pairs of bodies have shares of them (PenaltyShares).
struct PenaltyLimits {
    double thickness = 0.0;  ///< delta, of the largest body (m)
    double stiffness = 0.0;  ///< kappa to start from, of mean vertices of the world at this thickness (J/m^3)
};

/// The options for one world: thickness from its largest body, stiffness from its weight, where none are given.
PenaltyLimits resolve_penalty(const Options& options, const World& world);

/// What a pair of bodies has of lengths and of the stiffness.
struct PenaltyShare {
    double thickness = 1.0;  ///< of delta
    double stiffness = 1.0;  ///< of kappa
    double slip = 1.0;       ///< of the slips of the friction law (FrictionLaw::of_pair)
};

/// The shares of all pairs of bodies, the same whatever other bodies there are: lengths are those of the smaller body,
/// a default stiffness holds mean vertices of the lighter body at half of the pair's thickness.
class PenaltyShares {
public:
    /// @param world  kept by reference
    PenaltyShares(const World& world, const Options& options);
    PenaltyShare operator()(Index body_a, Index body_b) const;

private:
    const World& world_;
    bool thickness_is_share_, stiffness_is_share_;
    std::vector<double> mass_;  ///< of the mean vertex of every body over that of the world; infinite for obstacles.
                                ///< Empty: 1
};

/// The implicit surfaces of the world's bodies: of solids, closed shells and obstacles with triangles; open shells have
/// none, since both their sides are outside.
/// @throws InputError naming the bodies where a pair that may touch has neither a surface (two open shells; obstacles
/// of bare edges or
///         points), where a surface reaches no farther than the thickness, and for options out of range
ImplicitSurfaces penalty_surfaces(const World& world, const Options& options);

/// One vertex nearer than delta to the surface of another body, or to a half-space.
struct PenaltyContact {
    std::vector<Index>
        vertices;  ///< [0] is the vertex, then those of the surface's triangles around it, or the half-space's origin
    Index stencil = -1;          ///< in PenaltyContacts::stencils; -1 for a half-space
    Vec3 normal = Vec3::Zero();  ///< of a half-space
    double gap = 0.0;            ///< d: psi, or the distance to the plane (m); negative inside
    double friction = 0.0;       ///< static coefficient of the two bodies
    double kinetic_ratio = 1.0;  ///< kinetic over static coefficient
    PenaltyShare share;          ///< of its two bodies
};

/// All contacts at one configuration, ordered by vertex and body, those with half-spaces last.
struct PenaltyContacts {
    ImplicitStencils stencils;
    std::vector<PenaltyContact> contacts;
    double min_gap = std::numeric_limits<double>::infinity();  ///< smallest gap of all that was near (m)
    double deepest =
        std::numeric_limits<double>::infinity();  ///< that of the contacts, each over its share of delta (m)
};

/// Finds the contacts of one world.
class PenaltyDetection {
public:
    /// Throws as penalty_surfaces().
    PenaltyDetection(const World& world, const Options& options);
    PenaltyDetection(const PenaltyDetection&) = delete;
    PenaltyDetection& operator=(const PenaltyDetection&) = delete;

    const ImplicitSurfaces& surfaces() const { return surfaces_; }
    /// Those with a gap below their share of `thickness` (m) at x.
    PenaltyContacts contacts(const VecX& x, double thickness);
    /// Largest fraction of p (at most 1) on which no vertex crosses more than `share` of a surface's radius unseen:
    /// relative to the common motion of any two bodies that come near each other on the way.
    double reach_bound(const VecX& x, const VecX& p, double share) const;
    /// Throws InputError naming the deepest vertex where one is inside an implicit surface at the world's initial
    /// positions, although triangles are apart: on the back of an open surface, or closer to an edge than the rounding
    /// of it.
    void check_start();
    /// Largest radius of a surface (m); 0 without any.
    double largest_radius() const;

private:
    void add_half_spaces(const VecX& x, double thickness, PenaltyContacts& found) const;

    const World& world_;
    PenaltyShares shares_;
    ImplicitSurfaces surfaces_;
    ImplicitSearch search_;
};

/// What the forces of contacts depend on beside positions.
struct PenaltyForce {
    double thickness = 0.0;  ///< delta (m)
    double stiffness = 0.0;  ///< kappa (J/m^3)
    double scale = 0.0;      ///< s of the stage (s)
    FrictionLaw law;         ///< for slips in metres: displacement from q_bar, speed times s

    /// What it is for a pair of bodies.
    PenaltyForce of_pair(const PenaltyShare& share) const {
        return {share.thickness * thickness, share.stiffness * stiffness, scale, law.of_pair(share.slip)};
    }
};

/// Forces of a contact on its vertices, stacked like them (N).
struct PenaltyContactForces {
    VecX normal;    ///< lambda grad d, lambda = 3 kappa (delta - d)^2: out of the surface on the vertex (equation 3)
    VecX friction;  ///< equation 14: -mu N s(y) w_k u/y, N = lambda |d d/dx| what the vertex is pushed with, u the
                    ///< tangential part of sum_k w_k (x_k - q_bar_k)
};

/// Forces of one contact of `set` at positions x (m), with friction over the motion from q_bar to x.
PenaltyContactForces penalty_forces(const ImplicitSurfaces& surfaces, const PenaltyContacts& set,
                                    const PenaltyContact& contact, const PenaltyForce& law, const VecX& x,
                                    const VecX& q_bar);

/// Tangential part u (m) of the motion from q_bar to x of a contact's vertex against the surface under it; zero without
/// friction.
Vec3 penalty_slip(const ImplicitSurfaces& surfaces, const PenaltyContacts& set, const PenaltyContact& contact,
                  const PenaltyForce& law, const VecX& x, const VecX& q_bar);

/// The contact as plain data, without its state: the vertex as first feature, what is nearest to it of the surface's
/// triangle with the largest share in psi as second. Both forces are those on the vertex.
ContactForce listed_contact(const World& world, const ImplicitSurfaces& surfaces, const PenaltyContacts& set,
                            const PenaltyContact& contact, const PenaltyForce& law, const VecX& x, const VecX& q_bar);

/// Derivative of minus both forces by the positions of the contact's vertices (N/m): rows forces, columns positions.
/// Without friction it is that of the gap in closed form; with friction all of it is differentiated with dual numbers.
Eigen::MatrixXd penalty_jacobian(const ImplicitSurfaces& surfaces, const PenaltyContacts& set,
                                 const PenaltyContact& contact, const PenaltyForce& law, const VecX& x,
                                 const VecX& q_bar);

/// A symmetric positive semi-definite stand-in for it: the gap's gradient alone, and friction with normal force and
/// plane held.
Eigen::MatrixXd penalty_stand_in(const ImplicitSurfaces& surfaces, const PenaltyContacts& set,
                                 const PenaltyContact& contact, const PenaltyForce& law, const VecX& x,
                                 const VecX& q_bar);

}  // namespace stiction::implicit
