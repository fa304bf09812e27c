// A whole step with contact by penalty: its stages, repeated with a higher stiffness until nothing penetrates.
#pragma once

#include "stiction/contact/penalty.hpp"
#include "stiction/dynamics/stage.hpp"
#include "stiction/methods/implicit/penalty_solve.hpp"

namespace stiction {

/// Surfaces, trees and matrix of one world, kept from step to step; nothing in it decides a result.
struct PenaltyWorkspace {
    /// Throws as penalty_surfaces().
    PenaltyWorkspace(const World& world, const ImplicitOptions& options) : detection(world, options), assembly(world) {}
    PenaltyDetection detection;
    HessianAssembly assembly;
};

/// Larionov et al. 2022, section 4.4: a step that ends with a vertex inside a surface is repeated with the stiffness
/// that PenaltyStiffness gives.
class PenaltyStep {
public:
    PenaltyStep(const World& world, const State& state, const StepInput& input, const ImplicitOptions& options,
                Integrator integrator, PenaltyWorkspace& workspace, JacobianSolver& jacobian, StepResult& result);

    /// Fills the result but for energies and time; the report's status says how it ended.
    void run();

    /// Where State::warm_start keeps kappa (J/m^3), and its bytes.
    static constexpr const char* warm_start_key = "penalty_stiffness";

private:
    /// All stages with the present stiffness; min_gap_ is that of their ends. @return whether all converged
    bool solve_stages();
    bool solve_stage(StageSequence& stages);
    /// Driven vertices at their targets, free ones where their velocity takes them, as far as elements and surfaces
    /// allow.
    bool predict(const StageSequence& stages, VecX& x);
    /// Largest of the fractions 1, 1/2, 1/4, ... of p that leads nowhere much deeper than x is; 0 if none does.
    double shallow_fraction(const VecX& x, const VecX& p);
    bool stop(Status status, std::string cause);

    const World& world_;
    const State& state_;
    const StepInput& input_;
    const ImplicitOptions& options_;
    const Integrator integrator_;
    PenaltyWorkspace& workspace_;
    JacobianSolver& jacobian_;
    StepResult& result_;
    const FrictionLaw law_;  ///< for slips that are speeds
    PenaltyStiffness stiffness_;
    double min_gap_ = 0.0;
    bool any_contact_ = false;  ///< at the end of the last stage
    State end_;
};

}  // namespace stiction
