// One step of `mlcp`: the collision handling of Verschoor and Jalba (2019), Algorithm 1.
#pragma once

#include "stiction/methods/mlcp/carried_momentum.hpp"
#include "stiction/methods/mlcp/step_solver.hpp"

namespace stiction::mlcp {

/// Scratch of a world: bounding-volume trees and matrices. No result depends on its history.
struct Workspace {
    Workspace(const World& world, const Options& options);
    std::shared_ptr<const char> identity;  ///< of the world
    Limits limits;
    ContactDetection detection;
    SurfaceNeighbours neighbours;
    std::vector<char> closed;  ///< see closed_bodies()
    HessianAssembly assembly;
    SinglePrecisionRows rounded;  ///< of its matrix
};

/// Solves for the velocities at the end of the step, with an active set of contact constraints. Whenever the solver has
/// converged, a collision check adds the constraints that are missing.
class Step {
public:
    Step(const World& world, const State& state, const StepInput& input, const Options& options, Workspace& workspace,
         StepResult& result);

    /// Makes the step. result.report holds its status; if that is accepted, result.state is the state at its end.
    void run();
    void record_residuals(bool record) { solver_.record_residuals(record); }
    /// Reports of all contact problems so far.
    const std::vector<SolverReport>& solves() const { return solver_.solves(); }

private:
    void anticipate_collisions();
    bool may_solve_early() const;
    bool resolve();
    CarriedMomentum carried_momentum() const;
    bool prescribed_motions_meet(const std::vector<Collision>& collisions);
    ConstraintUpdate update_constraints(int round);
    void finish();
    /// Gap (m) below which a pair of the straight motion of the step is a collision, of the largest bodies.
    double clearance() const { return limits_.distance / 8.0; }

    const World& world_;
    const State& state_;
    CarriedMomentum carried_;  ///< of the state
    StepInput input_;          ///< with what of it is due
    const Options& options_;
    Workspace& workspace_;
    StepResult& result_;
    Limits limits_;
    VelocityProblem velocities_;
    StepContacts contacts_;
    StepSolver solver_;
    CollisionCheck collisions_;
};

}  // namespace stiction::mlcp
