// The contacts of one step, and what the next step remembers of them.
#pragma once

#include "stiction/methods/mlcp/collision_check.hpp"
#include "stiction/methods/mlcp/options.hpp"
#include "stiction/methods/mlcp/velocity_problem.hpp"

#include <string>

namespace stiction::mlcp {

/// A contact pair with its state in a step. A ContactConstraint is its linear form, made anew for every solve.
struct StepContact {
    ContactPair pair;    ///< the linearisation
    double share = 1.0;  ///< of eps_2 that its bodies have
    /// Relative motion before the pair met in this step (m): friction does not act on it.
    Vec3 free_slip = Vec3::Zero();
    /// Slip that the tolerances allowed a sticking contact in earlier steps (m); this step takes it back.
    Vec3 slip_error = Vec3::Zero();
    int linearisations = 0;              ///< in this step
    int repeats = 0;                     ///< solves that its gap asked for, see StepContacts::linearise_again
    double tangential_compliance = 0.0;  ///< S of the last solve (m/N)
    double sliding_coefficient = 0.0;    ///< kinetic coefficient of the last solve
    ContactUnknowns unknowns;            ///< mode and multipliers: the warm start of the next solve
};

/// The list grows during a step and nothing leaves it, so the step ends: a dropped contact could come back for ever.
class StepContacts {
public:
    /// Key of State::warm_start.
    static constexpr const char* warm_start_key = "mlcp_contacts";

    /// Starts with the touching pairs, and with the multipliers that the state remembers of them. Pairs that no force
    /// can separate are left out, here and in add(): a row for them would be a condition that nothing can meet.
    /// @param neighbours  of the world's surface
    /// @param touching    pairs at state.x
    StepContacts(const World& world, const SurfaceNeighbours& neighbours, const State& state,
                 const VelocityProblem& velocities, const ContactSet& touching, const Limits& limits);

    const World& world() const { return world_; }
    std::vector<StepContact>& list() { return contacts_; }
    const std::vector<StepContact>& list() const { return contacts_; }
    /// Contacts that are not open.
    int closed() const;
    /// Whether any contact is one of a rigid body.
    bool any_rigid() const;
    /// Of every body of the world, a number that it shares with those that contacts connect it to, from 0 on; obstacles
    /// connect nothing.
    std::vector<std::size_t> groups() const;

    /// Adds colliding pairs. A known pair is linearised again where it collided.
    /// @param x_end  positions at the end of the step (m)
    void add(const std::vector<Collision>& collisions, const VecX& x_end);
    /// Linearises closed contacts again whose closest points or normal have changed by the end of the step. Asks for
    /// another solve where a gap is outside (0, eps_2) because bodies rotate. False: nothing to do.
    bool linearise_again(const VecX& x_end);

    /// The constraints, linear around velocities v of the nodes that lead to x_end.
    void fill(const VecX& v, const VecX& x_end, std::vector<ContactConstraint>& constraints) const;
    /// The bytes that the next step starts from: modes and forces of closed contacts. Friction of sliding contacts is
    /// updated once more, since the tolerances may have postponed its updates.
    std::string warm_start(const VecX& x_end, FrictionUpdate update) const;
    /// Contact and friction forces (N) and contact states of all vertices.
    void fill_forces(StepResult& result) const;
    /// The contacts that are closed, or whose gap at x_end is below eps_2.
    std::vector<ContactForce> list_contacts(const VecX& x_end) const;

private:
    std::array<Index, 2> bodies(const ContactPair& pair) const;
    ContactConstraint constraint(const StepContact& contact, const VecX& v, const VecX& x_end) const;
    double share_that_opens(const ContactPair& pair) const;
    double share_of(const ContactPair& pair) const;
    /// eps_2 of its bodies (m).
    double distance_tolerance(const StepContact& contact) const { return contact.share * limits_.distance; }

    const World& world_;
    const SurfaceNeighbours& neighbours_;
    const State& state_;
    const VelocityProblem& velocities_;
    const Limits limits_;
    VecX initial_velocities_;           ///< of all vertices
    std::vector<double> inverse_mass_;  ///< of every body (1/kg)
    std::vector<StepContact> contacts_;
};

}  // namespace stiction::mlcp
