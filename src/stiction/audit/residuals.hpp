// Balance of momentum, friction cone and energies of a step, recomputed from World, both states and the reported
// forces.
#pragma once

#include "stiction/world/step.hpp"

namespace stiction::audit {

/// What an audit needs to know of the method.
struct StepAuditOptions {
    double dhat = 0.0;              ///< distance (m) beyond which nothing should push
    double cone_tolerance = 1e-2;   ///< relative excess over mu |contact force| from which a vertex is counted
    double force_tolerance = 1e-9;  ///< forces below this fraction of the largest one of their kind count as none
    /// The implicit stage that made the step: M (v1 - v_bar) = s f(x1, v1), v1 = (x1 - q_bar) / s (s in seconds;
    /// stacked, all vertices). Left as they are: backward Euler, s = h, q_bar and v_bar the start of the step.
    double stage_scale = 0.0;
    VecX q_bar, v_bar;
    /// Whether the method holds rigid bodies in shape by constraints: then only the resultant and the torque of what is
    /// left of their balance count, since reactions that do no work on rigid motions are not among the reported forces.
    /// If not, their rigidity (World::elastic, frames) is a force like any other.
    bool exactly_rigid = false;
    VecX damping_positions;  ///< at which Rayleigh's K is frozen; empty: the start of the step
};

/// Plain numbers; what is good enough is for the caller to say. Sums run over all vertices unless stated otherwise.
/// "Free" means: coordinates that the step did not drive (StepInput::driven_axes) of vertices with mass. Vertices that
/// are embedded in a rigid body have no balance of their own: theirs is part of that of the body's twelve coordinates,
/// the positions of its frame (World::embedded), or of its six (StepAuditOptions::exactly_rigid).
///
/// The balance is M (v1 - v_bar) / s = f_ext + f_elastic(x1) + f_damping(v1) + f_contact + f_friction with the stage's
/// s and v_bar, and with Rayleigh damping frozen at the start of the stage. Of a step that was made in smaller pieces,
/// each piece has to be audited with its own input.
struct StepAudit {
    double h = 0.0;
    bool finite = true;  ///< states and forces hold finite numbers; if not, nothing else is computed

    // Momentum
    Vec3 imbalance = Vec3::Zero();  ///< sum over free coordinates of what is left of the balance (N)
    double worst_imbalance = 0.0;   ///< largest norm of it at one vertex (N)
    Index worst_vertex = -1;        ///< where
    double force_scale = 0.0;  ///< largest norm at one vertex of any single term of the balance over free coordinates
                               ///< (N): what worst_imbalance is small against
    double velocity_mismatch = 0.0;    ///< largest |v1 - (x1 - q_bar) / s| of a vertex (m/s)
    Vec3 contact_sum = Vec3::Zero();   ///< action and reaction: sum of contact forces, obstacles included (N)
    Vec3 friction_sum = Vec3::Zero();  ///< the same of friction forces (N)

    // Friction cone, per vertex: the reported forces are sums over the contacts at the vertex. |friction| is held
    // against mu |contact|, with the largest mu of the vertex's body with any body that it may touch. Opposite contacts
    // at one vertex cancel in |contact|, so an excess there need be no fault of one contact.
    double imbalance_sum = 0.0, force_size_sum = 0.0;  ///< of all vertices: |imbalance|; the largest force on each (N)
    double cone_sum = 0.0, contact_size_sum = 0.0;     ///< of all vertices: friction beyond the cones; |contact| (N)
    double cone_excess = 0.0;                          ///< largest |friction| - mu |contact| (N); 0 if none is positive
    Index cone_vertex = -1;                            ///< where
    int cone_violations =
        0;  ///< vertices with |friction| > (1 + cone_tolerance) mu |contact| (and above force_tolerance)
    double contact_scale = 0.0;   ///< largest |contact| (N)
    double friction_scale = 0.0;  ///< largest |friction| (N)

    // Complementarity, with distances of own code at x1
    double min_gap = 0.0;            ///< smallest gap of a pair that may touch (m); infinity if none is within dhat
    int contact_vertices = 0;        ///< vertices with a contact force
    int forces_without_contact = 0;  ///< of these, those of no pair nearer than dhat
    double largest_without_contact = 0.0;  ///< the largest such force (N)
    int pulling = 0;  ///< of these, those whose force points away from the own side of every pair that they belong to
    double largest_pulling = 0.0;  ///< the largest such force (N)

    // Power and energy. Negative friction power is dissipation.
    double friction_power =
        0.0;  ///< sum of friction force times the stage's velocity (x1 - q_bar) / s, obstacles included (W)
    double contact_power = 0.0;   ///< the same of contact forces (W)
    double kinetic_change = 0.0;  ///< J
    double elastic_change = 0.0;  ///< J
    double external_work = 0.0;   ///< of StepInput::external_force, gravity included (J)
    double driven_work = 0.0;     ///< of the reactions on driven coordinates of vertices with mass; obstacles: of minus
                                  ///< the contact and friction force on them (J)
    /// kinetic_change + elastic_change - external_work - driven_work (J): what came into being. Backward Euler,
    /// friction and damping make it negative; a contact law that stores energy may move it either way by what it
    /// stores.
    double energy_gain = 0.0;
};

/// @param before  state at the start of the step
/// @param input   what the world imposed on it
/// @param result  what the method proposed: next state and forces
/// @throws InternalError if sizes do not fit
StepAudit audit_step(const World& world, const State& before, const StepInput& input, const StepResult& result,
                     const StepAuditOptions& options);

}  // namespace stiction::audit
