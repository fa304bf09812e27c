// Stages of the method `implicit` with contact by penalty.
#pragma once

#include "stiction/contact/penalty.hpp"
#include "stiction/methods/implicit/penalty/balance.hpp"
#include "stiction/methods/implicit/stage_solver.hpp"

namespace stiction::implicit {

/// Surfaces, trees and matrix of one world, kept from step to step; nothing in it decides a result.
struct PenaltyWorkspace {
    /// Throws as penalty_surfaces().
    PenaltyWorkspace(const World& world, const Options& options) : detection(world, options), assembly(world) {}
    PenaltyDetection detection;
    HessianAssembly assembly;
};

/// The stages of one step. A step that ends with a vertex inside a surface is repeated with the stiffness that
/// PenaltyStiffness gives (Larionov et al. 2022, section 4.4).
class PenaltyStages final : public StageSolver {
public:
    PenaltyStages(const World& world, const State& state, const StepInput& input, const Options& options,
                  PenaltyWorkspace& workspace, JacobianSolver& jacobian, StepResult& result);

    /// Where State::warm_start keeps kappa (J/m^3).
    static constexpr const char* stiffness_key = "penalty_stiffness";
    const char* warm_start_key() const override { return stiffness_key; }
    bool can_start() override;
    std::optional<StageEnd> solve(const StageSequence& stages) override;
    bool stiffen() override;
    void finish(State& end) override;

private:
    /// Driven vertices at their targets, free ones where their velocity takes them, as far as elements and surfaces
    /// allow.
    bool predict(const StageSequence& stages, VecX& x);
    /// Names of the bodies whose part of a driven move is too far, each alone; of all that are driven where none is.
    std::string blocked_bodies(const VecX& from, const VecX& driven);
    /// Largest of the fractions 1, 1/2, 1/4, ... of p that leads nowhere much deeper than x is; 0 if none does.
    double shallow_fraction(const VecX& x, const VecX& p);
    bool stop(Status status, std::string cause);

    const World& world_;
    const State& state_;
    const StepInput& input_;
    const Options& options_;
    PenaltyWorkspace& workspace_;
    JacobianSolver& jacobian_;
    StepResult& result_;
    const FrictionLaw law_;  ///< for slips that are speeds
    PenaltyStiffness stiffness_;
    int raised_ = 0;            ///< how often the stiffness was raised in this step
    double min_gap_ = 0.0;      ///< smallest at the ends of the stages so far (m)
    double deepest_ = 0.0;      ///< PenaltyContacts::deepest there (m)
    bool any_contact_ = false;  ///< at the end of the last stage
};

}  // namespace stiction::implicit
